"""Forked kernels through jupyter_client: start, interrupt, restart, limits, and the tools on it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient
from nbconvert.preprocessors import ExecutePreprocessor
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.preprocessors import Execute

from autograder.engine import kernelspecs, servers
from autograder.engine.companions import read_companions
from autograder.limits import MIB, Limits
from autograder.sandbox import Level
from tests.autograder.engine.forkkit import fork_kernel, require, wait_until

LEVELS = [level.value for level in Level]
LOOSE = Limits()


@pytest.fixture
def offered(monkeypatch):
    """The committed kernelspec, found as Jupyter's tools find kernels."""
    monkeypatch.setenv("JUPYTER_PATH", str(kernelspecs.JUPYTER))


def test_the_committed_kernelspec_is_found_on_the_path_of_jupyter(offered):
    spec = KernelSpecManager().get_kernel_spec(kernelspecs.NAME)
    assert spec.metadata["kernel_provisioner"]["provisioner_name"] == kernelspecs.NAME
    assert "no sandbox" in spec.display_name


def test_a_kernelspec_of_any_level_is_offered_beside_those_installed():
    spec = kernelspecs.fork_kernel_spec("landlock", LOOSE)
    specs = kernelspecs.ForkKernelSpecs(spec=spec)
    assert specs.get_kernel_spec(kernelspecs.NAME) is spec
    assert {kernelspecs.NAME, "python3"} <= set(specs.find_kernel_specs())


def test_companions_are_regular_files_that_are_neither_notebooks_nor_hidden(tmp_path):
    for name in ("data.csv", "deep/er.txt", "a.ipynb", ".secret", ".git/config"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "link.csv").symlink_to("/etc/passwd")
    (tmp_path / "folder").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe")
    found = read_companions(str(tmp_path), MIB)
    assert found == {"data.csv": b"data.csv", "deep/er.txt": b"deep/er.txt"}


def test_companions_that_do_not_fit_are_refused_by_name(tmp_path):
    (tmp_path / "large.csv").write_bytes(b"x" * 11)
    with pytest.raises(ValueError, match="large.csv"):
        read_companions(str(tmp_path), 10)


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_a_kernel_runs_cells_at_every_level(level):
    require(level)
    with fork_kernel(level, LOOSE) as kernel:
        assert kernel.printed("import torch; print(torch.ones(2).sum())") == "tensor(2.)\n"
        (error,) = kernel.run("1 / 0")
        assert error["ename"] == "ZeroDivisionError"


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_the_files_of_a_kernel_lie_in_its_folder(level):
    require(level)
    with fork_kernel(level, LOOSE, files={"data/a.csv": b"1,2"}) as kernel:
        assert kernel.printed("print(open('data/a.csv').read())") == "1,2\n"
        assert kernel.printed("import os; print(os.listdir())") == "['data']\n"


@pytest.mark.slow
def test_an_interrupt_stops_a_cell_and_what_it_waits_for():
    require("namespaces")
    with fork_kernel("namespaces", LOOSE) as kernel:
        sleeps = ("import time; time.sleep(60)", "import os; os.system('sleep 60')", "!sleep 60")
        for code in sleeps:
            kernel.client.execute(code)
            time.sleep(1)
            kernel.manager.interrupt_kernel()
            assert kernel.client.get_shell_msg(timeout=30)
        assert kernel.printed("print('goes on')") == "goes on\n"


@pytest.mark.slow
def test_a_restarted_kernel_is_a_new_one_on_the_same_sockets():
    with fork_kernel() as kernel:
        kernel.run("kept = 1")
        before = kernel.provisioner.pid
        kernel.manager.restart_kernel(now=True)
        kernel.client.wait_for_ready(timeout=60)
        assert kernel.provisioner.pid != before
        assert kernel.printed("print('kept' in globals())") == "False\n"


@pytest.mark.slow
def test_a_kernel_that_was_shut_down_leaves_nothing():
    with fork_kernel() as kernel:
        folder, pid = kernel.provisioner.folder, kernel.provisioner.pid
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists() and not Path(f"/proc/{pid}").exists()


@pytest.mark.slow
def test_the_end_of_a_kernel_is_known_with_its_cause():
    with fork_kernel() as kernel:
        assert kernel.provisioner.ended is None and kernel.manager.is_alive()
        kernel.client.execute("import os; os._exit(3)")
        end = kernel.ended()
        assert (end["exit"], end["why"], end["error"]) == (3, "", "") and end["cpu"] > 0
        assert not kernel.manager.is_alive()
        assert kernel.provisioner.ended == end


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
def test_no_server_says_what_to_do(monkeypatch):
    monkeypatch.setenv(servers.ADDRESS, "/no/such/server")
    with pytest.raises(RuntimeError, match="start it again"), fork_kernel():
        pass


@pytest.mark.slow
def test_a_server_of_another_level_is_refused(monkeypatch):
    with servers.start_server("none", preload=()) as server:
        monkeypatch.setenv(servers.ADDRESS, server.address)
        with pytest.raises(RuntimeError, match="gives none"), fork_kernel("rlimits"):
            pass


def notebook():
    cells = [new_code_cell("import torch; print(torch.ones(2).sum())"), new_code_cell("1 + 1")]
    return new_notebook(cells=cells)


def results(nb) -> list[str]:
    return [out.get("text", "") or out["data"]["text/plain"] for c in nb.cells for out in c.outputs]


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["nbclient", "nbconvert", "nbgrader"])
def test_tools_use_it_by_its_name(tool, offered):
    nb = notebook()
    if tool == "nbclient":
        NotebookClient(nb, kernel_name=kernelspecs.NAME).execute()
    else:
        step = {"nbconvert": ExecutePreprocessor, "nbgrader": Execute}[tool]
        step(kernel_name=kernelspecs.NAME).preprocess(nb, {"metadata": {"path": "."}})
    assert results(nb) == ["tensor(2.)\n", "2"]


@pytest.mark.slow
def test_nbval_uses_it_by_its_name(offered, tmp_path):
    nb = notebook()
    NotebookClient(nb, kernel_name=kernelspecs.NAME).execute()
    nbformat.write(nb, tmp_path / "it.ipynb")
    command = ["-m", "pytest", "--nbval", "--nbval-kernel-name", kernelspecs.NAME, "-q", "it.ipynb"]
    ran = subprocess.run([sys.executable, *command], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0 and "2 passed" in ran.stdout, ran.stdout + ran.stderr


@pytest.mark.slow
def test_a_tool_that_ends_takes_its_server_along(offered, tmp_path):
    nbformat.write(notebook(), tmp_path / "it.ipynb")
    code = (
        "import nbformat, json; from nbclient import NotebookClient\n"
        "nb = nbformat.read('it.ipynb', 4)\n"
        f"NotebookClient(nb, kernel_name='{kernelspecs.NAME}').execute()\n"
        "from autograder.engine import servers\n"
        "print(json.dumps([s.process.pid for s in servers._own.values()]))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    (pid,) = json.loads(ran.stdout)
    wait_until(lambda: not Path(f"/proc/{pid}").exists())


@pytest.mark.slow
def test_a_tool_that_is_killed_takes_its_server_along(tmp_path):
    code = (
        "from autograder.engine import servers; import time\n"
        "server = servers.start_server('none', preload=()); print(server.process.pid, flush=True)\n"
        "time.sleep(300)"
    )
    tool = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    pid = int(tool.stdout.readline())
    tool.send_signal(signal.SIGKILL)
    tool.communicate()
    wait_until(lambda: not Path(f"/proc/{pid}").exists())
