"""The fork server: what it accepts, what it survives, and when it refuses to fork."""

import contextlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from autograder.engine import pages, preload, servers, wire
from autograder.engine.allowance import START, Allowance
from autograder.engine.environment import for_kernel, for_server
from autograder.engine.link import Link, parse_testimony
from autograder.limits import Limits
from autograder.sandbox import Usage
from tests.autograder.engine.forkkit import Caller, fork_server, is_running, require, wait_until

LIMITS = Limits(cpu=10.0, wall=100.0, memory=1000)


def used(cpu: float = 0.0, memory: int = 0) -> Usage:
    return Usage(cpu, memory, 1)


def test_lines_arrive_whole_however_they_are_cut():
    lines = wire.Lines()
    assert [lines.feed(piece) for piece in (b'{"a"', b": 1}\n{", b"}\n")] == [
        [],
        [b'{"a": 1}'],
        [b"{}"],
    ]


def test_a_line_that_is_too_long_is_garbage_before_it_ends():
    lines = wire.Lines(10)
    lines.feed(b"x" * 10)
    with pytest.raises(wire.Garbage, match="at most 10 bytes"):
        lines.feed(b"x")


@pytest.mark.parametrize("line", [b"", b"no json", b"[]", b"{}", b"[" * 60_000, b"\xff"])
def test_what_is_no_message_is_garbage(line):
    with pytest.raises(wire.Garbage):
        wire.decode(line)


def test_a_body_travels_through_memory():
    assert wire.read_body(wire.write_body({"key": "矩"})) == {"key": "矩"}


def test_a_socket_whose_path_is_too_long_says_what_to_do(tmp_path):
    with pytest.raises(ValueError, match="TMPDIR"):
        wire.listen(str(tmp_path / ("x" * 100)))


def test_only_its_user_reaches_a_socket():
    folder = servers.make_private_folder()
    with wire.listen(str(folder / "s")):
        assert (folder / "s").stat().st_mode & 0o777 == 0o600
        assert folder.stat().st_mode & 0o777 == 0o700
    (folder / "s").unlink()
    folder.rmdir()


def test_a_long_folder_for_temporary_files_is_not_used_for_sockets(monkeypatch, tmp_path):
    long = tmp_path / ("x" * 90)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    folder = servers.make_private_folder()
    assert folder.parent == Path("/tmp")
    folder.rmdir()


def test_the_cpu_of_a_submission_is_limited():
    assert Allowance(LIMITS, 0.0).exceeded(used(10.0), 1.0) == ""
    assert Allowance(LIMITS, 0.0).exceeded(used(10.1), 1.0) == "cpu"


def test_the_time_of_a_submission_is_limited():
    assert Allowance(LIMITS, 50.0).exceeded(used(), 149.0) == ""
    assert Allowance(LIMITS, 50.0).exceeded(used(), 151.0) == "wall"


def test_the_memory_of_a_submission_is_limited_beyond_what_a_kernel_takes():
    assert Allowance(LIMITS, 0.0).exceeded(used(memory=1000 + START), 1.0) == ""
    assert Allowance(LIMITS, 0.0).exceeded(used(memory=1001 + START), 1.0) == "memory"


def test_a_cell_has_an_allowance_from_its_start():
    allowance = Allowance(LIMITS, 0.0)
    allowance.start_cell(2.0, 30.0, now=10.0)
    assert allowance.exceeded(used(5.0), 10.2) == ""
    assert allowance.exceeded(used(6.9), 11.0) == ""
    assert allowance.exceeded(used(7.1), 11.0) == "cpu"
    assert allowance.exceeded(used(5.0), 41.0) == "wall"


def test_without_limits_a_kernel_is_not_watched_until_a_cell_has_a_budget():
    allowance = Allowance(None, 0.0)
    assert not allowance.bound and allowance.exceeded(used(1e9, 1 << 50), 1e9) == ""
    allowance.start_cell(1.0, 1.0, 1e9)
    assert allowance.bound


