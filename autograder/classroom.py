"""A demonstration: an invented class goes through nbgrader's whole loop, in a folder of its own.

    python -m autograder.classroom [ASSIGNMENT] [--keep]

Release, fetch, submit, collect, autograde, feedback, with nbgrader's own commands and the course's
configuration; then the scores and their reasons. The real gradebook and submissions stay untouched.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import nbformat
from rich.console import Console
from rich.table import Table

from autograder.invented import LEARNERS, Learner, read_answers
from autograder.settings import course_language, source_directory

ROOT = Path(__file__).resolve().parents[1]
STATE = (
    "exchange",
    "submitted",
    "autograded",
    "feedback",
    "verdicts",
    "gradebook.db*",
    "__pycache__",
)
CELL_SECONDS = 15  # a demonstration need not wait a real class's minute for an endless loop


class ClassroomError(Exception):
    """The demonstration cannot go on; the message says what to do."""


@dataclass(frozen=True)
class Verdict:
    """What one submission got. `status`: graded, rejected, or none where nobody judged it."""

    learner: str
    status: str
    score: float
    max_score: float
    reason: str


@dataclass(frozen=True)
class Course:
    """A scratch copy of what grading needs of the course."""

    root: Path
    language: str
    assignment: str

    @property
    def solution(self) -> Path:
        folder = self.root / source_directory(self.language) / self.assignment
        return folder / f"{self.assignment}.ipynb"

    def graded(self, learner: str) -> Path:
        folder = self.root / "autograder" / "autograded" / learner / self.assignment
        return folder / f"{self.assignment}.ipynb"

    def submitted(self, learner: str) -> Path:
        folder = self.root / "autograder" / "submitted" / learner / self.assignment
        return folder / f"{self.assignment}.ipynb"


def copy_course(root: Path, assignment: str, origin: Path = ROOT) -> Course:
    """A course with one assignment under `root`, which need not exist."""
    course = Course(root, course_language(), assignment)
    solution = Course(origin, course.language, assignment).solution
    if not solution.exists():
        raise ClassroomError(
            f"expected {solution.relative_to(origin)}, found nothing there. "
            "Name another assignment, or make the notebooks: make notebooks"
        )
    copy_code(root, origin)
    shutil.copytree(solution.parent, course.solution.parent)
    return course


def copy_code(root: Path, origin: Path = ROOT) -> None:
    """The grading code and the settings, without what grading a real class has left beside them."""
    source = str(origin / "autograder")
    state = shutil.ignore_patterns(*STATE)

    def left_by_grading(folder: str, names: list[str]) -> set[str]:
        return state(folder, names) if folder == source else set()

    shutil.copytree(source, root / "autograder", ignore=left_by_grading)
    shutil.copytree(origin / "course" / "jupyter", root / "course" / "jupyter")
    shutil.copy(origin / "nbgrader_config.py", root)


def nbgrader(course: Course, *arguments: str, may_fail: bool = False) -> str:
    """Run one nbgrader command in the scratch course, apart from the person's own settings."""
    mine = ("COURSE_EXCHANGE", "AUTOGRADER_DB", "JUPYTER_CONFIG_PATH", "PYTHONPATH")
    environment = {name: value for name, value in os.environ.items() if name not in mine}
    environment |= {
        "JUPYTER_CONFIG_DIR": str(course.root / "jupyter-config"),
        "JUPYTER_DATA_DIR": str(course.root / "jupyter-data"),
        "COURSE_LANGUAGE": course.language,
    }
    command = [sys.executable, "-m", "nbgrader", *arguments]
    done = subprocess.run(
        command, cwd=course.root, env=environment, text=True, errors="replace", capture_output=True
    )
    if done.returncode and not may_fail:
        raise ClassroomError(f"This failed: nbgrader {' '.join(arguments)}\n{done.stderr[-3000:]}")
    return done.stderr


def hand_in(course: Course, learner: Learner) -> None:
    """One learner fetches the assignment, edits it and submits it through the exchange."""
    home = course.root / "homes" / learner.name
    home.mkdir(parents=True)
    at_home = f"--Exchange.assignment_dir={home}"
    nbgrader(course, "fetch_assignment", course.assignment, at_home)
    learner.edit(
        home / course.assignment / f"{course.assignment}.ipynb", read_answers(course.solution)
    )
    nbgrader(course, "submit", course.assignment, at_home, f"--student={learner.name}")


