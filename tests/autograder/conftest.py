"""A tiny assignment, and a course in a scratch folder that grades it with nbgrader's commands."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.classroom import copy_code

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


def graded_cell(source: str, grade_id: str, **metadata):
    """A cell with nbgrader's metadata."""
    cell = new_code_cell(source)
    plain = {"schema_version": 3, "locked": False, "grade": False, "solution": False, "task": False}
    cell.metadata["nbgrader"] = {**plain, "grade_id": grade_id, **metadata}
    return cell


def tiny_solution():
    """Two questions: `double` for 1 point, `triple` for 2."""
    cells = [new_markdown_cell("# Tiny: $2x$ and $3x$"), new_code_cell("import os, warnings")]
    for name, factor in (("double", 2), ("triple", 3)):
        answer = f"def {name}(x):\n    {BEGIN}\n    return {factor} * x\n    {END}"
        test = f"assert {name}(5) == {factor * 5}"
        cells.append(graded_cell(answer, name, solution=True))
        cells.append(graded_cell(test, f"test_{name}", grade=True, locked=True, points=factor - 1))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def tiny_submission(double="return 2 * x", triple="return 3 * x"):
    """The tiny notebook as a learner hands it in; each answer is the body of its function."""
    notebook = tiny_solution()
    bodies = {"double": double, "triple": triple}
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if name in bodies:
            cell.source = f"def {name}(x):\n    {bodies[name]}"
    return notebook


@dataclass(frozen=True)
class TinyCourse:
    """A copy of the grading code and its configuration, with the tiny assignment."""

    root: Path

    def nbgrader(self, *arguments, cwd=None, **environment):
        """Run an nbgrader command as a person in this course would."""
        return self.run("nbgrader", *arguments, cwd=cwd, **environment)

    def autograder(self, *arguments, **environment):
        """Run a grading command in the same way."""
        return self.run("autograder", *arguments, **environment)

    def run(self, module, *arguments, cwd=None, **environment):
        mine = ("COURSE_", "AUTOGRADER_", "JUPYTER", "PYTHON")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(mine)}
        clean["HOME"] = str(self.root / "home")
        return subprocess.run(
            [sys.executable, "-m", module, *arguments],
            cwd=cwd or self.root,
            env={**clean, **environment},
            text=True,
            capture_output=True,
        )

    def submit(self, student: str, notebook) -> None:
        """Put a submission where `nbgrader collect` puts it: a notebook, or text that is none."""
        folder = self.root / "autograder" / "submitted" / student / "tiny"
        folder.mkdir(parents=True)
        text = notebook if isinstance(notebook, str) else json.dumps(notebook)
        (folder / "tiny.ipynb").write_text(text)

    def scores(self, student: str) -> dict[str, float | None]:
        """The gradebook's automatic score of each question."""
        from nbgrader.api import Gradebook

        with Gradebook(f"sqlite:///{self.root / 'autograder' / 'gradebook.db'}") as gradebook:
            submission = gradebook.find_submission("tiny", student)
            grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
            return {grade.name: grade.auto_score for grade in grades}

    def outputs(self, student: str, grade_id: str) -> list:
        """What a cell of the graded notebook shows."""
        path = self.root / "autograder" / "autograded" / student / "tiny" / "tiny.ipynb"
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id:
                return cell.outputs
        raise LookupError(f"{path}: expected a cell {grade_id!r}, found none")


def make_tiny_course(root: Path) -> TinyCourse:
    copy_code(root)
    for language in ("en", "zh"):
        folder = root / "solutions" / language / "tiny"
        folder.mkdir(parents=True)
        nbformat.write(tiny_solution(), folder / "tiny.ipynb")
    (root / "home").mkdir()
    return TinyCourse(root)


@pytest.fixture(scope="module")
def tiny_course(tmp_path_factory):
    """A new course for each file of tests."""
    return make_tiny_course(tmp_path_factory.mktemp("tiny") / "course")


@pytest.fixture(scope="session")
def known_course(tmp_path_factory):
    """A tiny course whose gradebook knows its assignment; see `course`."""
    from tests.autograder.gradekit import open_book

    made = make_tiny_course(tmp_path_factory.mktemp("known") / "course")
    with pytest.MonkeyPatch.context() as patch:
        open_book(made, patch).ledger.shut()
    return made


@pytest.fixture
def course(tmp_path, known_course):
    """A course of the test's own, whose gradebook knows its assignment."""
    shutil.copytree(known_course.root, tmp_path / "course")
    return TinyCourse(tmp_path / "course")
