"""Notebooks that behave and notebooks that do not, each in kernels of its own."""

import gc
import json
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import nbformat
import pytest

from autograder.engine import run as engine
from autograder.engine.channels import QuickManager
from autograder.engine.run import EngineFault, run_notebook
from autograder.limits import Limits
from tests.autograder.engine.runkit import SMALL, notebook_of, run, shown, test_cell

pytestmark = pytest.mark.slow
ORDINARY = "python3"
forked = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="kernels fork on Linux")
both_kernels = pytest.mark.parametrize("kernel", [pytest.param(None, marks=forked), ORDINARY])


@both_kernels
def test_a_notebook_comes_back_with_its_outputs(kernel):
    ran = run("x = 2; print(x)", "x + 1", "1 / 0", "", kernel=kernel)
    assert ran.ends == ("", "ok", "ok", "error", "not_run")
    assert [shown(ran, index) for index in (1, 2)] == ["2\n", "3"]
    assert shown(ran, 3).startswith("ZeroDivisionError") and shown(ran, 4) == ""
    assert [cell.get("execution_count") for cell in ran.notebook.cells] == [None, 1, 2, 3, None]
    assert not ran.signs and ran.cpu >= 0
    nbformat.validate(ran.notebook)


@both_kernels
def test_a_cell_that_ends_its_process_costs_only_itself(kernel):
    ran = run("x = 2", "import os; os._exit(1)", "x", kernel=kernel)
    assert ran.ends == ("", "ok", "died", "ok") and not ran.signs
    assert "ended the Python process" in shown(ran, 2) and shown(ran, 3) == "2"


@both_kernels
def test_a_cell_that_never_ends_costs_only_itself(kernel):
    ran = run("x = 2", "print('begun', flush=True)\nwhile True: pass", "x", kernel=kernel)
    assert ran.ends == ("", "ok", "timeout", "ok") and not ran.signs
    assert shown(ran, 2).startswith("begun\n") and "loop that never ends" in shown(ran, 2)


@both_kernels
def test_code_that_waits_without_working_is_stopped_by_the_wall_limit(kernel):
    limits = Limits(cell_cpu=30, cell_wall=1.5)
    ran = run("import time; time.sleep(1000)", "2", limits=limits, kernel=kernel)
    assert ran.ends == ("", "timeout", "ok")


@both_kernels
def test_companion_files_lie_in_the_working_folder_of_every_kernel(kernel):
    cells = (
        "import os; old = os.path.exists('new'); open('new', 'w').close()",
        "print(open('a/b.txt').read())",
        "os._exit(0)",
        "print(old, open('a/b.txt').read())",
    )
    ran = run(*cells, files={"a/b.txt": b"hello"}, kernel=kernel)
    assert [shown(ran, index) for index in (2, 4)] == ["hello\n", "False hello\n"]


def test_a_companion_file_outside_the_folder_is_a_fault_of_the_engine():
    with pytest.raises(EngineFault, match="relative path"):
        run("1", files={"../a": b""}, kernel=ORDINARY)


def test_the_class_reads_in_its_language(monkeypatch):
    monkeypatch.setenv("COURSE_LANGUAGE", "zh")
    assert "Python 进程退出" in shown(run("import os; os._exit(1)"), 1)


def test_the_notebook_given_stays_as_it_was():
    notebook = notebook_of("print(1)", "import os; os._exit(0)")
    before = json.dumps(notebook)
    run_notebook(notebook, {}, SMALL, "none")
    assert json.dumps(notebook) == before


def test_tags_and_old_outputs_of_a_cell_mean_nothing():
    notebook = notebook_of("1")
    notebook.cells[1].metadata["tags"] = ["skip-execution"]
    notebook.cells[1].outputs = [{"output_type": "stream", "name": "stdout", "text": "old"}]
    ran = run_notebook(notebook, {}, SMALL, "none")
    assert ran.ends == ("", "ok") and shown(ran, 1) == "1"


# What a cell does -> how the cells end: it, and one after it that shows 2.
TROUBLE = {
    "exit()": ("died", "ok"),
    "quit": ("died", "ok"),
    "raise SystemExit": ("error", "ok"),
    "import sys; sys.exit(3)": ("error", "ok"),
    "input()": ("error", "ok"),
    "import ctypes; ctypes.string_at(0)": ("died", "ok"),
    "import os, signal; os.kill(os.getpid(), signal.SIGKILL)": ("died", "ok"),
    "%autoawait\nimport asyncio\nawait asyncio.sleep(0.01)": ("ok", "ok"),
    "%autoawait off": ("ok", "ok"),
    "import sys; sys.stdout.close()": ("ok", "ok"),
    "def (": ("error", "ok"),
    "%no_such_magic": ("error", "ok"),
    "# nothing": ("ok", "ok"),
    "10 ** 10 ** 8": ("timeout", "ok"),
    "import subprocess; subprocess.Popen(['sleep', '1000']); None": ("ok", "ok"),
    "get_ipython().kernel._aborting = True": ("ok", "not_run"),
    "from IPython.display import *; display(Javascript('alert()'))": ("ok", "ok"),
}


