"""A demonstration: an invented class goes through nbgrader's whole loop, in a folder of its own.

    python -m autograder.classroom [ASSIGNMENT] [--keep]

Release, fetch, submit, collect and feedback with nbgrader's own commands, grading with the engine,
in a course of its own; then the verdicts. The real gradebook and submissions stay untouched.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder import report
from autograder.invented import LEARNERS, Learner, read_answers
from autograder.settings import course_language, source_directory
from autograder.verdicts import Verdict

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
CELL_SECONDS = 5  # a demonstration need not wait long for an endless loop


class ClassroomError(Exception):
    """The demonstration cannot go on; the message says what to do."""


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


def run(course: Course, module: str, *arguments: str) -> None:
    """Run one command in the scratch course, apart from the person's own settings."""
    mine = ("COURSE_EXCHANGE", "AUTOGRADER_DB", "JUPYTER_CONFIG_PATH", "PYTHONPATH")
    environment = {name: value for name, value in os.environ.items() if name not in mine}
    environment |= {
        "JUPYTER_CONFIG_DIR": str(course.root / "jupyter-config"),
        "JUPYTER_DATA_DIR": str(course.root / "jupyter-data"),
        "COURSE_LANGUAGE": course.language,
    }
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(
        command, cwd=course.root, env=environment, text=True, errors="replace", capture_output=True
    )
    if done.returncode:
        said = (done.stdout + done.stderr)[-3000:]
        raise ClassroomError(f"This failed: {module} {' '.join(arguments)}\n{said}")


def nbgrader(course: Course, *arguments: str) -> None:
    run(course, "nbgrader", *arguments)


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


def run_class(
    course: Course, learners=LEARNERS, tell=lambda step: None, sandbox: str | None = None
) -> dict[str, Verdict]:
    """The whole loop for these learners; `tell` hears of each step. Verdicts by learner."""
    tell("generate and release the assignment")
    nbgrader(course, "generate_assignment", course.assignment)
    nbgrader(course, "release_assignment", course.assignment)
    tell(f"{len(learners)} learners fetch, answer and submit")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda learner: hand_in(course, learner), learners))
    tell("collect")
    nbgrader(course, "collect", course.assignment)
    tell("grade")
    verdicts = grade(course, *(("--sandbox", sandbox) if sandbox else ()))
    tell("make and release the feedback")
    nbgrader(course, "generate_feedback", course.assignment)
    nbgrader(course, "release_feedback", course.assignment)
    return {learner.name: verdicts[learner.name] for learner in learners}


def grade(course: Course, *options: str) -> dict[str, Verdict]:
    """What `autograder grade` says of every submission."""
    written = course.root / "verdicts.json"
    limits = ("--cell-seconds", str(CELL_SECONDS))
    run(course, "autograder", "grade", course.assignment, "--json", str(written), *limits, *options)
    students = json.loads(written.read_text(encoding="utf-8"))["students"]
    return {student: Verdict.from_json(values) for student, values in students.items()}


def explain(verdict: Verdict) -> str:
    """For the table: why it was rejected, or which questions came out how."""
    if verdict.status == "rejected":
        return verdict.reason
    by_status: dict[str, list[str]] = {}
    for name, question in verdict.questions.items():
        by_status.setdefault(question.status, []).append(name.removeprefix("test_"))
    if set(by_status) == {"passed"}:
        return "every test passed"
    parts = [
        f"{status.replace('_', ' ')}: {', '.join(names)}"
        for status, names in by_status.items()
        if status != "passed"
    ]
    return "; ".join([*parts, *verdict.look])


def show_table(verdicts: dict[str, Verdict], learners=LEARNERS) -> None:
    table = Table("learner", "hands in", "score", "what came of it", title="The class's scores")
    for learner in learners:
        verdict = verdicts[learner.name]
        score = report.score(verdict)
        table.add_row(learner.name, learner.does, score, Text(explain(verdict)))
    Console().print(table)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("assignment", nargs="?", default="02_creation")
    parser.add_argument("--sandbox", help="accept this level of protection, see autograder doctor")
    parser.add_argument("--keep", action="store_true", help="keep the folder and print its path")
    options = parser.parse_args()
    try:
        course_language()
    except ValueError as error:
        parser.error(str(error))
    scratch = Path(tempfile.mkdtemp(prefix="tensor-course-class-"))
    try:
        course = copy_course(scratch / "course", options.assignment)
        verdicts = run_class(
            course, tell=lambda step: print(f"· {step}", flush=True), sandbox=options.sandbox
        )
    except ClassroomError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        if options.keep:
            print(f"Kept: {scratch}")
        else:
            shutil.rmtree(scratch, ignore_errors=True)
    show_table(verdicts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
