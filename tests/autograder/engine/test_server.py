"""The fork server: what it accepts, what it survives, and when it refuses to fork."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autograder.engine import servers, wire
from autograder.limits import Limits
from tests.autograder.engine.forkkit import Caller, fork_server, is_running, require, wait_until


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