def run_class(course: Course, learners=LEARNERS, tell=lambda step: None) -> list[Verdict]:
    """The whole loop for these learners; `tell` hears of each step."""
    tell("generate and release the assignment")
    nbgrader(course, "generate_assignment", course.assignment)
    nbgrader(course, "release_assignment", course.assignment)
    tell(f"{len(learners)} learners fetch, answer and submit")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda learner: hand_in(course, learner), learners))
    tell("collect")
    nbgrader(course, "collect", course.assignment)
    tell("autograde")
    # It fails where a submission could not be graded, after grading the others: see the verdicts.
    timeout = f"--Execute.timeout={CELL_SECONDS}"
    log = nbgrader(course, "autograde", course.assignment, timeout, may_fail=True)
    verdicts = [judge(course, learner.name) for learner in learners]
    if any(verdict.status == "none" for verdict in verdicts):
        tell(f"nbgrader autograde ended with:\n{log[-3000:]}")
    tell("make and release the feedback")
    nbgrader(course, "generate_feedback", course.assignment)
    nbgrader(course, "release_feedback", course.assignment)
    return verdicts


def judge(course: Course, learner: str) -> Verdict:
    """What nbgrader's gradebook and the graded notebook say of one submission."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course.root / 'autograder' / 'gradebook.db'}") as gradebook:
        submission = gradebook.find_submission(course.assignment, learner)
        score, max_score = submission.score, submission.max_score
        grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
        waiting = [grade.name for grade in grades if grade.needs_manual_grade]
        unjudged = [grade.name for grade in grades if grade.auto_score is None]
    if not course.graded(learner).exists():
        reason = why_unreadable(course.submitted(learner))
        return Verdict(learner, "rejected" if reason else "none", 0.0, max_score, reason)
    if set(unjudged) - set(waiting):
        missing = ", ".join(sorted(set(unjudged) - set(waiting)))
        return Verdict(learner, "none", score, max_score, f"no score for {missing}")
    failures = read_failures(course.graded(learner))
    return Verdict(learner, "graded", score, max_score, explain(failures, waiting))


def why_unreadable(path: Path) -> str:
    """Why the file is no notebook; empty where it is one."""
    try:
        nbformat.validate(nbformat.read(path, as_version=4))
    except Exception as error:  # whatever a learner's file provokes is the reason
        return f"the file is not a notebook ({type(error).__name__})"
    return ""


def read_failures(path: Path) -> dict[str, str]:
    """Grade id -> the name of its error, for each test of a graded notebook that failed."""
    failures = {}
    for cell in nbformat.read(path, as_version=4).cells:
        errors = [output for output in cell.get("outputs", []) if output.output_type == "error"]
        if errors and cell.metadata.get("nbgrader", {}).get("points"):
            failures[cell.metadata["nbgrader"]["grade_id"]] = errors[-1].ename
    return failures


def explain(failures: dict[str, str], waiting: list[str]) -> str:
    """For the table: the tests that failed, by their error, and what a person must grade."""
    by_error: dict[str, list[str]] = {}
    for name, error in failures.items():
        by_error.setdefault(error, []).append(name.removeprefix("test_"))
    parts = [f"{error}: {', '.join(names)}" for error, names in by_error.items()]
    parts = parts or ["every test passed"]
    if waiting:
        parts.append(f"a person grades {', '.join(waiting)}")
    return "; ".join(parts)


def show_table(verdicts: list[Verdict], learners=LEARNERS) -> None:
    table = Table("learner", "hands in", "score", "status", "reason", title="The class's scores")
    for learner, verdict in zip(learners, verdicts, strict=True):
        score = f"{verdict.score:g} / {verdict.max_score:g}"
        table.add_row(learner.name, learner.does, score, verdict.status, verdict.reason)
    Console().print(table)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("assignment", nargs="?", default="02_creation")
    parser.add_argument("--keep", action="store_true", help="keep the folder and print its path")
    options = parser.parse_args()
    try:
        course_language()
    except ValueError as error:
        parser.error(str(error))
    scratch = Path(tempfile.mkdtemp(prefix="tensor-course-class-"))
    try:
        course = copy_course(scratch / "course", options.assignment)
        verdicts = run_class(course, tell=lambda step: print(f"· {step}", flush=True))
    except ClassroomError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        if options.keep:
            print(f"Kept: {scratch}")
        else:
            shutil.rmtree(scratch, ignore_errors=True)
    show_table(verdicts)
    return 1 if any(verdict.status == "none" for verdict in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
