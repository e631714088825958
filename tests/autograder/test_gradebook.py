"""What is written of a submission, and that it is written whole or not at all."""

import os
import sqlite3
import stat
import threading
from datetime import UTC, datetime, timedelta

import nbformat
import pytest
from nbgrader.preprocessors import NbGraderPreprocessor, SaveAutoGrades
from sqlalchemy.exc import OperationalError

from autograder import ledger
from autograder.ledger import GradebookError
from tests.autograder.gradekit import gradebook, graded_files, grades, open_book, ran

NOON = datetime(2031, 5, 4, 12, 0, tzinfo=UTC)


@pytest.fixture
def book(course, monkeypatch):
    with open_book(course, monkeypatch) as opened:
        yield opened


def test_the_scores_are_those_of_the_tests(course, book):
    book.save("ada", {"tiny": ran(book.assignment)}, NOON)
    book.save("bo", {"tiny": ran(book.assignment, failed=("test_triple",))}, NOON)
    assert grades(course, "ada") == {
        "test_double": (1.0, None, False),
        "test_triple": (2.0, None, False),
    }
    assert grades(course, "bo")["test_triple"] == (0.0, None, False)


def test_the_scores_are_those_that_nbgraders_own_step_gives(course, book):
    notebook = ran(book.assignment, failed=("test_double",))
    book.save("ada", {"tiny": notebook}, NOON)
    book.save("bo", {}, NOON)
    about = {"notebook": "tiny", "assignment": "tiny", "student": "bo"}
    about["db_url"] = book.coursedir.db_url
    SaveAutoGrades().preprocess(nbformat.from_dict(notebook), {"nbgrader": about})
    assert grades(course, "bo") == grades(course, "ada")


def test_points_and_comments_by_hand_stay_and_are_to_be_looked_at_again(course, book):
    book.save("ada", {"tiny": ran(book.assignment)}, NOON)
    with gradebook(course) as own:
        own.find_grade("test_double", "tiny", "tiny", "ada").manual_score = 0.25
        own.find_comment("double", "tiny", "tiny", "ada").manual_comment = "nice"
        own.db.commit()
    book.save("ada", {"tiny": ran(book.assignment, failed=("test_double",))}, NOON)
    assert grades(course, "ada")["test_double"] == (0.0, 0.25, True)
    with gradebook(course) as own:
        assert own.find_comment("double", "tiny", "tiny", "ada").comment == "nice"


def test_a_flagged_submission_waits_for_a_person(course, book):
    notebook = {"tiny": ran(book.assignment, failed=("test_double",))}
    book.save("ada", notebook, NOON, flagged=True)
    assert grades(course, "ada") == {
        "test_double": (0.0, None, False),
        "test_triple": (2.0, None, True),
    }


def test_a_missing_notebook_gives_no_points(course, book):
    book.save("ada", {}, NOON)
    assert set(grades(course, "ada").values()) == {(0.0, None, False)}


def test_a_rejected_submission_keeps_nothing_of_the_one_before(course, book):
    book.save("ada", {"tiny": ran(book.assignment)}, NOON)
    book.reject("ada", NOON)
    assert set(grades(course, "ada").values()) == {(0.0, None, False)}
    assert not book.graded_folder("ada").exists()


def test_the_folder_holds_notebook_companions_and_the_time(course, monkeypatch):
    data = course.root / "solutions" / "en" / "tiny" / "data"
    data.mkdir()
    (data / "x.csv").write_bytes(b"1,2\n")
    with open_book(course, monkeypatch) as book:
        book.save("ada", {"tiny": ran(book.assignment)}, NOON)
    files = graded_files(course, "ada")
    assert set(files) == {"tiny.ipynb", "timestamp.txt", "data"}
    assert (files["data"] / "x.csv").read_bytes() == b"1,2\n"
    assert files["timestamp.txt"].read_text() == "2031-05-04 12:00:00.000000 UTC"
    nbformat.validate(nbformat.read(files["tiny.ipynb"], as_version=4))
    assert stat.S_IMODE(files["tiny.ipynb"].stat().st_mode) == 0o444


def test_the_folder_is_replaced_as_a_whole(course, book):
    for _ in range(2):
        book.save("ada", {"tiny": ran(book.assignment)}, NOON)
        (book.graded_folder("ada") / "left").touch()
    book.save("ada", {"tiny": ran(book.assignment)}, NOON)
    assert set(graded_files(course, "ada")) == {"tiny.ipynb", "timestamp.txt"}
    assert os.listdir(book.graded_folder("ada").parent) == ["tiny"]


def late(course, book, **penalty):
    with gradebook(course) as own:
        own.update_or_create_assignment("tiny", duedate=NOON.replace(tzinfo=None))
    book.converter.config.LateSubmissionPlugin.update(penalty)


def penalty_of(course, student):
    with gradebook(course) as own:
        return own.find_submission("tiny", student).late_submission_penalty


