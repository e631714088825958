"""nbgrader's gradebook, opened once for a class and written in one transaction a submission.

nbgrader's own steps open it anew each time, with a new SQLAlchemy engine that compiles every
statement again, and commit after each cell: a crash would leave half of a submission's scores.
"""

import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    Notebook,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.preprocessors import NbGraderPreprocessor
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.orm import Session, scoped_session, sessionmaker

from autograder.errors import Told

PATIENCE = 60  # seconds that a locked gradebook is waited for
FULL = ("disk is full", "disk full", "no space left", "disk i/o error")
BUSY = ("locked", "busy", "deadlock", "serialize", "could not connect", "connection")
Made = TypeVar("Made")


class GradebookError(Told):
    """The gradebook cannot be read or written; the message says why and what to do."""


class PatientSession(Session):
    """Commits wait for `settle`; until then new rows can be found, changes are gathered."""

    def commit(self) -> None:
        if self.new:
            self.flush()

    def settle(self) -> None:
        super().commit()


class Ledger(Gradebook):
    """A gradebook that nbgrader's steps may share; `settle` keeps what they wrote."""

    def __init__(self, db_url: str, course_id: str):
        super().__init__(db_url, course_id)
        self.db.remove()
        self.db = scoped_session(
            sessionmaker(autoflush=False, bind=self.engine, future=True, class_=PatientSession)
        )
        self._rows: dict[tuple, object] = {}

    def find_grade(self, grade_cell: str, notebook: str, assignment: str, student: str) -> Grade:
        found = self._of_submission(Grade, assignment, student).get((notebook, grade_cell))
        return found or super().find_grade(grade_cell, notebook, assignment, student)

    def find_comment(self, cell: str, notebook: str, assignment: str, student: str) -> Comment:
        found = self._of_submission(Comment, assignment, student).get((notebook, cell))
        return found or super().find_comment(cell, notebook, assignment, student)

    def _of_submission(self, kind: type, assignment: str, student: str) -> dict:
        """All grades or comments of a submission, read once: nbgrader asks for each by name."""
        key = (kind, assignment, student)
        if key not in self._rows:
            rows = (
                self.db.query(kind, Notebook.name, BaseCell.name)
                .join(BaseCell, BaseCell.id == kind.cell_id)
                .join(SubmittedNotebook, SubmittedNotebook.id == kind.notebook_id)
                .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
                .join(
                    SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id
                )
                .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
                .filter(Assignment.name == assignment, SubmittedAssignment.student_id == student)
            )
            self._rows = {key: {(notebook, cell): row for row, notebook, cell in rows}} | {
                known: found for known, found in self._rows.items() if known[2] == student
            }
        return self._rows[key]

    def _clear(self) -> None:
        self._rows.clear()
        self.db.remove()

    def close(self) -> None:
        """What a step does at its end: what it wrote is there for the next one."""
        self.db.flush()
        self.db.expire_all()

    def settle(self) -> None:
        self.db().settle()
        self._clear()

    def undo(self) -> None:
        self._clear()

    def shut(self) -> None:
        super().close()


def open_ledger(db_url: str, course_id: str) -> Ledger:
    """Raises GradebookError."""
    return patiently(lambda: Ledger(db_url, course_id), db_url)


def patiently(work: Callable[[], Made], db_url: str, undo: Callable = lambda: None) -> Made:
    """Do the work, again and again while somebody else locks the gradebook. Raises GradebookError.

    The work must be safe to repeat after `undo`.
    """
    end, pause = time.monotonic() + PATIENCE, 0.05
    while True:
        try:
            return work()
        except DBAPIError as error:
            undo()
            reason = str(error.orig or error).lower()
            busy = isinstance(error, OperationalError) and any(word in reason for word in BUSY)
            if not busy or time.monotonic() > end:
                raise GradebookError(explain(error, db_url)) from error
        time.sleep(pause)
        pause = min(2 * pause, 2.0)


def explain(error: DBAPIError, db_url: str) -> str:
    """Why the database refused, and what to do; what was graded before stays graded."""
    reason = str(error.orig or error).splitlines()[0]
    lower = reason.lower()
    if any(word in lower for word in FULL):
        then = "Make room on its disk, then run the same command again"
    elif "locked" in lower or "busy" in lower:
        then = "End what else writes to it (a grading, a Formgrader), then run the command again"
    elif "no such" in lower or "does not exist" in lower:
        then = "Make a copy of it, then run: nbgrader db upgrade"
    else:
        then = "See that it can be reached and written, then run the same command again"
    return f"The gradebook {db_url} does not take the scores: {reason}. {then}; no score is lost."


@contextlib.contextmanager
def lent(ledger: Ledger, steps: Iterable[NbGraderPreprocessor]) -> Iterator[None]:
    """Have these steps of nbgrader use the ledger where they would open the gradebook."""
    modules = {
        sys.modules[kind.__module__]
        for step in steps
        for kind in type(step).__mro__
        if getattr(sys.modules[kind.__module__], "Gradebook", None) is Gradebook
    }
    for module in modules:
        module.Gradebook = lambda *given, **named: ledger
    try:
        yield
    finally:
        for module in modules:
            module.Gradebook = Gradebook
