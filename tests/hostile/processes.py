"""Code that does not end, ends too soon, multiplies, or acts later.

These run inside the sandbox only, and are bounded: none touches the machine where it holds.
"""

from tests.hostile.kit import (
    FIRST,
    LOSES_FIRST,
    REST,
    Attack,
    Expect,
    everything_but_first,
    forged,
    in_answer,
)

STOPPED = Expect(earns=REST, statuses={f"test_{FIRST}": "timeout"})
# What is left behind is recognised by its argument.
CHILD = "import time; time.sleep(600)"
LEAVE = "[sys.executable, '-c', code, '@MARKER@']"
FORK_BOMB = """
import os
while True:
    try: os.fork()
    except OSError: pass
"""
THREAD_BOMB = """
import threading, time
while True:
    try: threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    except RuntimeError: time.sleep(0.01)
"""
POLITE_FORKS = """
import os, time
children = []
for _ in range(1000):
    try: child = os.fork()
    except OSError: break
    if child == 0:
        while True: time.sleep(600)
return len(children)
"""
MEMORY = """
kept = []
while True: kept.append(bytearray(50_000_000))
"""
MEMORY_TORCH = "return torch.ones(40_000_000_000), torch.ones(1)"
MEMORY_SLOW = """
kept = []
while True:
    try: kept.append(torch.ones(1_000_000))
    except (MemoryError, RuntimeError): kept.append(None)
"""
MEMORY_MAP = """
import mmap
maps = []
while True: maps.append(mmap.mmap(-1, 1 << 30)); maps[-1].write(b"x" * (1 << 30))
"""
SHARED_MEMORY = """
import os
for n in range(10**6):
    with open(f"/dev/shm/x{n}", "wb") as f: f.write(os.urandom(1 << 20) * 64)
"""
DISK = """
import os
block = os.urandom(1 << 20)
number = 0
while True:
    with open(f"full{number}", "wb") as f:
        for _ in range(64): f.write(block)
    number += 1
"""
INODES = """
import os
for n in range(10**7):
    open(f"empty{n}", "w").close()
"""
SPARSE = """
with open("sparse", "wb") as f:
    f.truncate(1 << 50)
    f.seek((1 << 50) - 1)
    f.write(b"x")
"""
DAEMON = f"""
import subprocess, sys
code = {CHILD!r}
for how in (dict(), dict(start_new_session=True)):
    subprocess.Popen({LEAVE}, **how)
return None
"""
DOUBLE_FORK = """
import os, time, signal
if os.fork() == 0:
    os.setsid()
    for number in (1, 2, 15): signal.signal(number, signal.SIG_IGN)
    if os.fork(): os._exit(0)
    os.execv(__import__("sys").executable, ["python", "-c", "import time; time.sleep(600)",
                                            "@MARKER@"])
return None
"""
RESPAWN = """
import os, time
def beget():
    while True:
        try:
            if os.fork() == 0: continue
        except OSError: pass
        time.sleep(0.05)
        os._exit(0)
if os.fork() == 0: beget()
return None
"""
LATER = """
import threading, time, atexit, signal, os
def act(*args):
    with open("@SECRET@", "a") as f: f.write("written later")
atexit.register(act)
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGALRM):
    signal.signal(number, act)
signal.setitimer(signal.ITIMER_REAL, 1, 1)
def wait():
    time.sleep(3)
    act()
threading.Thread(target=wait).start()
return None
"""
BUSY_THREAD = """
import threading
def spin():
    while True: pass
for _ in range(4): threading.Thread(target=spin).start()
return None
"""
IGNORE = """
import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: pass
"""
CATCH_ALL = """
while True:
    try:
        while True: pass
    except BaseException: pass
"""
SEGFAULT = "import ctypes\nctypes.string_at(0)"
GIL = """
import ctypes
ctypes.PyDLL(None).usleep(4_000_000_000)
"""
RLIMITS = """
import resource
for limit in (resource.RLIMIT_CPU, resource.RLIMIT_DATA, resource.RLIMIT_NPROC):
    try: resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (OSError, ValueError): pass
while True: pass
"""
KILL_ALL = """
import os, signal
for target in (-1, 0, 1, os.getppid()):
    try: os.kill(target, signal.SIGKILL)
    except OSError: pass
return None
"""
PTRACE = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for pid in range(1, 5000):
    if pid != os.getpid(): libc.ptrace(16, pid, 0, 0)
return None
"""
ESCAPES = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for flags in (0x20000, 0x10000000, 0x40000000, 0x10020000): libc.unshare(flags)
libc.mount(b"none", b"/tmp", b"tmpfs", 0, None)
libc.umount2(b"/", 2)
libc.chroot(b"/proc/1/root")
libc.personality(0x0040000)
libc.setuid(0); libc.setgid(0); libc.setresuid(0, 0, 0)
for device in (b"/dev/mem", b"/dev/kmsg", b"/dev/vda", b"/dev/sda"):
    libc.open(device, 2)
libc.mknod(b"disk", 0o60666, 0xFE00)
libc.open(b"disk", 0)
return None
"""


def _first(name: str, does: str, body: str, expect: Expect = LOSES_FIRST) -> Attack:
    return Attack(f"process-{name}", "code: processes and limits", does,
                  everything_but_first(body), expect)  # fmt: skip


def _top(name: str, does: str, extra: str, expect: Expect) -> Attack:
    """The same at the top of a cell of the learner's own, before the first answer."""
    return Attack(f"process-{name}", "code: processes and limits", does,
                  forged(right=(FIRST, *REST), extra=extra), expect)  # fmt: skip


