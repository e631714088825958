"""Whatever happens to a run, the next one ends with the scores of an undisturbed one."""

import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys

import pytest

from tests.hostile.arena import Arena, arena
from tests.hostile.faultkit import (
    CLASS,
    Running,
    book_of,
    kill,
    outcome,
    small_disk,
    verdict_files,
    wait_for,
    wait_until_all_are_gone,
)
from tests.hostile.gradebooks import differences
from tests.hostile.kit import ASSIGNMENT

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def undisturbed(sandbox):
    """The outcome and the gradebook of a run to which nothing happened."""
    with arena() as made:
        made.plant(CLASS)
        run = made.grade()
        assert run.code == 0, run.err[-2000:]
        return outcome(run), book_of(made)


@pytest.fixture
def made(sandbox):
    with arena() as made:
        made.plant(CLASS)
        yield made


def assert_as_undisturbed(made: Arena, run, undisturbed, killed: bool = False) -> None:
    scores, book = undisturbed
    if killed:  # what a killed process could not remove
        shutil.rmtree(made.temporary)
        made.temporary.mkdir()
    assert run.code == 0, run.err[-2000:]
    assert outcome(run) == scores
    assert differences(book_of(made), book) == {}
    assert made.breaches() == []


def test_a_killed_worker_costs_nobody_anything(made, undisturbed):
    running = Running(made)
    running.reach_the_middle()
    kill(running.workers()[:1])
    assert_as_undisturbed(made, running.finish(), undisturbed, killed=True)


def test_a_killed_fork_server_costs_nobody_anything(made, undisturbed):
    running = Running(made)
    running.reach_the_middle()
    kill(running.processes("autograder.engine.server")[:1])
    assert_as_undisturbed(made, running.finish(), undisturbed, killed=True)


def test_after_a_killed_coordinator_nothing_runs_on_and_the_next_run_goes_on(made, undisturbed):
    running = Running(made)
    running.reach_the_middle()
    running.process.kill()
    running.finish()
    wait_until_all_are_gone(made)
    before = {path: path.stat().st_mtime_ns for path in verdict_files(made)}
    assert 0 < len(before) < len(CLASS)
    assert_as_undisturbed(made, made.grade(), undisturbed, killed=True)
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_after_ctrl_c_the_next_run_goes_on(made, undisturbed):
    running = Running(made)
    running.reach_the_middle()
    running.process.send_signal(signal.SIGINT)
    assert running.finish().code == 130
    graded = len(verdict_files(made))
    assert 0 < graded < len(CLASS)
    assert_as_undisturbed(made, made.grade(), undisturbed)


def test_a_gradebook_that_is_locked_for_a_while_is_waited_for(made, undisturbed):
    path = made.root / "autograder" / "gradebook.db"
    running = Running(made)
    running.reach_the_middle()
    lock = lock_of(path)
    graded = len(verdict_files(made))
    wait_for("a run that waits", lambda: is_waiting(running, graded))
    lock.rollback()
    lock.close()
    assert_as_undisturbed(made, running.finish(), undisturbed)


def lock_of(path) -> sqlite3.Connection:
    """A connection that lets nobody else read or write, as soon as it gets the chance."""
    lock = sqlite3.connect(path, isolation_level=None, timeout=60)
    lock.execute("BEGIN EXCLUSIVE")
    return lock


def is_waiting(running: Running, graded: int) -> bool:
    """Whether no more is written though workers have nothing left to do."""
    files = verdict_files(running.made)
    assert not running.ended(), running.process.stderr.read()
    idle = not any(running.processes("ipykernel") or [])
    return len(files) in (graded, graded + 1) and idle


