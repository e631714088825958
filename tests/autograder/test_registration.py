"""The gradebook is told of an assignment that it does not know as it is."""

import pytest

from autograder.assignment import load_assignment
from autograder.ledger import GradebookError
from autograder.registration import describe, register
from tests.autograder.conftest import graded_cell, make_tiny_course
from tests.autograder.gradekit import change_solution, gradebook, open_book, ran


@pytest.fixture
def book(course, monkeypatch):
    with open_book(course, monkeypatch) as opened:
        yield opened


def again(course, book):
    changed = load_assignment(course.root / "solutions" / "en" / "tiny", "en")
    return register(book.converter, book.ledger, changed)


def max_scores(course):
    with gradebook(course) as own:
        cells = own.find_notebook("tiny", "tiny").grade_cells
        return {cell.name: cell.max_score for cell in cells}


def test_an_unknown_assignment_is_recorded(course, book):
    assert max_scores(course) == {"test_double": 1.0, "test_triple": 2.0}


def test_it_records_what_generating_the_assignment_records(course, book, tmp_path):
    other = make_tiny_course(tmp_path / "other")
    assert other.nbgrader("generate_assignment", "tiny").returncode == 0

    def cells(of):
        with gradebook(of) as own:
            found = own.find_notebook("tiny", "tiny").source_cells
            return {cell.name: (cell.source, cell.checksum, cell.locked) for cell in found}

    assert cells(course) == cells(other)


def test_what_is_known_as_it_is_is_left_alone(course, book):
    assert again(course, book) == []


def set_points(notebook):
    notebook.cells[3].metadata["nbgrader"]["points"] = 5


def add_question(notebook):
    notebook.cells.append(graded_cell("assert True", "test_more", grade=True, points=1))


@pytest.mark.parametrize("with_submission", [False, True])
def test_other_points_are_recorded(course, book, with_submission):
    if with_submission:
        book.save("ada", {"tiny": ran(book.assignment)}, None)
    change_solution(course, set_points)
    assert again(course, book) == ["tiny"]
    assert max_scores(course)["test_double"] == 5.0
    assert again(course, book) == []


def test_another_question_is_recorded_while_nobody_has_submitted(course, book):
    change_solution(course, add_question)
    assert again(course, book) == ["tiny"]
    assert max_scores(course)["test_more"] == 1.0


def test_another_question_after_submissions_is_refused_with_the_command_to_start_anew(course, book):
    book.save("ada", {"tiny": ran(book.assignment)}, None)
    change_solution(course, add_question)
    with pytest.raises(GradebookError, match="nbgrader db assignment remove tiny --force"):
        again(course, book)


def test_a_notebook_that_is_gone_is_taken_out_while_nobody_has_submitted(course, book):
    with gradebook(course) as own:
        own.add_notebook("old", "tiny")
    assert again(course, book) == ["old"]


def test_what_was_recorded_is_told_in_one_line():
    assert describe([]) == ""
    assert "a, b" in describe(["a", "b"])
