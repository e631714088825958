"""The levels without namespaces: their home, and what they leave behind."""

import pytest

from tests.autograder.sandbox.conftest import make_box


@pytest.fixture(params=["landlock", "rlimits", "none"])
def weak_box(request):
    return make_box(request.param, "user")


def test_files_are_given_and_home_and_tmp_can_be_written(weak_box):
    code = """
    import os, tempfile
    print(open("data/one.txt").read(), os.getcwd() == os.environ["HOME"] == str(home))
    open("written", "w").close()
    print(tempfile.gettempdir() == os.environ["TMPDIR"] != os.getcwd())
    tempfile.TemporaryFile().write(b"x")
    """
    assert weak_box.run(code, files={"data/one.txt": "1"}).split() == ["1", "True", "True"]


def test_what_a_child_leaves_is_removed_however_it_is_shut(weak_box):
    code = """
    child = '''
    for turn in range(2000):
        os.mkdir("deep")
        os.chdir("deep")
    os.chdir(home)
    os.mkdir("shut")
    open("shut/file", "w").close()
    os.chmod("shut", 0)
    '''
    assert os.waitpid(launch(child), 0)[1] == 0
    before = os.listdir(server.base)
    sandbox.clean(server, 0)
    print(before, os.listdir(server.base))
    """
    assert weak_box.serve(code).strip() == "['slot-0'] []"


def test_a_slot_begins_with_an_empty_home(weak_box):
    code = """
    for turn in range(2):
        assert os.waitpid(launch("print(os.listdir()); open('left', 'w').close()"), 0)[1] == 0
    """
    assert weak_box.serve(code).split() == ["[]", "[]"]


FAMILY = """
    import select
    other = launch("import time; time.sleep(60)", 1)
    read, write = os.pipe()
    child = f'''
    import time
    os.fork()
    if os.fork() == 0 and {detach}:
        os.setsid()
        if os.fork():
            os._exit(0)
    os.write({write}, b"x")
    time.sleep(60)
    '''
    pid = launch(child)
    os.close(write)
    got = b""
    while len(got) < 4: got += os.read(read, 4)

    def all_gone(seconds):
        return bool(select.select([read], [], [], seconds)[0])
"""


def test_ending_a_child_ends_all_below_it():
    code = (
        "    detach = False\n"
        + FAMILY.removeprefix("\n")
        + """
    sandbox.end(server, pid)
    print(all_gone(10), sandbox.usage(other).processes)
    sandbox.end(server, other)
    """
    )
    assert make_box("landlock", "user").serve(code).split() == ["True", "1"]


def test_sweeping_ends_what_got_away_and_spares_the_living():
    code = (
        "    detach = True\n"
        + FAMILY.removeprefix("\n")
        + """
    sandbox.end(server, pid)
    os.waitpid(pid, 0)
    print(all_gone(0.2))
    sandbox.sweep(server, [other])
    print(all_gone(10), sandbox.usage(other).processes)
    sandbox.end(server, other)
    """
    )
    assert make_box("landlock", "user").serve(code).split() == ["False", "True", "1"]


def test_no_privilege_is_left_at_landlock(landlock_box):
    """Landlock closes /proc/self/status, so the kernel is asked."""
    code = """
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    print(libc.prctl(39, 0, 0, 0, 0), libc.prctl(21, 0, 0, 0, 0))  # no_new_privs, seccomp
    print([libc.prctl(23, c, 0, 0, 0) for c in (0, 21)])  # the bounding set
    try:
        os.mknod("device", 0o600 | 0o20000, os.makedev(1, 3))
    except OSError as error:
        print(error.errno)
    """
    flags, bounding, refused = landlock_box.run(code).splitlines()
    assert flags == "1 2" and refused in ("1", "13")
    if landlock_box.is_root:
        assert bounding == "[0, 0]"
