"""What lies in a submission folder, as bytes of bounded size, or a sentence why it cannot be used.

The folder is a learner's: nothing in it is followed, waited for, unpacked or believed.
"""

import os
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from autograder import reader, zips
from autograder.folders import find_variants, list_names, open_folder, plain, read_file, shown
from autograder.refusals import Refused

TIMESTAMP = "timestamp.txt"
TIMESTAMP_BYTES = 4096
TIMESTAMP_TEXT = re.compile(r"[12]\d{3}-\d\d?-\d\d?[ T]\d\d?:\d\d[\w .:+/-]{0,40}")
NUMERIC_ZONE = re.compile(r" ([+-]\d\d):?(\d\d)$")
CLOCK_SLACK = timedelta(minutes=10)  # between the clocks of two machines
STUDENT_CHARACTERS = 100
NO_STUDENT = re.compile(r"[*?\[\]{}\\:<>\"|&;$!`]")  # patterns, formats, paths, markup, shells
ARCHIVES = (".tar", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar")
NAMED_IN_NOTE = 5


@dataclass(frozen=True)
class Received:
    """A submission's notebooks. `received` is aware, in UTC; None where no time was recorded.

    `received` is what timestamp.txt says where it can be so: a readable date, not after the file
    came into this folder (its ctime, which the server's clock sets; a learner cannot). A collector
    writes timestamp.txt by the server's clock; in a file that a learner wrote, too early a time
    cannot be told here. Where it is no date, or too late a one, `received` is the ctime of the
    newest notebook, and a note says so.
    """

    notebooks: dict[str, bytes]  # by notebook id
    notes: tuple[str, ...] = ()
    received: datetime | None = None


@dataclass(frozen=True)
class Refusal:
    """A submission that cannot be graded: one sentence why, one what to do."""

    reason: str


@dataclass
class _Gathered:
    """What was found so far, by notebook id."""

    notebooks: dict[str, bytes] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)  # names of files
    arrived: float = 0.0  # ctime of the newest file used, seconds since the epoch

    def add(self, notebook: str, content: bytes, status: os.stat_result, name: str) -> None:
        self.notebooks[notebook] = content
        self.arrived = max(self.arrived, status.st_ctime)
        self.used.add(name)


def receive(folder: Path, expected: Collection[str]) -> Received | Refusal:
    """The expected notebooks (ids, without .ipynb) of submitted/<student>/<assignment>.

    Never raises, whatever lies there. A missing notebook is noted where another one is there.
    """
    try:
        with open_folder(folder, unfollowed=2) as directory:
            return _gather(directory, sorted(expected))
    except Refused as refused:
        return Refusal(str(refused))
    except OSError as error:
        name = shown(Path(folder).name)
        return Refusal(str(Refused("unreadable", name=name, problem=error.strerror)))


def list_students(submitted: Path, assignment: str) -> dict[str, Path | Refusal]:
    """Student id -> folder of the submission, or why it has none; sorted.

    Folders whose name cannot be a student's are refused, under that name made printable; so are
    links. Hidden and ordinary files are not submissions.
    """
    if not submitted.is_dir():
        return {}
    students: dict[str, Path | Refusal] = {}
    misnamed = []
    for entry in os.scandir(submitted):
        if entry.name.startswith(".") or entry.is_file(follow_symlinks=False):
            continue
        folder = submitted / entry.name / assignment
        if not may_be_student(entry.name):
            misnamed.append(entry.name)
        elif not entry.is_dir(follow_symlinks=False):
            students[entry.name] = Refusal(str(Refused("no_folder")))
        elif os.path.lexists(folder):
            students[entry.name] = folder
    for name in sorted(misnamed):
        printable = shown(name)
        while printable in students:  # each of them gets its verdict
            printable += "~"
        students[printable] = Refusal(str(Refused("bad_name", name=shown(name))))
    return dict(sorted(students.items()))


def may_be_student(name: str) -> bool:
    sane = name.isprintable() and name == name.strip() and not NO_STUDENT.search(name)
    return sane and len(name) <= STUDENT_CHARACTERS


def _gather(directory: int, expected: list[str]) -> Received | Refusal:
    names = list_names(directory)
    got = _Gathered()
    for notebook in expected:
        try:
            _take(directory, notebook, names, expected, got)
        except Refused as refused:
            got.problems[notebook] = str(refused)
    zipped = [name for name in names if name.lower().endswith(".zip")]
    if got.problems and zipped:
        _take_from_zip(directory, zipped, got)
    if not got.notebooks:
        return Refusal(next(iter(got.problems.values())))
    for notebook, problem in got.problems.items():
        got.notes.append(f"{notebook}.ipynb gives no points: {problem}")
    _note_what_is_left(names, got)
    received = _receipt(directory, got)
    return Received(got.notebooks, tuple(got.notes), received)


