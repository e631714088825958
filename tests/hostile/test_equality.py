"""On honest work the gradebook is the one that stock nbgrader fills, question by question.

Stock is nbgrader's own `autograde` with its default steps, in a course of its own without our
configuration. The report: python -m tests.hostile.test_equality
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from authoring.judge import ANSWER_OPTIONS
from authoring.source import read_cells
from autograder.settings import CODE_STUB, TEXT_STUB
from tests.hostile.arena import arena
from tests.hostile.gradebooks import Book, differences, read_book
from tests.hostile.kit import ALL, ASSIGNMENT, ROOT, Attack, Material, find, forged, with_files

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
DUE = datetime(2024, 5, 1, 12)  # UTC
ON_TIME, LATE = "2024-05-01 09:00:00 UTC", "2024-05-03 09:00:00 UTC"
PENALTY = "c.LateSubmissionPlugin.penalty_method = 'zero'\n"
# The stubs are those of the release that learners had: by them nbgrader knows what is untouched.
STOCK = """
c = get_config()
c.CourseDirectory.course_id = "tensor-course"
c.CourseDirectory.db_url = "sqlite:///gradebook.db"
c.ClearSolutions.code_stub = {{"python": {code!r}}}
c.ClearSolutions.text_stub = {text!r}
"""
# Where we mean to differ: a right answer that warns scores 0 in stock nbgrader, which takes what
# is written to stderr for a failure.
INTENDED = {"warns": "a right answer may warn"}
PARTS = {"en": ("right", "half", "wrong-1", "wrong-2", "untouched", "words", "late", "warns"),
         "zh": ("right", "half", "wrong-3", "words")}  # fmt: skip


def in_words(notebook) -> None:
    find(notebook, "in_words").source = "The seed: it is set anew in every call."


def wrong(number: int, language: str) -> dict[str, str]:
    """For each question one of the wrong answers that its author has listed."""
    cells = read_cells(ROOT / "course" / "chapters" / ASSIGNMENT / "answers.py", ANSWER_OPTIONS)
    found: dict[str, list[str]] = {}
    for cell in cells:
        source = cell.sources[language]
        if "wrong" in cell.options and "dlpack" not in source:  # that one ends the process
            found.setdefault(cell.options["wrong"], []).append(source)
    return {name: found[name][number % len(found[name])] for name in ALL}


def submissions(language: str) -> dict[str, Attack]:
    """Student -> what is handed in."""
    warns = "def one_hot(labels, classes):\n    import warnings\n    warnings.warn('slow')\n"
    warns += "    return torch.eye(classes)[labels]"
    writers = {
        "right": forged(right=ALL),
        "half": forged(right=ALL[:4]),
        "untouched": forged(),
        "words": forged(right=ALL[2:5], change=in_words),
        "late": with_files(forged(right=ALL), timestamp__txt=LATE),
        "warns": forged(right=ALL, answers={"one_hot": warns}),
    }
    for number in range(1, 4):
        writers[f"wrong-{number}"] = forged(answers=wrong(number, language))
    return {
        name: Attack(name, "honest", name, with_time(writers[name], name))
        for name in PARTS[language]
    }


def with_time(write, name: str):
    return write if name == "late" else with_files(write, timestamp__txt=ON_TIME)


def set_due(url: str) -> None:
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{before}"  # for its alembic
    try:
        with Gradebook(url) as gradebook:
            gradebook.update_or_create_assignment(ASSIGNMENT, duedate=DUE)
    finally:
        os.environ["PATH"] = before


@dataclass(frozen=True)
class Stock:
    """A course that knows nothing of ours."""

    root: Path

    def nbgrader(self, *arguments: str) -> None:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        mine = ("COURSE_", "AUTOGRADER_", "JUPYTER", "PYTHON", "IPYTHON")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(mine)}
        clean |= {"PATH": path, "HOME": str(self.root), "OMP_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "nbgrader", *arguments]
        done = subprocess.run(command, cwd=self.root, env=clean, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-3000:]


def grade_with_stock(folder: Path, given: Material, chosen: Mapping[str, Attack]) -> Book:
    stock = Stock(folder)
    source = folder / "source" / ASSIGNMENT
    source.mkdir(parents=True)
    stubs = {"code": CODE_STUB[given.language], "text": TEXT_STUB[given.language]}
    (folder / "nbgrader_config.py").write_text(STOCK.format(**stubs) + PENALTY, "utf-8")
    solution = ROOT / "solutions" / given.language / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    (source / solution.name).write_bytes(solution.read_bytes())
    stock.nbgrader("generate_assignment", ASSIGNMENT)
    url = f"sqlite:///{folder / 'gradebook.db'}"
    set_due(url)
    for attack in chosen.values():
        attack.plant(folder / "submitted", given)
    stock.nbgrader("autograde", ASSIGNMENT)
    return read_book(url)


def grade_with_ours(language: str, chosen: Mapping[str, Attack]) -> Book:
    with arena(language) as made:
        with (made.root / "nbgrader_config.py").open("a") as config:
            config.write(PENALTY)
        url = f"sqlite:///{made.root / 'autograder' / 'gradebook.db'}"
        set_due(url)
        made.plant(chosen.values())
        run = made.grade()
        assert run.code == 0, run.err[-3000:]
        return read_book(url)


def compare(language: str, folder: Path) -> tuple[Book, Book]:
    """Both gradebooks, stock's first."""
    from tests.hostile.kit import material

    chosen = submissions(language)
    stock = grade_with_stock(folder / "stock", material(language), chosen)
    return stock, grade_with_ours(language, chosen)


