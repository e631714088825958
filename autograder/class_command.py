"""`autograder grade`: the steps of grading a class, as a person at a terminal sees them."""

import contextlib
import json
import signal
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from autograder import report
from autograder.course import (
    NotFound,
    choose_students,
    class_language,
    find_assignment,
    find_root,
    open_converter,
)
from autograder.limits import Limits
from autograder.pool import OnePool
from autograder.protection import choose_level
from autograder.sandbox import describe

INTERRUPTED = 130


def grade_class(
    assignment: str,
    students: list[str],
    workers: int | None,
    json_file: Path | None,
    force: bool,
    sandbox: str | None,
    limits: Limits,
    console: Console | None = None,
) -> int:
    """Grade and report; the exit status. Raises what the commands turn into one sentence."""
    console = console or Console(stderr=True)
    if json_file:
        json_file = json_file.absolute()  # nbgrader's settings are read in another folder
        if not json_file.parent.is_dir():
            raise NotFound(f"No folder {json_file.parent} to write {json_file.name} into.")
    root, language = find_root(), class_language()
    find_assignment(root, language, assignment)
    level = choose_level(sandbox)
    console.print(Text(describe(level).line), soft_wrap=True)
    with OnePool(workers, level) as pool:
        if force or _has_new(root, assignment):
            pool.open()  # it starts while this process still imports
        converter = open_converter(root)
        from autograder.grading import Grading, Plan
        from autograder.intake import list_students

        submitted = root / converter.coursedir.submitted_directory
        found = list_students(submitted, assignment)
        chosen = {name: found[name] for name in choose_students(found, students, assignment)}
        if not chosen:
            console.print(
                f"No submission of {assignment} in {submitted.relative_to(root)}. "
                f"Collect them first: nbgrader collect {assignment}"
            )
        plan = Plan(assignment, language, level, limits, force)
        with _progress(console, len(chosen)) as advance:
            say = lambda line: console.print(Text(line), soft_wrap=True)  # noqa: E731
            grading = Grading(converter, plan, pool.open, advance, say)
            try:
                with _stopping(grading, console):
                    grading.run(chosen)
            finally:
                if json_file:
                    _write_json(json_file, grading.outcome.to_json())
    return _report(console, grading.outcome, len(chosen))


def _has_new(root: Path, assignment: str) -> bool:
    """Whether a submission has no verdict yet: then workers will be needed."""
    grades = root / "autograder"
    return any(
        not (grades / "verdicts" / assignment / f"{folder.parent.name}.json").exists()
        for folder in grades.glob(f"submitted/*/{assignment}")
    )


@contextlib.contextmanager
def _progress(console: Console, total: int) -> Iterator:
    """A bar with the time left, where somebody sees it."""
    columns = (
        TextColumn("grading"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[last]}", markup=False),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=total, last="")
        yield lambda student, verdict: bar.update(
            task, advance=1, last=f"{student} {report.score(verdict)}"
        )


@contextlib.contextmanager
def _stopping(grading, console: Console) -> Iterator[None]:
    """The first Ctrl-C ends the run after the score that is being written; the second at once."""

    def stop(number, frame):
        signal.signal(number, signal.default_int_handler)
        grading.stopping.set()
        console.print("Stopping; what is graded is kept. Ctrl-C again ends it at once.")

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, stop) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _write_json(path: Path, values: dict) -> None:
    new = path.with_name(f".{path.name}.new")
    new.write_text(json.dumps(values, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    new.replace(path)


def _report(console: Console, outcome, total: int) -> int:
    out = Console()
    report.show_class(out, outcome.verdicts)
    if outcome.verdicts:
        out.print(report.totals(outcome.verdicts))
    if outcome.fresh:
        out.print(f"{len(outcome.fresh)} were graded before and have not changed.")
    report.show_attention(out, outcome.verdicts)
    if outcome.stopped:
        left = total - len(outcome.verdicts)
        out.print(f"Stopped, {left} not graded yet. The same command goes on from here.")
        return INTERRUPTED
    return 1 if outcome.failed else 0
