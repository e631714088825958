import json
from pathlib import Path

import matplotlib
import pytest

from tests.lens.doctor.right_programs import programs
from tests.lens.doctor.watched import run_and_error

ROOT = Path(__file__).parents[3]
PROGRAMS = programs()
LESSONS = sorted(ROOT.glob("course/*/[0-9]*.ipynb"))
ANSWERS = sorted(ROOT.glob("solutions/*/[0-9]*/*.ipynb"))


@pytest.mark.parametrize("title", PROGRAMS)
def test_nothing_is_said_of_a_right_program(title):
    findings, error = run_and_error(PROGRAMS[title])
    assert error is None and findings == []


@pytest.mark.slow
@pytest.mark.parametrize("path", LESSONS + ANSWERS, ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_is_said_of_the_lessons_and_reference_answers(path):
    matplotlib.use("Agg")
    names = {"__name__": "__main__"}
    told = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code" or "quiz" in cell["metadata"].get("tags", []):
            continue
        findings, error = run_and_error("".join(cell["source"]), names)
        told += findings
        expected = "raises-exception" in cell["metadata"].get("tags", [])
        assert expected or error is None
    assert told == []
