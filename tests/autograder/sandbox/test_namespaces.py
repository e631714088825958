"""What a submission finds when namespaces shut it in."""

import json
import os
from pathlib import Path

import pytest

from tests.autograder.sandbox.boxkit import ROOT

STATUS = """
lines = open("/proc/self/status").read().splitlines()
status = {name: rest.strip() for name, _, rest in (line.partition(":") for line in lines)}
"""


def test_of_the_project_only_what_is_named_readable_can_be_seen(box):
    lens = ROOT / "course" / "lens"
    names = [str(ROOT / name) for name in ("solutions", "autograder", "exercises", ".git")]
    code = f"""
    import os
    print([os.path.exists(name) for name in {names!r}])
    print(os.path.exists({str(lens / "__init__.py")!r}))
    print(os.listdir({str(ROOT / "course")!r}))
    """
    printed = box.run(code, readable=[str(lens)]).splitlines()
    assert printed == [str([False] * 4), "True", "['lens']"]


def test_a_readable_folder_in_tmp_reached_through_a_link_is_there_under_both_names(box):
    top = Path("/tmp") / f"linked-{os.getpid()}-{box.is_root}"
    (top / "real").mkdir(parents=True)
    (top / "real" / "module.py").write_text("x = 1")
    (top / "link").symlink_to("real")
    try:
        names = [str(top / name / "module.py") for name in ("real", "link")]
        code = f"""
        print([open(name).read() for name in {names!r}])
        open("/tmp/written", "w").close()
        try:
            open({names[0]!r}, "w")
        except OSError as error:
            print(error.strerror)
        """
        printed = box.run(code, readable=[str(top / "link")])
        assert printed.splitlines() == ["['x = 1', 'x = 1']", "Read-only file system"]
    finally:
        (top / "real" / "module.py").unlink()
        (top / "link").unlink()
        (top / "real").rmdir()
        top.rmdir()


def test_the_system_s_users_and_secrets_are_not_there(box):
    names = ["/etc/shadow", "/etc/hostname", "/etc/ssh", "/var", "/run", "/mnt", "/boot", "/srv"]
    assert box.answer(f"[os.path.exists(n) for n in {names!r}]") == [False] * len(names)
    assert box.answer("os.listdir('/sys/devices/system')") in (
        ["cpu"],
        ["cpu", "node"],
        ["node", "cpu"],
    )
    users = box.answer("sorted({each.pw_name for each in pwd.getpwall()})", "pwd")
    assert users == ["root", "student"]
    assert box.answer("os.uname().nodename") == "sandbox"


def test_nothing_but_the_private_folders_can_be_written(box):
    code = """
    import os
    closed = ("/", "/usr", "/etc", "/dev", "/proc", "/sys/devices/system/cpu", sys.prefix + "/lib")
    for top in closed:
        try:
            open(top + "/written", "w")
        except OSError:
            continue
        raise SystemExit(top)
    for top in (home, "/tmp", "/dev/shm"):
        open(f"{top}/written", "w").write("x")
    """
    box.run(code)


def test_the_home_tmp_and_shared_memory_have_one_quota(box):
    code = """
    total, places = 0, ("/tmp", "/dev/shm", home)
    try:
        for number in range(40):
            with open(f"{places[number % 3]}/{number}", "wb") as file:
                total += file.write(bytes(1 << 20))
                file.flush()
    except OSError as error:
        print(total >> 20, error.errno)
    """
    assert box.run(code, disk=12 << 20).split() in (["11", "28"], ["12", "28"])


def test_the_number_of_files_is_bounded(box):
    code = """
    try:
        for number in range(5000):
            open(f"{number}", "w").close()
    except OSError as error:
        print(1000 <= number <= 1024, error.errno)
    """
    assert box.run(code, disk=1 << 20).split() == ["True", "28"]


def test_given_files_lie_in_the_home_and_belong_to_the_submission(box):
    files = {"data.csv": "a,b", "images/one.txt": "1"}
    code = """
    import os
    print(os.getcwd() == str(home) == os.environ["HOME"], os.environ["TMPDIR"])
    print(open("images/one.txt").read(), os.stat("data.csv").st_uid == os.getuid())
    open("images/two.txt", "w").close()
    os.remove("data.csv")
    """
    assert box.run(code, files=files).split() == ["True", "/tmp", "1", "True"]


@pytest.mark.parametrize("name", ["../out", "/tmp/out", "a/../../out", ""])
def test_a_given_file_cannot_lie_outside_the_home(user_box, name):
    process = user_box.start(f"pid = launch('', files={{{name!r}: 'x'}}); os.waitpid(pid, 0)")
    _, complaints = process.communicate(timeout=60)
    assert "expected a path inside the working folder" in complaints