KEEPS = Expect(earns=(FIRST, *REST))
SOME = Expect(may_earn=(FIRST, *REST))  # the sandbox may be gone before the rest could run
CORPUS = (
    _first("loop", "an endless loop", "while True: pass", STOPPED),
    _first("loop-deaf", "an endless loop that ignores every signal", IGNORE, STOPPED),
    _first("loop-catching", "an endless loop that catches every error", CATCH_ALL, STOPPED),
    _first("loop-rlimits", "lifts its limits, then loops", RLIMITS, STOPPED),
    _first("loop-regex", "a regular expression that backtracks in C",
        "import re\nre.match(r'(a+)+$', 'a' * 64 + 'b')", STOPPED),
    _first("loop-sum", "a sum in C over 10**12 numbers", "sum(range(10**12))", STOPPED),
    _first("loop-power", "a power whose digits fill the sky", "return 9 ** (9 ** 9)", STOPPED),
    _first("loop-torch", "a loop over torch's operators",
        "x = torch.ones(300, 300)\nwhile True: x = x @ x / 300", STOPPED),
    _first("sleep", "sleeps for eleven days", "import time\ntime.sleep(10**6)", STOPPED),
    _first("sleep-c", "sleeps in C and holds the interpreter's lock", GIL, STOPPED),
    _first("lock", "waits for a lock that nobody gives back",
        "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()", STOPPED),
    _first("input", "asks for input", "return input('And now? ')"),
    _first("getpass", "asks for a password", "import getpass\nreturn getpass.getpass()"),
    _first("stdin", "reads standard input", "import sys\nreturn sys.stdin.read()"),
    _first("debugger", "starts the debugger", "breakpoint()\nreturn None"),
    _first("gui", "asks for a window", "import matplotlib\nmatplotlib.use('TkAgg', force=True)\n"
        "import matplotlib.pyplot as plt\nplt.figure()\nplt.show(block=True)"),
    _first("exit", "os._exit(0)", "import os\nos._exit(0)"),
    _first("kill", "kills itself", "import os\nos.kill(os.getpid(), 9)"),
    _first("kill-all", "kills all that it can", KILL_ALL),
    _first("stop", "stops itself with SIGSTOP", "import os, signal\nos.kill(os.getpid(), "
        "signal.SIGSTOP)"),
    _first("abort", "aborts", "import os\nos.abort()"),
    _first("segfault", "reads the address 0", SEGFAULT),
    _first("stack", "overflows the stack in C",
        "import sys\nsys.setrecursionlimit(10**9)\ndef f(): return f()\nreturn [f()]"),
    _first("fork-bomb", "forks for ever, and so do its children", FORK_BOMB),
    _first("forks", "forks a thousand children that sleep", POLITE_FORKS),
    _first("thread-bomb", "starts threads for ever", THREAD_BOMB),
    _first("memory", "takes memory for ever", MEMORY),
    _first("memory-torch", "asks for 160 GB at once", MEMORY_TORCH),
    _first("memory-slow", "takes memory for ever and catches the refusals", MEMORY_SLOW),
    _first("memory-map", "takes anonymous maps for ever", MEMORY_MAP),
    _first("memory-shared", "fills /dev/shm", SHARED_MEMORY),
    _first("disk", "fills the disk", DISK),
    _first("inodes", "makes ten million files", INODES),
    _first("sparse", "makes a file of a petabyte", SPARSE),
    _first("daemon", "leaves two programs running", DAEMON),
    _first("double-fork", "leaves a daemon that ignores signals", DOUBLE_FORK),
    _first("respawn", "leaves processes that follow one another", RESPAWN),
    _first("later", "acts later: atexit, timers, signals, a thread", LATER,
        Expect(may_earn=REST)),
    _first("busy-threads", "leaves four busy threads", BUSY_THREAD, Expect(may_earn=REST)),
    _first("ptrace", "attaches to every process", PTRACE),
    _first("escapes", "namespaces, mounts, chroot, devices, other users", ESCAPES),
    _first("stdout-closed", "closes standard output", "import os, sys\nsys.stdout.close()\n"
        "sys.stderr.close()\nos.close(1)\nos.close(2)\nreturn None", Expect(may_earn=REST)),
    _first("stdout-replaced", "replaces sys.stdout and does not put it back",
        "import io, sys\nsys.stdout = io.StringIO()\nreturn None", Expect(may_earn=REST)),
    _top("exits-above", "an extra cell exits; every answer is right", "import os\nos._exit(0)",
        KEEPS),
    _top("loops-above", "an extra cell never ends; every answer is right", "while True: pass",
        KEEPS),
    _top("exits-twice", "exits now, and later when it is run again",
        "import os, pathlib\nmark = pathlib.Path.home() / 'ran'\n"
        "if mark.exists(): os._exit(1)\nmark.touch()\nos._exit(1)", SOME),
    Attack("process-all-loop", "code: processes and limits", "every answer is an endless loop",
        forged(answers={name: f"def {name}(*args, **kwargs):\n    while True: pass"
                        for name in (FIRST, *REST)})),
    Attack("process-all-exit", "code: processes and limits", "every answer exits",
        forged(answers={name: f"def {name}(*args, **kwargs):\n    __import__('os')._exit(1)"
                        for name in (FIRST, *REST)})),
    Attack("process-top-loop", "code: processes and limits", "an answer's cell never ends itself",
        forged(right=REST, answers={FIRST: "while True: pass"}), Expect(earns=REST)),
    Attack("process-burns", "code: processes and limits", "each extra cell nearly uses its limit",
        forged(right=REST, answers=in_answer("return None"), extra="import time\n"
               "end = time.process_time() + 1\nwhile time.process_time() < end: pass"),
        Expect(earns=REST)),
)  # fmt: skip