def test_a_gradebook_that_stays_locked_ends_the_run_with_a_sentence(made, undisturbed):
    path = made.root / "autograder" / "gradebook.db"
    assert made.grade(students=["a-right"]).code == 0
    lock = lock_of(path)
    impatient = [*made.command()]
    code = impatient.index("-c") + 1
    impatient[code] = "import autograder.ledger\nautograder.ledger.PATIENCE = 1\n" + impatient[code]
    done = subprocess.run(
        impatient, cwd=made.root, env=made.environment(), capture_output=True, text=True
    )
    lock.rollback()
    lock.close()
    assert done.returncode == 1
    assert "locked" in done.stderr and "Traceback" not in done.stderr
    assert_as_undisturbed(made, made.grade(), undisturbed)


@pytest.fixture
def mount():
    """The command `mount`, where this user may use it."""

    def run(*arguments: str) -> None:
        subprocess.run(["mount", *arguments], check=True)

    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount the small disk of this test")
    return run


def test_a_full_disk_ends_the_run_with_a_sentence_and_no_score_is_lost(made, undisturbed, mount):
    used = subprocess.check_output(["du", "-sk", str(made.root / "autograder")], text=True)
    size = int(used.split()[0]) + 450
    # Python itself may leave half of a .pyc where there is no room for it.
    no_caches = {"PYTHONDONTWRITEBYTECODE": "1"}
    with small_disk(made, mount, f"{size}k") as enlarge:
        run = made.grade(no_caches)
        assert run.code == 1
        assert "Traceback" not in run.err
        assert len(verdict_files(made)) < len(CLASS)
        enlarge("64m")
        after = made.grade(no_caches)
        assert after.code == 0, after.err[-2000:]
        assert outcome(after) == undisturbed[0]
        assert differences(book_of(made), undisturbed[1]) == {}


def test_files_that_may_not_grow_end_no_run_with_a_traceback(made, undisturbed):
    """A quota of another kind, for users who cannot mount: the size of a file."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, resource.RLIM_INFINITY))

    done = subprocess.run(
        made.command(),
        cwd=made.root,
        env=made.environment(),
        capture_output=True,
        text=True,
        preexec_fn=limit,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert_as_undisturbed(made, made.grade(), undisturbed)


SPOILED = {
    "emptied": lambda text: "",
    "cut off": lambda text: text[: len(text) // 2],
    "not JSON": lambda text: "points: all",
    "of another kind": lambda text: "[]",
    "forged": lambda text: text.replace('"points": 0.0', '"points": 99.0'),
    "of another key": lambda text: text.replace('"key": "', '"key": "0'),
    "nested": lambda text: "[" * 100_000,
}


def test_spoiled_verdicts_are_earned_again(made, undisturbed):
    assert made.grade().code == 0
    files = verdict_files(made)
    for path, spoil in zip(files, SPOILED.values(), strict=True):
        path.write_text(spoil(path.read_text()))
    folder = made.root / "autograder" / "autograded"
    shutil.rmtree(folder / "a-right")
    (folder / "b-half" / f".{ASSIGNMENT}.new").mkdir()
    (folder / "c-wrong" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").write_text("")
    assert_as_undisturbed(made, made.grade(), undisturbed)


def test_scores_that_were_changed_in_the_gradebook_are_set_right(made, undisturbed):
    assert made.grade().code == 0
    with sqlite3.connect(made.root / "autograder" / "gradebook.db") as book:
        book.execute("UPDATE grade SET auto_score = 1 WHERE auto_score = 2")
    book.close()
    assert_as_undisturbed(made, made.grade(), undisturbed)


def test_a_second_run_judges_nobody_again(made, undisturbed):
    assert made.grade().code == 0
    before = {path: path.stat().st_mtime_ns for path in verdict_files(made)}
    again = made.grade()
    assert_as_undisturbed(made, again, undisturbed)
    assert {path: path.stat().st_mtime_ns for path in verdict_files(made)} == before


def test_the_verdicts_of_a_run_are_plain_json(made):
    made.grade(students=["e-untouched"])
    text = (made.root.parent / "verdicts.json").read_text(encoding="utf-8")
    assert set(json.loads(text)) == {"assignment", "students"}
    assert sys.getsizeof(text) < 100_000
