import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.utils import determine_grade

from .notebook import STUB, answer

pytestmark = pytest.mark.slow

TEST = "f = lens.attempt('f')\ny = f(torch.ones(3))\nlens.expect_close(y, 2 * torch.ones(3))"
CELLS = [
    STUB,
    answer("return x.view(2, 2)"),
    answer("return x"),
    answer("return 2 * x"),
    "%%time\n" + STUB.lstrip(),
]
WORDS = {
    "en": ["○ f: not attempted.", "⚠ f: raised an error.", "✗ f: failed."],
    "zh": ["○ f：未作答。", "⚠ f：运行出错。", "✗ f：未通过。"],
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_kernel_shows_the_message_and_no_traceback(language):
    sources = [f"import torch, lens.{language} as lens"]
    for source in CELLS:
        sources += [source, TEST]
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    NotebookClient(notebook, timeout=120, allow_errors=True).execute()
    nbformat.validate(notebook)
    stub, raised, failed, passed, magic = notebook.cells[2::2]
    names = ["NotAttempted", "AnswerRaised", "CheckFailed", "NotAttempted"]
    words = [*WORDS[language], WORDS[language][0]]
    for cell, name, word in zip([stub, raised, failed, magic], names, words, strict=True):
        (error,) = cell.outputs
        text = "\n".join(error.traceback)
        assert error.ename == name
        assert text == error.evalue  # the whole message, plain, and nothing else
        assert text.startswith(word)
        assert "Traceback" not in text and "\x1b" not in text and 'File "' not in text
        cell.metadata.nbgrader = {"grade": True, "points": 2, "solution": False, "locked": True}
        assert determine_grade(cell) == (0, 2)
    assert not passed.outputs
    assert "`return x.view(2, 2)`" in raised.outputs[0].evalue
