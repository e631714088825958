"""A forked kernel differs from an ordinary one by its speed: the same cells, the same outputs."""

import json
import re
from functools import cache

import pytest
from jupyter_client.manager import AsyncKernelManager
from jupyter_core.utils import run_sync
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from autograder.engine.kernelspecs import NAME, ForkKernelSpecs, fork_kernel_spec
from autograder.limits import MIB, Limits
from tests.autograder.engine.conformance import CELLS, SEEDS
from tests.autograder.engine.forkkit import environment, require

ORDINARY = "an ordinary kernel"
FORKED = ("none", "namespaces")
LOOSE = Limits(cell_cpu=600, cell_wall=600, cpu=600, wall=600, cell_output=8 * MIB)
DIFFERENT = (  # what differs between two ordinary kernels
    (r"0x[0-9a-f]{6,}", "<address>"),
    (r"ipykernel_\d+", "ipykernel_<pid>"),
    (r"\(\d+ times\)", "(<n> times)"),
    (r"__compiled_fn_\w+", "<compiled>"),
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    return tmp_path_factory.mktemp("conformance")


@pytest.fixture(scope="module")
def run(folders):
    """What each cell showed: by kind of kernel, once each."""

    @cache
    def run_in(kind: str) -> dict[str, str]:
        if kind != ORDINARY:
            require(kind)
        folder = folders / kind.replace(" ", "-")
        folder.mkdir()
        cells = {f"random: {name}": code for name, code in SEEDS.items()} | CELLS
        notebook = new_notebook(cells=[new_code_cell(code) for code in cells.values()])
        execute(notebook, kind, str(folder))
        shown = [show(cell.outputs, str(folder)) for cell in notebook.cells]
        return dict(zip(cells, shown, strict=True))

    return run_in


def execute(notebook, kind: str, folder: str) -> None:
    if kind == ORDINARY:
        manager = AsyncKernelManager(kernel_name="python3")
    else:
        spec = fork_kernel_spec(kind, None if kind == "none" else LOOSE)
        specs = ForkKernelSpecs(spec=spec)
        manager = AsyncKernelManager(kernel_name=NAME, kernel_spec_manager=specs)
    client = NotebookClient(notebook, km=manager, allow_errors=True, timeout=300)
    try:
        client.execute(cwd=folder, env=environment() | {"OMP_NUM_THREADS": "1"})
    finally:
        run_sync(manager.shutdown_kernel)(now=True)


def show(outputs: list, folder: str) -> str:
    """The outputs as text, without what differs between two ordinary kernels."""
    merged: list = []
    for output in outputs:  # where a stream is cut is a matter of time
        last = merged[-1] if merged else {}
        if output.output_type == "stream" == last.get("output_type") and last.name == output.name:
            last.text += output.text
        else:
            merged.append(output)
        if output.get("ename") == "RecursionError":  # hundreds of kilobytes, and cut where capped
            output.traceback = ["\n".join(output.traceback)[:1000]]
    text = json.dumps(merged, sort_keys=True, ensure_ascii=False)
    for place in (folder, "/home/student"):
        text = text.replace(place, "<folder>")
    for pattern, name in DIFFERENT:
        text = re.sub(pattern, name, text)
    return text


@pytest.mark.slow
@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("level", FORKED)
def test_a_forked_kernel_shows_what_an_ordinary_one_shows(run, level, cell):
    assert run(level)[cell] == run(ORDINARY)[cell]


@pytest.mark.slow
@pytest.mark.parametrize("name", SEEDS)
@pytest.mark.parametrize("level", FORKED)
def test_a_forked_kernel_draws_anew_what_an_ordinary_one_draws_anew(run, level, name):
    assert run(level)[f"random: {name}"] != run(ORDINARY)[f"random: {name}"]


@pytest.mark.slow
@pytest.mark.parametrize("name", SEEDS)
def test_two_forked_kernels_draw_differently(run, name):
    assert run("none")[f"random: {name}"] != run("namespaces")[f"random: {name}"]


@pytest.mark.slow
def test_figures_are_there(run):
    for cell in ("figure", "figure shown", "figure as a value"):
        assert '"image/png"' in run("none")[cell]
