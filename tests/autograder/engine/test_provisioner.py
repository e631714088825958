"""Forked kernels through jupyter_client: start, interrupt, restart, limits, and the tools on it."""

import json
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
from autograder.limits import Limits
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
