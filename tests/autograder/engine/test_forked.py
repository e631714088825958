"""Limits of forked kernels, and what they leave behind."""

from pathlib import Path

import pytest

from autograder.engine.servers import ADDRESS
from autograder.limits import MIB, Limits
from autograder.sandbox import Level
from tests.autograder.engine.forkkit import fork_kernel, fork_server, require, wait_until

LEVELS = [level.value for level in Level]
LOOSE = Limits()
EXCESSES = {
    "cpu": "while True: pass",
    "cpu of a child": "import subprocess; subprocess.run(['sh', '-c', 'while :; do :; done'])",
    "wall": "import time; time.sleep(300)",
    "memory": "import mmap, time\nblocks = []\n"
    "for _ in range(30): blocks.append(bytearray(20 << 20)); time.sleep(0.1)\ntime.sleep(9)",
}


@pytest.mark.slow
@pytest.mark.parametrize("excess", EXCESSES)
@pytest.mark.parametrize("level", ["none", "namespaces"])
def test_a_cell_over_its_budget_ends_its_kernel_and_says_why(level, excess):
    require(level)
    limits = Limits(memory=300 * MIB)
    with fork_kernel(level, limits) as kernel:
        kernel.run("1")
        kernel.wait(kernel.provisioner.budget(1.0, 3.0 if excess == "wall" else 60.0))
        kernel.client.execute(EXCESSES[excess])
        if excess == "memory" and level != "none":
            reply = kernel.client.get_shell_msg(
                timeout=60
            )  # a limit of the process, felt in Python
            assert reply["content"].get("ename") == "MemoryError"
        else:
            assert kernel.ended()["why"] == excess.split()[0]


@pytest.mark.slow
def test_a_new_budget_starts_anew():
    with fork_kernel() as kernel:
        for _ in range(3):
            kernel.wait(kernel.provisioner.budget(1.0, 60.0))
            kernel.run(
                "import time; end = time.process_time() + 0.6\n"
                "while time.process_time() < end: pass"
            )
        assert kernel.provisioner.ended is None


@pytest.mark.slow
def test_a_submission_has_limits_over_all_cells():
    with fork_kernel(limits=Limits(cpu=1.5)) as kernel:
        for _ in range(9):
            kernel.wait(kernel.provisioner.budget(1.0, 60.0))
            kernel.client.execute(
                "end = __import__('time').process_time() + 0.6\n"
                "while __import__('time').process_time() < end: pass"
            )
        assert kernel.ended()["why"] == "cpu"


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_what_a_kernel_started_ends_with_it(level):
    require(level)
    with fork_kernel(level, LOOSE) as kernel:
        kernel.run(
            "import subprocess\n"
            "subprocess.Popen(['sleep', '4242'])\n"
            "subprocess.Popen(['sleep', '4242'], start_new_session=True); None"
        )
        assert find("4242")
    wait_until(lambda: not find("4242"))


def find(argument: str) -> list[str]:
    """The pids of processes with this argument."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if argument in (folder / "cmdline").read_text().split("\0"):
                found.append(folder.name)
        except OSError:
            continue
    return found


@pytest.mark.slow
def test_orphans_leave_no_zombies_that_count_against_the_limit():
    require("namespaces")
    with fork_kernel("namespaces", Limits(processes=40)) as kernel:
        code = (
            "import os, time\n"
            "for _ in range(100):\n"
            "    if (child := os.fork()) == 0:\n"
            "        if os.fork() == 0: time.sleep(0.05)\n"
            "        os._exit(0)\n"
            "    os.waitpid(child, 0); time.sleep(0.02)\n"
            "print('done')"
        )
        assert kernel.printed(code) == "done\n"


@pytest.mark.slow
def test_the_reaper_lets_nobody_see_the_server_through_it():
    require("namespaces")
    with fork_kernel("namespaces", LOOSE) as kernel:
        code = (
            "import os\n"
            "def try_to(do, *given):\n"
            "    try: do(*given); return 'done'\n"
            "    except OSError as e: return type(e).__name__\n"
            "print(try_to(os.listdir, '/proc/1/root'), try_to(os.listdir, '/proc/1/fd'),\n"
            "      try_to(open, '/proc/1/environ'), try_to(open, '/proc/1/mem'))\n"
            "try_to(os.kill, 1, 9); print(os.getpid())"
        )
        assert kernel.printed(code) == "PermissionError " * 3 + "PermissionError\n2\n"


@pytest.mark.slow
def test_a_confined_kernel_gets_no_token_of_the_environment(monkeypatch):
    require("rlimits")
    monkeypatch.setenv("SECRET_TOKEN", "hush-hush")
    with fork_kernel("rlimits", LOOSE) as kernel:
        found = kernel.printed(
            "import os, gc\nprint(os.environ.get('SECRET_TOKEN'), "
            "'-'.join(['hush'] * 2) in str(gc.get_objects()), "
            "b'hush' in open('/proc/self/environ', 'rb').read())"
        )
        assert found == "None False False\n"


@pytest.mark.slow
def test_a_server_that_ends_takes_along_what_its_kernels_started(monkeypatch):
    with fork_server() as server:
        monkeypatch.setenv(ADDRESS, server.address)
        with fork_kernel() as kernel:
            kernel.run("import subprocess; subprocess.Popen(['sleep', '4343']); None")
            assert find("4343")
            server.close()
            wait_until(lambda: not find("4343"))
            assert "the fork server ended" in kernel.ended()["error"]
