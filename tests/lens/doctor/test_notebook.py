"""The doctor in a real kernel: what a learner sees under an error."""

import re

import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from lens.doctor import notebook

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
FAILS = "torch.ones(2, 3) @ torch.ones(4, 3)"
NESTED = "net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(5, 1))"
ENGLISH = "import torch, lens.en as lens\n%load_ext lens.doctor"


def outputs(*sources):
    """The error text of each cell, "" where there is none, without colours."""
    nb = new_notebook(cells=[new_code_cell(source) for source in sources])
    NotebookClient(nb, allow_errors=True, timeout=120).execute()
    errors = [[o for o in cell.outputs if o.output_type == "error"] for cell in nb.cells]
    text = ["\n".join(line for o in found for line in o.traceback) for found in errors]
    return [re.sub(r"\x1b\[[0-9;]*m", "", each) for each in text]


@pytest.mark.slow
def test_an_error_is_explained_under_its_traceback_and_nothing_stays_after_unload():
    (_, shown, nested, other, syntax, outcome, _, after) = outputs(
        ENGLISH,
        FAILS,
        f"{NESTED}\nnet(torch.ones(2, 3))",
        "missing",
        "def f(:",
        "raise lens.CheckFailed('✗ not passed')",
        "%unload_ext lens.doctor\nassert get_ipython().custom_exceptions == ()",
        FAILS,
    )
    assert "RuntimeError: mat1 and mat2" in shown and "Tensor doctor" in shown
    assert "torch.ones(2, 3) @ torch.ones(4, 3).T" in shown
    assert "frames in torch" in nested and "site-packages" not in nested
    assert "Layer: net[1]: Linear(in_features=5" in nested
    assert "NameError" in other and "Tensor doctor" not in other
    assert "SyntaxError" in syntax
    assert outcome == "✗ not passed"
    assert "RuntimeError" in after and "Tensor doctor" not in after


@pytest.mark.slow
def test_the_explanation_speaks_the_language_of_the_notebook():
    shown = outputs(
        "import torch, lens.zh as lens\n%load_ext lens.doctor",
        FAILS,
    )[-1]
    assert "张量诊断" in shown and "原因：" in shown and "Cause" not in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        "diagnosis.explain = broken",
        "diagnosis.recognise = broken",
        "diagnosis.scene_of = broken",
        "folding.fold = broken",
        "notebook.render = broken",
        "notebook.explained = broken",
    ],
)
def test_an_error_inside_the_doctor_never_hides_the_users_error(fault):
    broken = "def broken(*args, **named):\n    raise SystemError('inside the doctor')"
    imports = "from lens.doctor import diagnosis, folding, notebook"
    setup = "\n".join([ENGLISH, imports, broken, fault])
    shown = outputs(setup, FAILS, FAILS)
    for text in shown[1:]:
        assert "RuntimeError: mat1 and mat2" in text and "inside the doctor" not in text


def test_outside_ipython_enabling_does_nothing():
    notebook.enable()
    notebook.disable()


def test_an_error_keeps_no_trace_of_having_been_shown():
    class Shell:
        class InteractiveTB:
            structured_traceback = staticmethod(lambda *args, **named: ["usual"])

        def showtraceback(self, exc, tb_offset=None):
            self.shown = exc[1]._render_traceback_()

    error = ValueError("only one element tensors can be converted to Python scalars")
    shell = Shell()
    notebook.show(shell, ValueError, error, None)
    assert shell.shown[0] == "usual"
    assert not hasattr(error, "_render_traceback_")
