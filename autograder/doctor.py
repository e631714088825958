"""`autograder doctor`: what this machine offers for grading, tried and not guessed."""

import importlib.metadata
import os
import platform
import time
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from autograder.course import class_language, find_root
from autograder.freshness import PACKAGES
from autograder.limits import Limits
from autograder.pool import FORKS_KERNELS, usable_cores
from autograder.sandbox import Level, best_level, describe, probe, why_not
from autograder.settings import why_unreachable

SIGNS = {True: ("✓", "green"), False: ("✗", "red"), None: ("·", "dim")}
CELL = "import torch, lens.en\nprint(int(torch.ones(2, 3).sum()))"


@dataclass(frozen=True)
class Finding:
    """One line of the report; False makes the command fail, None is for information."""

    good: bool | None
    text: str


def examine() -> int:
    """Print everything; 0 where a class can be graded safely, 1 where something is missing."""
    console = Console()
    found = []
    level = best_level()
    for title, findings in (
        ("This machine", _machine()),
        (f"Sandbox: {level.value}", _sandbox(level)),
        ("Grading", _grading(level)),
    ):
        console.print(Text(title, style="bold"))
        for each in findings:
            sign, style = SIGNS[each.good]
            console.print(Text(f"  {sign} ", style=style) + Text(each.text), soft_wrap=True)
            found.append(each)
    missing = sum(each.good is False for each in found)
    console.print(f"{missing} to mend." if missing else "Ready to grade.")
    return 1 if missing else 0


def _machine() -> Iterator[Finding]:
    yield Finding(True, f"{platform.system()} {platform.release()}, {usable_cores()} cores")
    yield Finding(True, f"Python {platform.python_version()}")
    for name in PACKAGES:
        try:
            yield Finding(True, f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            yield Finding(False, f"{name} is not installed: run make env")


def _sandbox(level: Level) -> Iterator[Finding]:
    """What the level stops, by attacks that were tried, and what it does not stop by design."""
    if level is not Level.NAMESPACES:
        reason = why_not(Level.NAMESPACES)
        yield Finding(False, f"no namespaces: {reason}. To accept less: --sandbox {level.value}")
    told = describe(level)
    yield Finding(None, told.line)
    for attack in probe(level):
        ending = "stopped" if attack.stopped else "NOT STOPPED"
        yield Finding(attack.stopped, f"{attack.name}: {ending} ({attack.detail})")
    for text in told.lets_through:
        yield Finding(None, f"not stopped at this level: {text}")


def _grading(level: Level) -> Iterator[Finding]:
    yield from _gradebook()
    scheduler = os.environ.get("AUTOGRADER_SCHEDULER")
    if scheduler:
        yield _scheduler(level)
    else:
        yield Finding(True, f"{usable_cores()} worker processes (--workers)")
    yield _engine(level)


def _gradebook() -> Iterator[Finding]:
    url = os.environ.get("AUTOGRADER_DB")
    if url:
        problem = why_unreachable(url)
        yield Finding(not problem, problem or "the gradebook of AUTOGRADER_DB answers")
        return
    folder = find_root() / "autograder"
    writable = os.access(folder, os.W_OK)
    yield Finding(
        writable,
        f"the gradebook is {folder / 'gradebook.db'}"
        if writable
        else f"{folder} cannot be written, and the gradebook lies there: mend its permissions",
    )


def _scheduler(level: Level) -> Finding:
    from autograder.pool import NoWorkers, open_pool

    try:
        pool = open_pool(None, level)
    except NoWorkers as error:
        return Finding(False, str(error))
    pool.close()
    return Finding(True, f"the Dask scheduler answers and has {pool.width} worker threads")


def _engine(level: Level) -> Finding:
    """A tiny notebook, run as a submission would be."""
    from nbformat.v4 import new_code_cell, new_notebook

    from autograder.engine.run import EngineFault, run_notebook
    from autograder.engine.servers import close_own_servers

    class_language()  # raises Told
    began = time.perf_counter()
    try:
        ran = run_notebook(new_notebook(cells=[new_code_cell(CELL)]), {}, Limits(), level)
    except EngineFault as error:
        return Finding(False, f"a notebook could not be run: {error}")
    finally:
        close_own_servers()
    if ran.ends != ("ok",):
        shown = ran.notebook.cells[0].outputs
        return Finding(False, f"a notebook with torch and lens does not run: {shown}")
    kind = "the fork server" if FORKS_KERNELS else "an ordinary kernel (there is no fork server)"
    return Finding(True, f"{kind} ran a notebook with torch, {time.perf_counter() - began:.1f} s")
