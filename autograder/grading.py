"""A class graded: intake and the gradebook in this process, the judging in others."""

import errno
import itertools
import json
import re
import secrets
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from nbgrader.converters import Autograde

from autograder.assignment import Assignment, AssignmentError, load_assignment
from autograder.errors import Told
from autograder.folders import open_folder, read_file
from autograder.freshness import VerdictStore, submission_key
from autograder.gradebook import ClassGradebook, Stored, plain_utc
from autograder.intake import Received, Refusal, receive
from autograder.judge import Job, Result, one_table
from autograder.ledger import GradebookError
from autograder.limits import Limits
from autograder.refusals import Refused
from autograder.registration import describe, register
from autograder.scheduling import Pool, Task, run_jobs
from autograder.verdicts import Verdict

STOPPING_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)  # the next one would meet them too
AGAIN = (
    "This submission could not be graded: {fault}. That is no verdict on the submission, and its "
    "scores stay as they were: run the same command again; it grades what is left."
)


SECRET = "submission_secret.txt"  # nbgrader names a learner's feedback by it
SECRET_TEXT = re.compile(rb"[0-9a-f]{32,256}")


@dataclass(frozen=True)
class Plan:
    """What is to be graded, and how."""

    assignment: str
    language: str
    level: str  # one of autograder.sandbox.Level
    limits: Limits = Limits()
    force: bool = False  # also what was graded before
    only: Collection[str] | None = None  # notebook ids; all where None


@dataclass
class Outcome:
    """What came of a run."""

    assignment: str
    students: int = 0  # how many were to be graded
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)  # students whose verdict stood already
    failed: set[str] = field(default_factory=set)  # of the verdicts: those to be tried again
    stopped: bool = False

    def to_json(self) -> dict:
        verdicts = sorted(self.verdicts.items())
        return {
            "assignment": self.assignment,
            "students": {student: verdict.to_json() for student, verdict in verdicts},
        }


@dataclass(frozen=True)
class Submission:
    """One that was received."""

    student: str
    folder: Path
    received: Received
    key: str


