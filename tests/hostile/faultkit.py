"""A run of grading in the background, to be harmed in the middle, and what it consists of."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.hostile.arena import Arena, Run, processes_of
from tests.hostile.gradebooks import Book, read_book
from tests.hostile.kit import ALL, ASSIGNMENT, WRONG, Attack, find, forged

PATIENCE = 120  # seconds for what must come sooner or later
WAITS = "import time\ntime.sleep(1.5)"


def in_words(notebook) -> None:
    find(notebook, "in_words").source = "Two faults."


# Some wait, so that there is a middle to harm the run in.
CLASS = (
    Attack("a-right", "honest", "", forged(right=ALL)),
    Attack("b-half", "honest", "", forged(right=ALL[:3], extra=WAITS)),
    Attack("c-wrong", "honest", "", forged(answers=WRONG)),
    Attack("d-slow", "honest", "", forged(right=ALL, extra=WAITS, change=in_words)),
    Attack("e-untouched", "honest", "", forged()),
    Attack("f-slow", "honest", "", forged(right=ALL[2:], extra=WAITS)),
    Attack("g-last", "honest", "", forged(right=ALL)),
)


def book_of(made: Arena) -> Book:
    return read_book(f"sqlite:///{made.root / 'autograder' / 'gradebook.db'}")


def outcome(run: Run) -> dict[str, tuple]:
    """What must be the same however often a run was disturbed."""
    return {
        student: (verdict["status"], verdict["score"], verdict["questions"])
        for student, verdict in run.students.items()
    }


def verdict_files(made: Arena) -> list[Path]:
    return sorted((made.root / "autograder" / "verdicts" / ASSIGNMENT).glob("*.json"))


def wait_for(what: str, condition) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"{what} did not come within {PATIENCE} s"
        time.sleep(0.05)


class Running:
    """A run of `autograder grade` that goes on in the background."""

    def __init__(self, made: Arena, variables: Mapping[str, str] | None = None, **options):
        self.made = made
        self.process = subprocess.Popen(
            made.command(**options),
            cwd=made.root,
            env=made.environment(**(variables or {})),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def reach_the_middle(self) -> None:
        """Until a verdict is there and others are still to come."""
        wait_for("a first verdict", lambda: verdict_files(self.made) or self.ended())
        assert not self.ended(), self.process.stderr.read()

    def ended(self) -> bool:
        return self.process.poll() is not None

    def finish(self) -> Run:
        err = self.process.communicate(timeout=PATIENCE)[1]
        return Run(self.process.returncode, "", err, self.made.verdicts())

    def processes(self, words: str) -> list[int]:
        """The processes of this run that have these words in their command line, oldest first."""
        return [pid for pid in descendants(self.process.pid) if words in command_of(pid)]

    def workers(self) -> list[int]:
        """The processes that judge: the children of the one that multiprocessing forks from."""
        (boss,) = [
            pid
            for pid in self.processes("multiprocessing.forkserver")
            if parent_of(pid) == self.process.pid
        ]
        return [pid for pid in descendants(boss) if parent_of(pid) == boss]


def parents() -> dict[int, int]:
    """Process -> its parent, for all of the machine."""
    found = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                status = Path(entry.path, "stat").read_text()
                found[int(entry.name)] = int(status.rpartition(")")[2].split()[1])
    return found


def parent_of(pid: int) -> int | None:
    return parents().get(pid)


def descendants(pid: int) -> list[int]:
    known = parents()
    found, new = [], [pid]
    while new:
        new = sorted(child for child, parent in known.items() if parent in new)
        found += new
    return found


def command_of(pid: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


def kill(pids: list[int]) -> None:
    assert pids, "expected a process to kill, found none"
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def wait_until_all_are_gone(made: Arena) -> None:
    wait_for("the end of all processes", lambda: not processes_of(made.prey.marker))


@contextlib.contextmanager
def small_disk(made: Arena, mount, size: str) -> Iterator:
    """The course's autograder folder on a disk of its own, of `size`; yields how to enlarge it."""
    folder = made.root / "autograder"
    kept = folder.with_name("kept")
    folder.rename(kept)
    folder.mkdir()
    mount("-t", "tmpfs", "-o", f"size={size}", "none", str(folder))
    try:
        subprocess.run(["cp", "-a", f"{kept}/.", str(folder)], check=True)
        yield lambda size: mount("-o", f"remount,size={size}", str(folder))
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
