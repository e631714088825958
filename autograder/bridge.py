"""`nbgrader autograde` and the Formgrader's button, graded by the engine.

Both make nbgrader's Autograde and call its `start`. `install` puts this module's in its place; the
instructor's nbgrader_config.py calls it. Options, log and result are nbgrader's.
"""

import asyncio
import atexit
import contextlib
import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException
from nbgrader.preprocessors import Execute

from autograder.course import class_language, did_you_mean
from autograder.errors import Told
from autograder.limits import Limits
from autograder.pool import OnePool, usable_cores
from autograder.protection import choose_level
from autograder.sandbox import Level, describe
from autograder.verdicts import Verdict

IDLE_SECONDS = 120  # how long a JupyterLab keeps its workers after a click
NO_EXECUTE = (
    "--no-execute (Execute.enabled = False) is not offered: outputs that learners saved prove "
    "nothing. Leave the option out."
)


def install() -> None:
    """From now on nbgrader's Autograde grades with the engine, in this process."""
    Autograde.start = start


def start(converter: Autograde) -> None:
    """Grade what the converter's options name. Raises NbGraderException, as nbgrader's own does."""
    before = os.getcwd()
    os.chdir(converter.coursedir.root)
    try:
        failed = _grade(converter)
    except Told as error:
        converter.log.error("%s", error)
        raise NbGraderException(str(error)) from error
    finally:
        os.chdir(before)
    if failed:
        message = "These submissions were not graded, see above for why: " + ", ".join(failed)
        converter.log.error("%s", message)
        raise NbGraderException(message)


def _grade(converter: Autograde) -> list[str]:
    """Grade; the students whose submissions were not."""
    from autograder.grading import Grading, Plan

    coursedir, log = converter.coursedir, converter.log
    execute = Execute(parent=converter)  # only for what the settings say of it
    if not execute.enabled:
        raise Told(NO_EXECUTE)
    if converter.exclude_overwriting.get(coursedir.assignment_id):
        log.warning("Autograde.exclude_overwriting is ignored: files of learners are never used")
    language, level = class_language(), choose_level()
    (log.info if level is Level.NAMESPACES else log.warning)("%s", describe(level).line)
    folders = _submissions(converter)
    only = None if coursedir.notebook_id == "*" else _notebooks(converter)
    plan = Plan(
        coursedir.assignment_id, language, level, _limits(execute.timeout), converter.force, only
    )

    def tell(student: str, verdict: Verdict) -> None:
        _log_verdict(converter, student, verdict)

    with _workers(min(usable_cores(), len(folders)), level) as pool:
        grading = Grading(converter, plan, pool.open, tell, log.warning)
        outcome = grading.run(folders)
    for student in sorted(outcome.fresh):
        log.info("Skipping existing assignment: %s, graded before and not changed", student)
    return [name for name, each in outcome.verdicts.items() if each.status == "rejected"]


def _submissions(converter: Autograde) -> dict:
    """The submissions that the options name; raises Told where there is none."""
    from autograder.intake import list_students

    coursedir = converter.coursedir
    submitted = Path(coursedir.root, coursedir.submitted_directory)
    found = list_students(submitted, coursedir.assignment_id)
    left_out = coursedir.student_id_exclude.split(",") if coursedir.student_id_exclude else []
    chosen = {
        student: folder
        for student, folder in found.items()
        if fnmatchcase(student, coursedir.student_id) and student not in left_out
    }
    if chosen:
        return chosen
    pattern = submitted / coursedir.student_id / coursedir.assignment_id
    hint = did_you_mean(coursedir.student_id, found) if found else ""
    raise Told(f"No notebooks were matched by '{pattern}'.{hint}")


def _notebooks(converter: Autograde) -> list[str]:
    coursedir = converter.coursedir
    source = Path(coursedir.format_path(coursedir.source_directory, ".", coursedir.assignment_id))
    names = sorted(path.stem for path in source.glob("*.ipynb"))
    only = [name for name in names if fnmatchcase(name, coursedir.notebook_id)]
    if not only:
        raise Told(
            f"No notebook {coursedir.notebook_id!r}.{did_you_mean(coursedir.notebook_id, names)}"
        )
    return only


def _limits(seconds: int | None) -> Limits:
    """Execute.timeout is what people know: seconds of one cell."""
    if not seconds or seconds < 0:
        return Limits()
    return Limits(cell_wall=seconds, cell_cpu=min(Limits.cell_cpu, seconds))


def _log_verdict(converter: Autograde, student: str, verdict: Verdict) -> None:
    name, log = converter.coursedir.assignment_id, converter.log
    if verdict.status == "rejected":
        log.error(
            "There was an error processing assignment '%s' for student '%s': %s",
            *(name, student, verdict.reason),
        )
        return
    log.info("Autograded %s of %s: %g / %g", name, student, verdict.score, verdict.max_score)
    for sign in verdict.look:
        log.warning("%s of %s needs a look: %s", name, student, sign)


@contextlib.contextmanager
def _workers(workers: int, level: Level) -> Iterator[OnePool]:
    """Workers for one run; in a JupyterLab they stay for a while, since clicks come in rows."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        with OnePool(workers, level) as pool:
            yield pool
        return
    pool = _kept.take(level)
    try:
        yield pool
    except BaseException:
        pool.close()
        raise
    _kept.put(loop, level, pool)


class _Kept:
    """A pool between two clicks."""

    def __init__(self):
        self._pool: OnePool | None = None
        self._level: Level | None = None
        self._end: asyncio.TimerHandle | None = None
        atexit.register(self.close)

    def take(self, level: Level) -> OnePool:
        if self._end:
            self._end.cancel()
        if level != self._level:
            self.close()
        pool, self._pool = self._pool, None
        return pool or OnePool(None, level)

    def put(self, loop: asyncio.AbstractEventLoop, level: Level, pool: OnePool) -> None:
        self.close()
        self._pool, self._level = pool, level
        self._end = loop.call_later(IDLE_SECONDS, self.close)

    def close(self) -> None:
        pool, self._pool = self._pool, None
        if pool:
            pool.close()


_kept = _Kept()
