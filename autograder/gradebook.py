"""The one writer of the gradebook and of autograder/autograded; nbgrader's own steps score."""

import json
import os
import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from nbconvert.preprocessors import ExecutePreprocessor
from nbformat import NotebookNode, from_dict
from nbgrader.api import Assignment as Row
from nbgrader.api import (
    BaseCell,
    Grade,
    MissingEntry,
    Notebook,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.converters import Autograde
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets.utils.importstring import import_item

from autograder.assignment import Assignment
from autograder.ledger import GradebookError, Ledger, lent, open_ledger, patiently

Scores = dict[str, dict[str, float | None]]  # notebook id -> grade id -> automatic score


@dataclass(frozen=True)
class Stored:
    """What the gradebook knows of one submission."""

    timestamp: datetime | None  # UTC, without saying so
    due: bool  # whether there is a time after which it is late
    scores: Scores


class ClassGradebook:
    """One assignment's submissions, written one at a time, each whole or not at all."""

    def __init__(self, converter: Autograde, assignment: Assignment):
        self.converter = converter
        self.coursedir = converter.coursedir
        self.assignment = assignment
        self.ledger: Ledger = open_ledger(self.coursedir.db_url, self.coursedir.course_id)
        self.steps = scoring_steps(converter)

    def __enter__(self) -> "ClassGradebook":
        return self

    def __exit__(self, *_) -> None:
        self.ledger.shut()

    def _in_one_transaction(self, work) -> None:
        def whole():
            work()
            self.ledger.settle()

        try:
            patiently(whole, self.coursedir.db_url, self.ledger.undo)
        except BaseException:
            self.ledger.undo()
            raise

    def stored(self) -> dict[str, Stored]:
        """Student id -> what the gradebook holds of this assignment."""
        db = self.ledger.db
        of_this = (Row.name == self.assignment.name,)
        submission = SubmittedAssignment
        times = db.query(submission.student_id, submission.timestamp, Row.duedate)
        times = times.join(Row, Row.id == submission.assignment_id).filter(*of_this)
        found = {student: Stored(when, due is not None, {}) for student, when, due in times}
        rows = (
            db.query(submission.student_id, Notebook.name, BaseCell.name, Grade.auto_score)
            .join(SubmittedNotebook, SubmittedNotebook.assignment_id == submission.id)
            .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
            .join(Grade, Grade.notebook_id == SubmittedNotebook.id)
            .join(BaseCell, BaseCell.id == Grade.cell_id)
            .join(Row, Row.id == submission.assignment_id)
            .filter(*of_this)
        )
        for student, notebook, grade_id, score in rows:
            found[student].scores.setdefault(notebook, {})[grade_id] = score
        db.remove()
        return found

    def save(
        self,
        student: str,
        notebooks: Mapping[str, dict],
        received: datetime | None,
        flagged: bool = False,
        only: Collection[str] | None = None,
        beside: Mapping[str, bytes] = MappingProxyType({}),
    ) -> None:
        """Scores, penalties, the folder of the graded notebooks. Raises GradebookError, OSError.

        `notebooks` are as they ran; those of the assignment that are missing give no points. A
        submission that is `flagged` counts as one that a person still has to grade. `only` limits
        the whole to some notebooks of the assignment; `beside` are further files for the folder.
        """
        names = self.assignment.notebooks if only is None else only

        def work():
            submission = self._submission(student, received)
            for name in names:
                if name not in notebooks:
                    self._give_nothing(submission, name)
            made.clear()
            for name, notebook in notebooks.items():
                made[name] = self._score(student, name, from_dict(notebook))
            if flagged:
                self._ask_for_a_person(student)

        made: dict[str, NotebookNode] = {}
        self._in_one_transaction(work)
        files = {**self.assignment.files, **beside, **as_files(made, received)}
        self._write_folder(self.graded_folder(student), files, keep_others=only is not None)
        if self.coursedir.groupshared:
            self.converter.set_permissions(self.assignment.name, student)

    def reject(self, student: str, received: datetime | None) -> None:
        """No points, so that no earlier submission's stand for this one. Raises as `save`."""

        def work():
            submission = self._submission(student, received)
            for notebook in submission.notebooks:
                self._give_nothing(submission, notebook.name)

        self._in_one_transaction(work)
        remove(self.graded_folder(student))

    def renew_penalties(self, student: str, received: datetime | None) -> None:
        """The time of receipt and the late penalties of a submission that is graded already."""
        from nbgrader.preprocessors import AssignLatePenalties

        steps = [step for step in self.steps if isinstance(step, AssignLatePenalties)]

        def work():
            self._submission(student, received)
            for name in self.assignment.notebooks:
                for step in steps:
                    step(NotebookNode(cells=[]), self._resources(student, name))

        with lent(self.ledger, steps):
            self._in_one_transaction(work)

    def _submission(self, student: str, received: datetime | None) -> SubmittedAssignment:
        ledger, name = self.ledger, self.assignment.name
        if self.converter.create_student:
            ledger.update_or_create_student(student)
        else:
            try:
                ledger.find_student(student)
            except MissingEntry:
                raise GradebookError(
                    f"No student {student!r} in the gradebook, and Autograde.create_student is off."
                    f" Add the student: nbgrader db student add {student}"
                ) from None
        given = {"timestamp": plain_utc(received)} if received else {}
        return ledger.update_or_create_submission(name, student, **given)

    def _score(self, student: str, name: str, notebook: NotebookNode) -> NotebookNode:
        resources = self._resources(student, name)
        with lent(self.ledger, self.steps):
            for step in self.steps:
                notebook, resources = step(notebook, resources)
        return notebook

    def _resources(self, student: str, notebook: str) -> dict:
        """What nbgrader hands from step to step."""
        about = {
            "student": student,
            "assignment": self.assignment.name,
            "notebook": notebook,
            "db_url": self.coursedir.db_url,
        }
        files = {"unique_key": notebook, "output_files_dir": f"{notebook}_files"}
        return files | {"nbgrader": about}

    def _give_nothing(self, submission: SubmittedAssignment, notebook: str) -> None:
        for each in submission.notebooks:
            if each.name == notebook:
                each.late_submission_penalty = None
                for grade in each.grades:
                    grade.auto_score = 0
                    grade.needs_manual_grade = grade.manual_score is not None

    def _ask_for_a_person(self, student: str) -> None:
        submission = self.ledger.find_submission(self.assignment.name, student)
        for notebook in submission.notebooks:
            for grade in notebook.grades:
                grade.needs_manual_grade = grade.needs_manual_grade or bool(grade.auto_score)

    def graded_folder(self, student: str) -> Path:
        directory = self.coursedir.autograded_directory
        return Path(self.coursedir.format_path(directory, student, self.assignment.name))

    def _write_folder(self, folder: Path, files: Mapping[str, bytes], keep_others: bool) -> None:
        """Replace the folder of the graded notebooks: it is the old or the new one, never half."""
        new, old = (folder.with_name(f".{folder.name}.{kind}") for kind in ("new", "old"))
        for left in (new, old):
            remove(left)
        if keep_others and folder.exists():
            shutil.copytree(folder, new)
        new.mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            target = new / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            target.write_bytes(content)
            target.chmod(int(str(self.converter.permissions), 8))
        if folder.exists():
            folder.rename(old)
        new.rename(folder)
        remove(old)


def as_files(notebooks: Mapping[str, NotebookNode], received: datetime | None) -> dict[str, bytes]:
    """Graded notebooks and the time of receipt, as nbgrader's other commands read them."""
    # Plain JSON is a notebook too, and takes a tenth of the time of nbformat's indented one.
    files = {
        f"{name}.ipynb": json.dumps(each, ensure_ascii=False).encode() + b"\n"
        for name, each in notebooks.items()
    }
    if received:
        files["timestamp.txt"] = f"{plain_utc(received):%Y-%m-%d %H:%M:%S.%f} UTC".encode()
    return files


def scoring_steps(converter: Autograde) -> list[NbGraderPreprocessor]:
    """The configured steps that follow the running of a notebook; the engine does the running."""
    steps = [
        import_item(step) if isinstance(step, str) else step
        for step in converter.autograde_preprocessors
    ]
    return [step(parent=converter) for step in steps if not issubclass(step, ExecutePreprocessor)]


def plain_utc(moment: datetime) -> datetime:
    """The moment as nbgrader's gradebook holds it: UTC without saying so."""
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def remove(folder: Path) -> None:
    """Remove a folder of ours where it is there; never follows a link."""
    if folder.is_symlink():
        folder.unlink()
    elif folder.exists():
        for parent, _, _ in os.walk(folder):
            os.chmod(parent, 0o755)
        shutil.rmtree(folder)
