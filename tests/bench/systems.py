"""The graders that are measured. Each grades some students of a class and starts afresh."""

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from autograder.classroom import Course

STOCK_CONFIG = """
c = get_config()
c.CourseDirectory.root = {root!r}
c.CourseDirectory.source_directory = {source!r}
c.CourseDirectory.db_url = {db!r}
for step in ("submitted", "autograded", "feedback"):
    c.CourseDirectory[step + "_directory"] = "autograder/" + step
"""


class System(Protocol):
    def prepare(self, students: Sequence[str]) -> None:
        """Forget earlier runs; not measured."""

    def command(self, students: Sequence[str]) -> list[str]:
        """What is measured, one process."""

    def environment(self) -> dict[str, str]: ...

    folder: Path


@dataclass(frozen=True)
class Cost:
    """Seconds for all the submissions together; `cpu` counts every process."""

    wall: float
    cpu: float


def measure(system: System, students: Sequence[str]) -> Cost:
    """Grade these students once."""
    system.prepare(students)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(
        system.command(students),
        cwd=system.folder,
        env=system.environment(),
        capture_output=True,
        text=True,
    )
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{type(system).__name__} failed:\n{done.stdout}\n{done.stderr[-3000:]}")
    if isinstance(system, Floor):
        return Cost(**json.loads(done.stdout))  # without the imports
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu)


def plain_environment(course: Course) -> dict[str, str]:
    """This environment without a person's own settings."""
    mine = ("COURSE_", "AUTOGRADER_", "JUPYTER", "PYTHON")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(mine)}
    return clean | {
        "COURSE_LANGUAGE": course.language,
        "HOME": str(course.root / "home"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{clean.get('PATH', '')}",
    }


class Ours:
    """`autograder grade`."""

    def __init__(self, course: Course, sandbox: str = "namespaces"):
        self.course, self.sandbox = course, sandbox
        self.folder = course.root

    def prepare(self, students):
        forget(self.course.root)

    def command(self, students):
        grade = [sys.executable, "-m", "autograder", "grade", self.course.assignment]
        return [*grade, "--sandbox", self.sandbox, "--workers", str(os.cpu_count()), "--force"]

    def environment(self):
        return plain_environment(self.course)


class Stock:
    """`nbgrader autograde` with nbgrader's own settings, in a course of its own."""

    def __init__(self, course: Course):
        self.course = course
        self.folder = course.root.with_name(course.root.name + "-stock")
        grades = self.folder / "autograder"
        grades.mkdir(parents=True)
        shutil.copytree(course.root / "solutions", self.folder / "solutions")
        shutil.copy(course.root / "autograder" / "gradebook.db", grades)
        settings = STOCK_CONFIG.format(
            root=str(self.folder),
            source=f"solutions/{course.language}",
            db=f"sqlite:///{grades / 'gradebook.db'}",
        )
        (self.folder / "nbgrader_config.py").write_text(settings)

    def prepare(self, students):
        for step in ("submitted", "autograded"):
            shutil.rmtree(self.folder / "autograder" / step, ignore_errors=True)
        for student in students:
            source = self.course.root / "autograder" / "submitted" / student
            shutil.copytree(source, self.folder / "autograder" / "submitted" / student)

    def command(self, students):
        return [sys.executable, "-m", "nbgrader", "autograde", self.course.assignment]

    def environment(self):
        return plain_environment(self.course)


class Floor:
    """The same cells by exec in one warm process."""

    def __init__(self, course: Course):
        self.course, self.folder = course, course.root

    def prepare(self, students):
        pass

    def command(self, students):
        files = [str(self.course.submitted(student)) for student in students]
        return [sys.executable, str(Path(__file__).with_name("floor.py")), *files]

    def environment(self):
        return plain_environment(self.course)


def forget(root: Path) -> None:
    """Remove what earlier grading of this scratch course left."""
    for made in ("autograded", "verdicts"):
        shutil.rmtree(root / "autograder" / made, ignore_errors=True)
