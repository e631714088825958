"""A tiny course in this process, and submissions as the engine hands them back."""

import copy
import json
from collections.abc import Mapping
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook

from autograder.assignment import Assignment, load_assignment
from autograder.course import open_converter
from autograder.engine.reasons import error_output
from autograder.gradebook import ClassGradebook
from autograder.registration import register
from tests.autograder.conftest import TinyCourse


def ran(assignment: Assignment, failed: tuple[str, ...] = (), name: str = "tiny") -> dict:
    """A notebook of the assignment after it ran; the named tests failed."""
    notebook = copy.deepcopy(assignment.notebooks[name])
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count = 1
            if cell.metadata.get("nbgrader", {}).get("grade_id") in failed:
                cell.outputs = [error_output("CellNotRun")]
    return json.loads(json.dumps(notebook))


def open_book(course: TinyCourse, monkeypatch, **settings) -> ClassGradebook:
    """The course's gradebook, with the tiny assignment in it."""
    monkeypatch.chdir(course.root)
    converter = open_converter(course.root)
    for name, value in settings.items():
        setattr(converter, name, value)
    assignment = load_assignment(course.root / "solutions" / "en" / "tiny", "en")
    book = ClassGradebook(converter, assignment)
    register(converter, book.ledger, assignment)
    return book


def gradebook(course: TinyCourse) -> Gradebook:
    """nbgrader's own, on the same file."""
    return Gradebook(f"sqlite:///{course.root / 'autograder' / 'gradebook.db'}")


def grades(course: TinyCourse, student: str) -> dict[str, tuple]:
    """Grade id -> automatic, manual score and whether a person must grade."""
    with gradebook(course) as book:
        submission = book.find_submission("tiny", student)
        return {
            grade.name: (grade.auto_score, grade.manual_score, grade.needs_manual_grade)
            for notebook in submission.notebooks
            for grade in notebook.grades
        }


def graded_files(course: TinyCourse, student: str) -> Mapping[str, Path]:
    folder = course.root / "autograder" / "autograded" / student / "tiny"
    return {path.name: path for path in folder.iterdir()}


def change_solution(course: TinyCourse, change) -> None:
    """Change the instructor's notebook."""
    path = course.root / "solutions" / "en" / "tiny" / "tiny.ipynb"
    notebook = nbformat.read(path, as_version=4)
    change(notebook)
    nbformat.write(notebook, path)