def test_no_token_of_the_environment_reaches_a_server_or_a_confined_kernel():
    environ = {"PATH": "/bin", "LC_ALL": "C", "HOME": "/h", "API_TOKEN": "t", "AUTOGRADER_DB": "d"}
    assert for_kernel(environ) == {"PATH": "/bin", "LC_ALL": "C"}
    assert set(for_server(environ)) == {"PATH", "LC_ALL", "HOME", "OPENBLAS_NUM_THREADS"}


@pytest.mark.parametrize("text", [None, "", "no json", "[1]", "3", "[" * 90_000])
def test_a_testimony_that_is_no_object_is_none(text):
    assert parse_testimony(text) is None


def test_a_server_that_is_gone_says_what_to_do():
    with pytest.raises(RuntimeError, match="start it again"):
        Link("/no/such/socket")


def test_a_second_native_thread_is_a_reason_not_to_fork():
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        with pytest.raises(preload.UnsafeFork, match="one native thread"):
            preload.check_safe()
    finally:
        stop.set()
        thread.join()


def test_another_system_than_linux_is_a_reason_not_to_fork(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(preload.UnsafeFork, match="Linux"):
        preload.check_safe()


@pytest.mark.parametrize("state", ["is_initialized", "_is_in_bad_fork"])
def test_cuda_in_use_is_a_reason_not_to_fork(monkeypatch, state):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(os, "listdir", lambda path: ["1"])
    preload.check_safe()
    monkeypatch.setattr(torch.cuda, state, lambda: True)
    with pytest.raises(preload.UnsafeFork, match="CUDA"):
        preload.check_safe()


def test_large_pages_are_an_offer_and_not_a_condition():
    assert pages.use_large_pages() >= 0


@pytest.fixture(scope="module")
def server():
    with fork_server() as started:
        yield started


@pytest.fixture
def caller(server):
    called = Caller(server.address)
    yield called
    called.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "garbage",
    [b"no json\n", b"[]\n", b'{"signal": 9}\n', b'{"launch": {}}\n', b"x" * (1 << 18), b"\0\n"],
)
def test_garbage_ends_its_connection_and_no_other(server, caller, tmp_path, garbage):
    assert caller.launch(tmp_path)["pid"]
    bad = Caller(server.address)
    with contextlib.suppress(BrokenPipeError):  # it does not read on
        bad.socket.sendall(garbage)
    assert bad.hear() == {}
    bad.close()
    caller.socket.sendall(wire.encode({"signal": 9}))
    assert caller.hear()["why"] == "killed"


@pytest.mark.slow
@pytest.mark.parametrize("garbage", [{"signal": 999}, {"budget": {"cpu": "x"}}, {"odd": 1}])
def test_garbage_after_the_launch_ends_the_kernel(caller, tmp_path, garbage):
    pid = caller.launch(tmp_path)["pid"]
    caller.socket.sendall(wire.encode(garbage))
    assert caller.hear() == {}
    wait_until(lambda: not is_running(pid))


@pytest.mark.slow
def test_a_client_that_vanishes_ends_its_kernel(server, tmp_path):
    caller = Caller(server.address)
    pid = caller.launch(tmp_path)["pid"]
    assert is_running(pid)
    caller.close()
    wait_until(lambda: not is_running(pid))


@pytest.mark.slow
def test_a_connection_launches_one_kernel(caller, tmp_path):
    assert caller.launch(tmp_path)["pid"]
    assert caller.launch(tmp_path) == {}


@pytest.mark.slow
def test_another_level_than_the_servers_is_refused(caller, tmp_path):
    assert "gives none, not rlimits" in caller.launch(tmp_path, level="rlimits")["error"]


@pytest.mark.slow
def test_a_kernel_that_cannot_start_says_why(caller, tmp_path):
    caller.launch(tmp_path, cwd="/no/such/folder")
    end = caller.hear()
    assert end["exit"] == 1 and "/no/such/folder" in end["error"]


@pytest.mark.slow
def test_without_a_witness_an_inspection_is_answered_with_nothing(caller, tmp_path):
    caller.launch(tmp_path)
    caller.socket.sendall(wire.encode({"signal": 19}) + wire.encode({"inspect": "n"}))  # SIGSTOP
    assert caller.hear() == {"witness": None}