class Grading:
    """One run over a class. Everything is written by this process, one submission at a time."""

    def __init__(
        self,
        converter: Autograde,
        plan: Plan,
        open_pool: Callable[[], Pool],
        tell: Callable[[str, Verdict], None] = lambda student, verdict: None,
        say: Callable[[str], None] = lambda line: None,
    ):
        self.converter, self.plan = converter, plan
        self.open_pool, self.tell, self.say = open_pool, tell, say
        self.stopping = threading.Event()
        coursedir = converter.coursedir
        source = coursedir.format_path(coursedir.source_directory, ".", plan.assignment)
        try:
            self.assignment: Assignment = load_assignment(Path(source), plan.language)
        except AssignmentError as error:
            raise Told(str(error)) from error
        notebooks = {
            name: notebook
            for name, notebook in self.assignment.notebooks.items()
            if plan.only is None or name in plan.only
        }
        # What workers get, each job anew: the notebooks that are to be graded.
        self.truth = json.dumps(replace(self.assignment, notebooks=notebooks).to_json())
        autograded = Path(coursedir.format_path(coursedir.autograded_directory, ".", "."))
        self.store = VerdictStore(autograded.parents[0] / "verdicts" / plan.assignment)
        self.outcome = Outcome(plan.assignment)
        self.book: ClassGradebook | None = None

    def run(self, folders: Mapping[str, Path | Refusal]) -> Outcome:
        """Grade these submissions. Raises GradebookError, NoWorkers and OSError (a full disk); what
        was graded before stays, and the next run goes on from there."""
        self.outcome.students = len(folders)
        with (
            self.store.one_writer(),
            ClassGradebook(self.converter, self.assignment) as self.book,
        ):
            if told := describe(register(self.converter, self.book.ledger, self.assignment)):
                self.say(told)
            tasks = self._tasks(folders)
            first = next(tasks, None)
            if first:
                self._judge_all(first, tasks)
        self.outcome.stopped = self.stopping.is_set()
        return self.outcome

    def _judge_all(self, first: Task, others: Iterator[Task]) -> None:
        tasks = itertools.chain([first], others)
        for task, result in run_jobs(tasks, self.open_pool(), self.stopping.is_set):
            self._conclude(self.waiting.pop(task.student), result)

    def _tasks(self, folders: Mapping[str, Path | Refusal]) -> Iterator[Task]:
        """The submissions that need judging; the others get their verdict on the way."""
        self.waiting: dict[str, Submission] = {}
        known = self.book.stored()
        expected = self.plan.only if self.plan.only is not None else self.assignment.notebooks
        for student, folder in folders.items():
            received = folder if isinstance(folder, Refusal) else receive(folder, expected)
            if isinstance(received, Refusal):
                named = isinstance(folder, Path)  # else it is no student's name
                self._reject(student, received.reason, known.get(student), record=named)
                continue
            key = submission_key(
                received.notebooks, self.truth, self.plan.limits, str(self.plan.level)
            )
            submission = Submission(student, folder, received, key)
            if not self.plan.force and self._stands(submission, known.get(student)):
                continue
            self.waiting[student] = submission
            yield Task(student, self._job(received))

    def _job(self, received: Received) -> Job:
        plan = self.plan
        return Job(self.truth, received.notebooks, plan.limits, str(plan.level), plan.language)

    def _stands(self, submission: Submission, stored: Stored | None) -> bool:
        """Whether it was graded before and nothing has changed since; its lateness may have."""
        student, received = submission.student, submission.received.received
        verdict = self.store.read(student, submission.key)
        if not stored or not verdict or not self._agree(verdict, stored):
            return False
        if verdict.status == "graded" and not self.book.graded_folder(student).is_dir():
            return False
        if stored.due or (received and plain_utc(received) != stored.timestamp):
            self.book.renew_penalties(student, received)
        self.outcome.fresh.add(student)
        self._settle(student, verdict)
        return True

    def _agree(self, verdict: Verdict, stored: Stored) -> bool:
        """Whether the gradebook holds the very scores of the verdict."""
        scores = one_table(stored.scores)
        if verdict.status == "rejected":
            return all(score == 0 for score in scores.values())
        return scores == {
            name: None if question.status == "needs_manual" else question.points
            for name, question in verdict.questions.items()
        }

    def _conclude(self, submission: Submission, result: Result) -> None:
        """Write what came of a job, or say that it has to be done again."""
        student, fault = submission.student, result.fault
        if not fault:
            try:
                return self._record(submission, result)
            except GradebookError:
                raise
            except OSError as error:
                if error.errno in STOPPING_ERRORS:
                    raise
                fault = f"its scores could not be written ({error})"
            except Exception as error:  # of one submission; the class goes on
                fault = f"its scores could not be written ({type(error).__name__}: {error})"
        self.outcome.failed.add(student)
        self._settle(student, Verdict("rejected", AGAIN.format(fault=fault)))
        return None

    def _record(self, submission: Submission, result: Result) -> None:
        student, received = submission.student, submission.received
        notes = (*received.notes, *result.notes)
        if result.rejected:
            verdict = Verdict("rejected", result.rejected, notes=notes)
            self.book.reject(student, received.received)
        else:
            verdict = Verdict("graded", "", result.questions, result.look, notes)
            self.book.save(
                student,
                result.notebooks,
                received.received,
                flagged=bool(result.look),
                only=self.plan.only,
                beside={SECRET: feedback_secret(submission.folder)},
            )
        if self.plan.only is None:
            self.store.write(student, submission.key, verdict)
        self._settle(student, verdict)

    def _reject(self, student: str, reason: str, stored: Stored | None, record: bool) -> None:
        """A submission that intake refused; `stored` is None where the gradebook has none of it."""
        verdict = Verdict("rejected", reason)
        if record:
            self.store.forget(student)
            if not stored or not self._agree(verdict, stored):
                self.book.reject(student, None)
        self._settle(student, verdict)

    def _settle(self, student: str, verdict: Verdict) -> None:
        self.outcome.verdicts[student] = verdict
        self.tell(student, verdict)


def feedback_secret(folder: Path) -> bytes:
    """What nbgrader put into the submission, that its learner finds the feedback again.

    Where it is missing or was changed it is a new one: without any, nbgrader would release nobody's
    feedback.
    """
    try:
        with open_folder(folder, unfollowed=2) as directory:
            content = read_file(directory, SECRET, limit=1024)[0].strip()
            if SECRET_TEXT.fullmatch(content):
                return content
    except (OSError, Refused):
        pass
    return secrets.token_hex(64).encode()