@pytest.mark.parametrize("source", TROUBLE)
def test_whatever_a_cell_does_the_next_one_runs(source):
    ran = run(source, "2")
    assert ran.ends[1:] == TROUBLE[source], shown(ran, 1)
    assert not ran.signs
    assert TROUBLE[source][1] != "ok" or shown(ran, 2) == "2"


@pytest.mark.parametrize(
    "closed", ["kernel.iopub_thread.socket", "kernel.shell_stream", "kernel.shell_stream.socket"]
)
def test_a_cell_that_cuts_the_connection_costs_only_itself(closed):
    ran = run(f"get_ipython().{closed}.close()", "2", limits=Limits(cell_wall=60))
    assert ran.ends == ("", "died", "ok") and "cut the connection" in shown(ran, 1)


def test_a_timer_that_ends_the_kernel_takes_no_verdict_that_was_earned():
    timer = "import os, threading, time; threading.Timer(0.5, os._exit, [0]).start()"
    ran = run(timer, test_cell("'earned'"), "time.sleep(2)", test_cell("'later'"))
    assert ran.ends == ("", "ok", "ok", "died", "ok")
    assert shown(ran, 2) == "'earned'" and shown(ran, 4) == "'later'"


def test_a_cell_that_only_ends_the_second_kernel_keeps_what_it_earned():
    # Nothing is left of the first kernel; only the clock can tell the second one that it is one.
    late = time.time() + 20
    first = f"import time, os\nif time.time() > {late}: os._exit(0)\n'first'"
    slow = f"time.sleep(max(0, {late} + 0.5 - time.time())); os._exit(0)"
    ran = run(first, slow, "3", limits=Limits(cell_wall=60))
    assert ran.ends == ("", "ok", "died", "ok") and shown(ran, 1) == "'first'"


def test_what_loops_for_ever_leaves_something_for_what_does_not():
    limits = Limits(cell_cpu=4, cpu=10, cell_wall=100, wall=200)
    ran = run(*["while True: pass", "1"] * 3, limits=limits)
    assert ran.ends == ("", *("timeout", "ok") * 3)
    assert 4 < ran.cpu < limits.cpu + 2


def test_where_the_limits_are_used_up_the_rest_is_not_run_and_says_so():
    ran = run("import time; time.sleep(100)", "2", limits=Limits(cell_wall=60, wall=1.5))
    assert ran.ends == ("", "timeout", "not_run")
    assert "was not run" in shown(ran, 2)


def test_a_kernel_that_cannot_start_is_a_fault_of_the_engine(monkeypatch):
    async def fail(*args, **kwargs):
        raise OSError("no more processes")

    monkeypatch.setattr(QuickManager, "start_kernel", fail)
    with pytest.raises(EngineFault, match="no more processes"):
        run("1")


def test_a_kernel_that_dies_before_any_cell_is_a_fault_of_the_engine(monkeypatch):
    start = QuickManager.start_kernel

    async def start_and_kill(self, **options):
        await start(self, **options)
        await self.provisioner.kill()

    monkeypatch.setattr(QuickManager, "start_kernel", start_and_kill)
    with pytest.raises(EngineFault, match="answers"):
        run("1")


@forked
def test_a_kernel_that_nobody_stops_is_a_fault_of_the_engine(monkeypatch):
    from autograder.engine.provisioner import ForkProvisioner

    async def forget(self, cpu, wall):
        pass

    monkeypatch.setattr(ForkProvisioner, "budget", forget)
    monkeypatch.setattr(ForkProvisioner, "_limits", lambda self: {})
    monkeypatch.setattr(engine, "SLACK", 0)
    with pytest.raises(EngineFault, match="to be stopped"):
        run("while True: pass", limits=Limits(wall=2))


def test_ctrl_c_is_no_dead_kernel():
    interrupt = threading.Timer(3, os.kill, [os.getpid(), signal.SIGINT])
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        run("import time; time.sleep(50)", limits=Limits(), kernel=ORDINARY)
    interrupt.join()


def open_things():
    """Descriptors, threads and files for temporary things that this process has."""
    gc.collect()
    descriptors = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    folders = [path.name for path in Path(tempfile.gettempdir()).glob("grading-*")]
    runtime = len(list(Path(os.environ.get("JUPYTER_RUNTIME_DIR", "/none")).glob("*")))
    return descriptors, threading.active_count(), folders, runtime


@pytest.mark.parametrize(("kernel", "times"), [pytest.param(None, 30, marks=forked), (ORDINARY, 3)])
def test_runs_leave_nothing_open(kernel, times, tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    run("1", "import os; os._exit(0)", kernel=kernel)
    before = open_things()
    for _ in range(times):
        run("1", "import os; os._exit(0)", kernel=kernel)
    assert open_things() == before