def open_files(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def zombies_of(pid: int) -> int:
    found = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        found += state == "Z" and parent == str(pid)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("level", ["none", "namespaces"])
def test_many_launches_leave_no_descriptor_and_no_zombie(level, tmp_path):
    require(level)
    limits = Limits().to_json() if level != "none" else {}
    with fork_server(level) as server:
        counts = []
        for launch in range(60):
            caller = Caller(server.address)
            assert caller.launch(tmp_path, level, limits, files={})["pid"]
            caller.socket.sendall(wire.encode({"signal": 9}))
            assert caller.hear()["why"] == "killed"
            caller.close()
            if launch in (9, 59):
                inner = innermost(server.process.pid, level)
                time.sleep(0.5)
                counts.append((open_files(inner), zombies_of(inner)))
        assert counts[0] == counts[1] and counts[1][1] == 0


def innermost(pid: int, level: str) -> int:
    """At the level "namespaces" the server is a child of the process that was started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(children[0]) if level == "namespaces" else pid


@pytest.mark.slow
def test_kernels_of_many_clients_live_side_by_side(server, tmp_path):
    callers = [Caller(server.address) for _ in range(8)]
    pids = {caller.launch(tmp_path)["pid"] for caller in callers}
    assert len(pids) == 8 and all(map(is_running, pids))
    for caller in callers:
        caller.close()
    wait_until(lambda: not any(map(is_running, pids)))


@pytest.mark.slow
@pytest.mark.parametrize("level", ["none", "namespaces"])
def test_a_server_that_ends_takes_its_kernels_along(level, tmp_path):
    require(level)
    limits = Limits().to_json() if level != "none" else {}
    with fork_server(level) as server:
        caller = Caller(server.address)
        assert caller.launch(tmp_path, level, limits, files={})["pid"]
        living = below(server.process.pid)
        assert len(living) > (level == "namespaces")
    wait_until(lambda: not any(map(is_running, living)))
    assert caller.hear() in ({}, {"exit": -9, "why": "", "error": "", "cpu": 0.0})
    caller.close()


def below(pid: int) -> list[int]:
    """The descendants of a process."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [each for child in map(int, children) for each in (child, *below(child))]


@pytest.mark.slow
@pytest.mark.parametrize("level", ["none", "namespaces"])
def test_a_server_that_is_killed_takes_its_kernels_along(level, tmp_path):
    require(level)
    limits = Limits().to_json() if level != "none" else {}
    with fork_server(level) as server:
        caller = Caller(server.address)
        assert caller.launch(tmp_path, level, limits, files={})["pid"]
        living = below(server.process.pid)
        os.kill(innermost(server.process.pid, level), 9)
        wait_until(lambda: not any(map(is_running, living)))
        assert caller.hear() == {}
        caller.close()


@pytest.mark.slow
def test_another_user_is_refused(server):
    if os.geteuid() != 0:
        pytest.skip("only root can be another user: run as root to test it")
    server.folder.chmod(0o711)
    os.chmod(server.address, 0o666)
    code = (
        "import os, socket, sys; os.setuid(61999); s = socket.socket(socket.AF_UNIX)\n"
        "s.connect(sys.argv[1]); s.sendall(b'{}'); print(len(s.recv(9)))"
    )
    run = subprocess.run(
        ["/usr/bin/env", sys.executable, "-c", code, server.address], capture_output=True, text=True
    )
    assert run.stdout == "0\n" or "ConnectionResetError" in run.stderr or "BrokenPipe" in run.stderr


@pytest.mark.slow
def test_a_preloaded_module_that_starts_threads_is_named_at_the_start(tmp_path, monkeypatch, capfd):
    (tmp_path / "threads_at_import.py").write_text(
        "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with servers.start_server("none", preload=["threads_at_import"]) as server:
        caller = Caller(server.address)
        assert caller.launch(tmp_path) == {}
        caller.close()
        server.process.wait(30)
    assert "expected one native thread before a fork" in capfd.readouterr().err