def _take(
    directory: int, notebook: str, names: list[str], expected: Collection[str], got: _Gathered
) -> None:
    """One notebook, under its name or the only one that a browser could have made of it."""
    wanted = f"{notebook}.ipynb"
    try:
        got.add(notebook, *read_file(directory, wanted, reader.MAX_BYTES), wanted)
        return
    except FileNotFoundError:
        pass
    others = [name for name in names if name.removesuffix(".ipynb") not in expected]
    like = find_variants(wanted, others)
    if len(like) > 1:
        raise Refused("several", name=wanted, others=", ".join(map(shown, like[:NAMED_IN_NOTE])))
    if not like:
        raise _why_missing(wanted, others)
    try:
        got.add(notebook, *read_file(directory, like[0], reader.MAX_BYTES), like[0])
    except FileNotFoundError:  # removed since it was listed
        raise Refused("missing", name=wanted) from None
    got.notes.append(f"{shown(like[0])} was taken for {wanted}.")


def _why_missing(wanted: str, names: list[str]) -> Refused:
    archives = [name for name in names if name.lower().endswith(ARCHIVES)]
    notebooks = [name for name in names if plain(name).endswith(".ipynb")]
    if notebooks:
        return Refused("other_name", name=wanted, other=shown(notebooks[0]))
    if archives:
        return Refused("archive", name=wanted, other=shown(archives[0]))
    return Refused("missing", name=wanted)


def _take_from_zip(directory: int, zipped: list[str], got: _Gathered) -> None:
    """What is missing so far, out of the only zip in the folder."""
    wanted = {f"{notebook}.ipynb": notebook for notebook in got.problems}
    name = zipped[0]
    try:
        if len(zipped) > 1:
            others = ", ".join(map(shown, zipped[:NAMED_IN_NOTE]))
            raise Refused("several", name=next(iter(wanted)), others=others)
        raw, status = read_file(directory, name, zips.MAX_BYTES)
        found = zips.read_zip(raw, name, wanted, reader.MAX_BYTES)
    except FileNotFoundError:  # removed since it was listed
        return
    except Refused as refused:
        got.problems = dict.fromkeys(got.problems, str(refused))
        return
    for path, notebook in wanted.items():
        if path not in found:
            got.problems[notebook] = str(Refused("not_in_zip", name=path, other=shown(name)))
            continue
        got.add(notebook, found[path], status, name)
        del got.problems[notebook]
        got.notes.append(f"{path} was taken out of {shown(name)}.")


def _note_what_is_left(names: list[str], got: _Gathered) -> None:
    left = [
        name
        for name in names
        if name not in got.used and name != TIMESTAMP and not name.startswith(".")
    ]
    if left:
        named = ", ".join(map(shown, left[:NAMED_IN_NOTE]))
        more = f" and {len(left) - NAMED_IN_NOTE} more" if len(left) > NAMED_IN_NOTE else ""
        got.notes.append(f"Left out, since only the notebooks are graded: {named}{more}.")


def _receipt(directory: int, got: _Gathered) -> datetime | None:
    """When the submission was received; see `Received`."""
    try:
        raw, status = read_file(directory, TIMESTAMP, TIMESTAMP_BYTES)
        said = _parse_time(reader.decode(raw)[0].strip("\ufeff\0 \t\r\n"))
    except FileNotFoundError:
        return None
    except Refused as refused:
        got.notes.append(f"The time of receipt is that of the file on this machine: {refused}")
    else:
        if said and said <= datetime.fromtimestamp(status.st_ctime, UTC) + CLOCK_SLACK:
            return said
        why = "names a later time than it can" if said else "holds no date that can be read"
        got.notes.append(
            f"{TIMESTAMP} {why}; the time of receipt is that of the file on this machine."
        )
    return datetime.fromtimestamp(got.arrived, UTC)


def _parse_time(text: str) -> datetime | None:
    """nbgrader's own reading of its timestamps, in UTC; None for what is none."""
    if not TIMESTAMP_TEXT.fullmatch(text):
        return None
    from nbgrader.utils import parse_utc  # only where there is a time to read

    text = NUMERIC_ZONE.sub(r"\1:\2", text)  # after a blank, nbgrader takes +0800 for 800 seconds
    try:
        return parse_utc(text).replace(tzinfo=UTC)
    except (ValueError, OverflowError, TypeError):
        return None
