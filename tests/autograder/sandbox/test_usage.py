"""What a child and its processes use, as their server sees it."""

import os

import pytest

from autograder.sandbox import rlimits, tree, usage
from autograder.sandbox import usage as usage_of

usage_module = __import__("autograder.sandbox.usage", fromlist=["usage"])

WATCH = """
import select, time
read, write = os.pipe()

def told(text):
    assert select.select([read], [], [], 60)[0] and os.read(read, len(text)) == text, text

def watched(code, **options):
    names = f"import os, signal, time\\nsay = lambda text: os.write({write}, text)\\n"
    burn = "def burn(s):\\n    while time.process_time() < s: pass\\n"
    return launch(names + burn + code, **options)

def finish(pid):
    sandbox.end(server, pid)
    os.waitpid(pid, 0)
"""


def test_the_cpu_time_of_children_counts_alive_waited_for_and_orphaned(user_box):
    code = (
        WATCH
        + """
pid = watched('''
if os.fork() == 0:
    burn(0.3)
    os._exit(0)
os.wait()
say(b"1")
if os.fork() == 0:
    if os.fork() == 0:
        burn(0.6)
        say(b"2")
    os._exit(0)
time.sleep(60)
''')
told(b"1")
first = sandbox.usage(pid)
told(b"2")
second = sandbox.usage(pid, before=first)
print(first.cpu_seconds >= 0.28, second.cpu_seconds >= 0.85, second.cpu_seconds < 1.5)
finish(pid)
print(sandbox.usage(pid))
"""
    )
    assert user_box.serve(code).split() == ["True", "True", "True", "None"]


def test_the_cpu_time_of_processes_that_vanish_is_not_forgotten(user_box):
    code = (
        WATCH
        + """
pid = watched('''
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for turn in (b"1", b"2"):
    child = os.fork()
    if child == 0:
        burn(0.3)
        say(turn)
        time.sleep(60)
    time.sleep(1.5)
    os.kill(child, signal.SIGKILL)
    time.sleep(0.2)
say(b"3")
time.sleep(60)
''')
use = None
for turn in (b"1", b"2", b"3"):
    told(turn)
    use = sandbox.usage(pid, before=use)
print(use.processes, use.cpu_seconds >= 0.55, sandbox.usage(pid).cpu_seconds < 0.2)
finish(pid)
"""
    )
    assert user_box.serve(code).split() == ["1", "True", "True"]


def test_memory_is_what_the_submission_took_and_not_what_the_server_shares(user_box):
    code = (
        WATCH
        + """
ballast = bytearray(os.urandom(1 << 20) * 100)
pids = [watched("b = bytearray(50 << 20); say(b'1'); time.sleep(60)", slot=n) for n in range(2)]
told(b"1"), told(b"1")
for pid in pids:
    print(sandbox.usage(pid).memory_bytes >> 20 in range(48, 60))
print(sandbox.usage(pid, enough=1 << 30).memory_bytes >> 20 in range(148, 180))
finish(pids[0]), finish(pids[1])
"""
    )
    assert user_box.serve(code).split() == ["True"] * 3


def test_memory_that_a_submission_s_processes_share_counts_once(user_box):
    code = (
        WATCH
        + """
pid = watched("b = bytearray(os.urandom(1 << 20) * 50); os.fork(); say(b'1'); time.sleep(60)")
told(b"1"), told(b"1")
use = sandbox.usage(pid)
print(use.processes, use.memory_bytes >> 20 in range(48, 60))
finish(pid)
"""
    )
    assert user_box.serve(code).split() == ["2", "True"]


def test_shared_anonymous_memory_counts(user_box):
    code = (
        WATCH
        + """
take = "import mmap; m = mmap.mmap(-1, 50 << 20); m.write(bytes(50 << 20)); say(b'1')\\n"
pid = watched(take + "time.sleep(60)")
told(b"1")
print([sandbox.usage(pid, enough).memory_bytes >> 20 in range(48, 80) for enough in (0, 1 << 30)])
finish(pid)
"""
    )
    assert user_box.serve(code).strip() == "[True, True]"


@pytest.mark.skipif(not rlimits.LINUX, reason="/proc")
def test_children_are_found_also_where_the_kernel_does_not_list_them(monkeypatch):
    me = str(os.getpid())
    pid = os.posix_spawn("/bin/sleep", ["sleep", "60"], {})
    try:
        listed = set(tree.children(me))
        assert str(pid) in listed
        assert set(tree._children_by_scanning(me)) == listed
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)


def test_where_there_is_no_proc_ps_tells(monkeypatch):
    monkeypatch.setattr(rlimits, "LINUX", False)
    use = usage_of(os.getpid())
    assert use.memory_bytes > 1 << 20 and use.processes >= 1
    assert usage(2**22 + 7) is None


@pytest.mark.parametrize(
    "text, seconds",
    [("0:00.50", 0.5), ("2:03.25", 123.25), ("01:00:02", 3602), ("1-00:00:01", 86401)],
)
def test_ps_tells_time_in_several_ways(text, seconds):
    assert usage_module._seconds(text) == seconds