@pytest.fixture(scope="module", params=sorted(PARTS))
def books(request, sandbox, tmp_path_factory):
    return request.param, *compare(request.param, tmp_path_factory.mktemp(request.param))


def test_every_question_has_the_same_scores_comments_and_needs(books):
    _, stock, ours = books
    found = {key: pair for key, pair in differences(stock, ours).items() if key[0] not in INTENDED}
    assert found == {}
    assert {student for student, _ in stock.entries} == {student for student, _ in ours.entries}


def test_totals_and_late_penalties_are_the_same(books):
    _, stock, ours = books
    same = stock.totals.keys() - INTENDED.keys()
    assert {name: stock.totals[name] for name in same} == {name: ours.totals[name] for name in same}


def test_the_class_is_one_in_which_all_kinds_of_scores_occur(books):
    language, stock, _ = books
    scores = {name: score for name, (score, _, _) in stock.totals.items()}
    assert scores["right"] > scores["half"] > 0
    assert any(entry.needs_manual_grade for entry in stock.entries.values())
    if language == "en":
        assert scores["untouched"] == 0 and stock.totals["late"][2] > 0


def test_where_we_differ_we_mean_to(books):
    language, stock, ours = books
    for student in INTENDED.keys() & set(PARTS[language]):
        changed = [key for key in differences(stock, ours) if key[0] == student]
        assert changed == [(student, "test_one_hot")]
        assert ours.entries[changed[0]].auto_score == ours.entries[changed[0]].max_score
        assert stock.entries[changed[0]].auto_score == 0


def report() -> None:
    for language in PARTS:
        with tempfile.TemporaryDirectory() as folder:
            stock, ours = compare(language, Path(folder))
        for student, total in sorted(stock.totals.items()):
            print(f"{language} {student:12} stock {total}  ours {ours.totals[student]}")
        found = differences(stock, ours)
        print(f"{language}: {len(stock.entries)} questions compared, {len(found)} differ")
        for (student, name), pair in found.items():
            why = INTENDED.get(student, "NOT INTENDED")
            print(f"  {student} {name}: {why}\n    stock {pair[0]}\n    ours  {pair[1]}")


if __name__ == "__main__":
    report()