def test_a_late_submission_gets_the_penalty_that_is_configured(course, book):
    late(course, book, penalty_method="zero")
    book.save("ada", {"tiny": ran(book.assignment)}, NOON + timedelta(seconds=5))
    book.save("bo", {"tiny": ran(book.assignment)}, NOON)
    assert (penalty_of(course, "ada"), penalty_of(course, "bo")) == (3.0, 0.0)


def test_the_penalty_of_a_graded_submission_follows_its_time(course, book):
    late(course, book, penalty_method="zero")
    book.save("ada", {"tiny": ran(book.assignment)}, NOON)
    book.renew_penalties("ada", NOON + timedelta(hours=1))
    assert penalty_of(course, "ada") == 3.0
    assert grades(course, "ada")["test_triple"] == (2.0, None, False)


def test_students_are_added_unless_the_settings_forbid_it(course, monkeypatch):
    with open_book(course, monkeypatch, create_student=False) as book:
        with pytest.raises(GradebookError, match="nbgrader db student add ada"):
            book.save("ada", {"tiny": ran(book.assignment)}, NOON)
        book.ledger.add_student("bo")
        book.save("bo", {"tiny": ran(book.assignment)}, NOON)
    assert grades(course, "bo")["test_double"][0] == 1.0


class FailsAtTheEnd(NbGraderPreprocessor):
    """A step that comes after the scores."""

    def preprocess(self, nb, resources):
        raise RuntimeError("half way")


def test_a_step_that_fails_leaves_the_scores_and_files_of_before(course, book):
    book.save("ada", {"tiny": ran(book.assignment)}, NOON)
    before = graded_files(course, "ada")["tiny.ipynb"].read_bytes()
    book.steps.append(FailsAtTheEnd(parent=book.converter))
    with pytest.raises(RuntimeError, match="half way"):
        book.save("ada", {"tiny": ran(book.assignment, failed=("test_double",))}, NOON)
    book.steps.pop()
    assert grades(course, "ada")["test_double"] == (1.0, None, False)
    assert graded_files(course, "ada")["tiny.ipynb"].read_bytes() == before
    book.save("bo", {"tiny": ran(book.assignment)}, NOON)
    assert grades(course, "bo")["test_double"][0] == 1.0


@pytest.fixture
def lock(course, book):
    """Another program that is in the middle of writing."""
    path = course.root / "autograder" / "gradebook.db"
    other = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    other.execute("PRAGMA busy_timeout = 0")
    yield other
    other.close()


def quickly(book):
    """Have a locked gradebook answer at once."""
    book.ledger.db().connection().exec_driver_sql("PRAGMA busy_timeout = 20")
    book.ledger.db.remove()


def test_a_locked_gradebook_is_waited_for(course, book, lock):
    quickly(book)
    lock.execute("BEGIN EXCLUSIVE")
    threading.Timer(0.5, lambda: lock.execute("ROLLBACK")).start()
    book.save("ada", {"tiny": ran(book.assignment)}, NOON)
    assert grades(course, "ada")["test_triple"] == (2.0, None, False)


def test_a_gradebook_that_stays_locked_ends_the_run_with_what_to_do(
    course, book, lock, monkeypatch
):
    monkeypatch.setattr(ledger, "PATIENCE", 0.3)
    book.save("ada", {"tiny": ran(book.assignment)}, NOON)
    quickly(book)
    lock.execute("BEGIN EXCLUSIVE")
    with pytest.raises(GradebookError, match=r"locked.*run the command again; no score is lost"):
        book.save("ada", {"tiny": ran(book.assignment, failed=("test_double",))}, NOON)
    lock.execute("ROLLBACK")
    assert grades(course, "ada")["test_double"] == (1.0, None, False)


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("database or disk is full", "Make room"),
        ("database is locked", "End what else writes to it"),
        ("no such column: grade.extra_credit", "nbgrader db upgrade"),
        ("connection refused", "can be reached"),
    ],
)
def test_what_the_database_says_is_told_with_what_to_do(reason, told):
    error = OperationalError("UPDATE", {}, sqlite3.OperationalError(reason))
    assert told in ledger.explain(error, "sqlite:///x.db")


def test_what_the_gradebook_knows_is_told_for_the_whole_class(book):
    book.save("ada", {"tiny": ran(book.assignment)}, NOON)
    book.save("bo", {}, None)
    known = book.stored()
    assert known["ada"].scores == {"tiny": {"test_double": 1.0, "test_triple": 2.0}}
    assert known["ada"].timestamp == NOON.replace(tzinfo=None)
    assert (known["bo"].timestamp, known["bo"].due) == (None, False)
    assert set(known) == {"ada", "bo"}


def test_one_notebook_alone_leaves_the_files_of_the_others(course, book):
    book.save("ada", {"tiny": ran(book.assignment)}, NOON)
    other = book.graded_folder("ada") / "other.ipynb"
    other.write_text("{}")
    book.save("ada", {"tiny": ran(book.assignment)}, NOON, only=["tiny"])
    assert set(graded_files(course, "ada")) == {"tiny.ipynb", "other.ipynb", "timestamp.txt"}
