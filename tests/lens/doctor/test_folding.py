from pathlib import Path

import torch

from lens.doctor.folding import fold, library_of, plain_traceback
from tests.lens.doctor.programs import SETUP, run

TORCH = str(Path(torch.__file__).parent / "nn" / "linear.py")
FRAME = f"\x1b[36mFile \x1b[39m\x1b[32m{TORCH}:134\x1b[39m, in \x1b[36mLinear.forward\x1b[39m"


def test_runs_of_library_frames_become_one_line(language):
    note = {"en": "… 2 frames in torch\n", "zh": "……（torch 内部 2 层）\n"}[language]
    assert fold(["head", "Cell In[1]", FRAME, FRAME, "Error"]) == [
        "head",
        "Cell In[1]",
        note,
        "Error",
    ]


def test_the_learners_own_files_stay():
    assert library_of("File ~/work/model.py:3, in f") == ""
    assert library_of(FRAME) == "torch"


def test_a_traceback_of_python_is_folded_too():
    error, _ = run(SETUP + "nn.Linear(3, 1)(torch.ones(2))")
    text = "".join(plain_traceback(error, error.__traceback__.tb_next))
    assert "frames in torch" in text and "linear.py" not in text
    assert text.rstrip().endswith(str(error))


def test_chained_errors_are_shown_as_python_shows_them():
    error, _ = run(
        "try:\n    1 / 0\nexcept ZeroDivisionError as first:\n    raise ValueError from first"
    )
    assert "direct cause" in "".join(plain_traceback(error, error.__traceback__))
