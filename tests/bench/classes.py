"""An invented class of any size, from a real assignment of the course."""

import json
import shutil
from pathlib import Path

import nbformat

from autograder.classroom import Course, copy_course, nbgrader
from autograder.invented import answer_all, answer_half, answer_nothing, fill_in, read_answers

ASSIGNMENT = "02_creation"
ROOT = Path(__file__).resolve().parents[2]


def answer_wrongly(path: Path, answers: dict[str, str]) -> None:
    """Every function returns its first argument or nothing: the tests run, and fail."""
    wrong = {}
    for name, source in answers.items():
        head = [line for line in source.splitlines() if line.startswith(("def ", "class "))]
        if head:
            wrong[name] = f"{head[0]}\n    return None"
    fill_in(path, wrong)


# Of ten learners, four are right, three half way, two wrong, and one hands in the stubs.
KINDS = [answer_all, answer_half, answer_wrongly, answer_all, answer_half] * 2
KINDS[7] = answer_nothing


def make_class(root: Path, size: int) -> tuple[Course, list[str]]:
    """A scratch course whose assignment is in the gradebook, with `size` submissions in place."""
    course = copy_course(root, ASSIGNMENT)
    nbgrader(course, "generate_assignment", ASSIGNMENT)
    released = ROOT / "exercises" / course.language / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    answers = read_answers(course.solution)
    students = [f"student{number:04}" for number in range(size)]
    for number, student in enumerate(students):
        path = course.submitted(student)
        path.parent.mkdir(parents=True)
        shutil.copy(released, path)
        KINDS[number % len(KINDS)](path, answers)
        mark(path, student)
    return course, students


def mark(path: Path, student: str) -> None:
    """No two learners hand in the same bytes: nobody may grade one for all."""
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(f"# {student}"))
    path.write_text(json.dumps(notebook), encoding="utf-8")