def test_no_privilege_is_left(box):
    keys = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Groups")
    code = STATUS + f"import json; print(json.dumps([status[key] for key in {keys!r}]))"
    none = "0" * 16
    groups = json.loads(box.run(code))
    if not box.is_root:
        groups[-1] = groups[-1] if groups[-1] != "65534" else ""  # those that are not mapped
    assert groups == [none] * 5 + ["1", "2", ""]
    assert box.answer("open('/proc/self/oom_score_adj').read().strip()") == "1000"


def test_root_gives_each_slot_a_user_of_its_own(box):
    if not box.is_root:
        pytest.skip("an ordinary user has no other users to give")
    code = """
    os.setgroups([4, 27])
    for slot in (0, 3):
        child = "print(os.getuid(), os.getgid(), os.getgroups())"
        assert os.waitpid(launch(child, slot), 0)[1] == 0
    """
    assert box.serve(code).splitlines() == ["61000 61000 []", "61003 61003 []"]


def test_it_is_the_first_process_and_sees_no_other(box):
    assert box.answer("[n for n in os.listdir('/proc') if n.isdigit()]") == ["1"]
    assert box.answer("[os.getpid(), os.getppid()]") == [1, 0]


def test_two_submissions_share_no_abstract_socket_and_no_shared_memory(box):
    beside = """
    import socket, time
    made = socket.socket(socket.AF_UNIX)
    made.bind("\\0listener-1-1")
    open("/dev/shm/psm", "w").close()
    print("bound", flush=True)
    time.sleep({seconds})
    """
    code = f"""
    import textwrap
    first = launch(textwrap.dedent({beside.format(seconds=60)!r}), 0)
    second = launch(textwrap.dedent({beside.format(seconds=0)!r}), 1)
    assert os.waitpid(second, 0)[1] == 0
    assert sandbox.usage(first)
    sandbox.end(server, first)
    os.waitpid(first, 0)
    """
    assert box.serve(code).split() == ["bound", "bound"]


def test_what_the_server_hands_over_stays_open_but_no_folder_does(box):
    code = """
    held = os.open("/etc/passwd", os.O_RDONLY)
    folder = os.open("/", os.O_RDONLY)
    child = f"os.fstat({held})\\ntry: os.fstat({folder})\\nexcept OSError: print('closed')"
    assert os.waitpid(launch(child), 0)[1] == 0
    """
    assert box.serve(code).split() == ["closed"]


def test_the_server_does_not_see_the_system_that_it_mounts_for_its_children(box):
    code = """
    assert os.waitpid(launch("os.stat('/usr/bin')"), 0)[1] == 0
    print(os.listdir(server.base / "root"))
    """
    assert box.serve(code).strip() == "[]"  # so that removing the folder removes no system


def test_the_environment_that_the_server_started_with_is_wiped_and_os_environ_kept(box):
    code = "print(b'hush' in open('/proc/self/environ', 'rb').read(), os.environ['TOKEN'])"
    assert box.run(code, environment={"TOKEN": "hush"}).split() == ["False", "hush"]


def test_the_limits_are_those_that_were_asked_for(box):
    names = ("RLIMIT_NPROC", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_CORE", "RLIMIT_CPU")
    asked = {"processes": 33, "open_files": 77, "disk": 5 << 20, "cpu": 11.5}
    found = box.answer(
        f"[resource.getrlimit(getattr(resource, n)) for n in {names!r}]", "resource", **asked
    )
    assert found == [[v, v] for v in (33, 77, 5 << 20, 0, 17)]


def test_where_proc_cannot_be_mounted_a_few_files_describe_the_machine(box):
    code = """
    import subprocess, threading
    print(sorted(os.listdir("/proc")))
    subprocess.run([sys.executable, "-c", ""], check=True, close_fds=True)
    thread = threading.Thread(target=print, args=("thread",)); thread.start(); thread.join()
    print(os.getuid() != 0, os.cpu_count() > 0, "processor" in open("/proc/cpuinfo").read())
    """
    shown, *rest = box.run(code, mask_proc=True).splitlines()
    assert "self" not in shown and "cpuinfo" in shown
    assert rest == ["thread", "True True True"]


def test_where_proc_cannot_be_mounted_use_is_still_measured(box):
    code = """
    read, write = os.pipe()
    take = f"os.fork(); b = bytearray(50 << 20); os.write({write}, b'up')\\n"
    pid = launch(take + "import time; time.sleep(60)")
    got = b""
    while got.count(b"up") < 2: got += os.read(read, 100)
    use = sandbox.usage(pid)
    print(use.processes, use.memory_bytes >> 20 in range(100, 110))
    sandbox.end(server, pid)
    """
    assert box.serve(code, mask_proc=True).split() == ["2", "True"]
