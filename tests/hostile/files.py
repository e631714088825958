"""Submission folders with links, pipes, devices, odd names, receipt times, files of their own."""

import os
import socket
from pathlib import Path

from nbformat import NotebookNode

from tests.hostile.kit import (
    ALL,
    ASSIGNMENT,
    KEEPS_ALL,
    NOTHING,
    Attack,
    Expect,
    Material,
    forge,
    forged,
    put,
    rejected,
    with_files,
)

NAME = f"{ASSIGNMENT}.ipynb"
MENDED_OR_NOT = Expect("either", may_earn=ALL)


def right(given: Material) -> NotebookNode:
    return forge(given, right=ALL)


def link_to(target: str):
    """In place of the notebook, a symbolic link."""

    def write(folder: Path, given: Material) -> None:
        (folder / NAME).symlink_to(given.prey.fill(target))

    return write


def hard_link(folder: Path, given: Material) -> None:
    secret = Path(given.prey.secret)
    if not secret.exists():
        secret = folder / "original"
        secret.touch()
    os.link(secret, folder / NAME)


def link_folder(target: str):
    """In place of the assignment's folder, a symbolic link."""

    def write(folder: Path, given: Material) -> None:
        folder.rmdir()
        folder.symlink_to(given.prey.fill(target))

    return write


def link_student(folder: Path, given: Material) -> None:
    """In place of the student's folder, a link to another student's."""
    student = folder.parent
    folder.rmdir()
    student.rmdir()
    student.symlink_to(Path(given.prey.other).parents[1])


def link_loop(folder: Path, given: Material) -> None:
    (folder / NAME).symlink_to(NAME)


def pipe(folder: Path, given: Material) -> None:
    os.mkfifo(folder / NAME)


def listening_socket(folder: Path, given: Material) -> None:
    before = os.open(".", os.O_RDONLY)
    try:
        os.chdir(folder)  # the path of a socket must be short
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(NAME)
    finally:
        os.fchdir(before)
        os.close(before)


def directory(folder: Path, given: Material) -> None:
    (folder / NAME).mkdir()
    (folder / NAME / NAME).write_text("{}")


def no_permission(folder: Path, given: Material) -> None:
    put(folder, right(given))
    (folder / NAME).chmod(0)


def sparse(folder: Path, given: Material) -> None:
    with (folder / NAME).open("wb") as file:
        file.truncate(1 << 40)


def empty_folder(folder: Path, given: Material) -> None:
    pass


def many_files(folder: Path, given: Material) -> None:
    put(folder, right(given))
    for number in range(5000):
        (folder / f"data{number}.csv").touch()


def odd_names(folder: Path, given: Material) -> None:
    put(folder, right(given))
    for name in (b"\xff\xfe.ipynb", b"a\nb.txt", b"-rf", b"$(touch x)", b"<img src=x>.html"):
        Path(os.fsdecode(os.path.join(os.fsencode(folder), name))).touch()


def other_name(name: str):
    def write(folder: Path, given: Material) -> None:
        put(folder, right(given))
        (folder / NAME).rename(folder / name)

    return write


def two_versions(folder: Path, given: Material) -> None:
    put(folder, right(given))
    (folder / NAME).rename(folder / f"{ASSIGNMENT} (1).ipynb")
    put(folder, forge(given))
    (folder / NAME).rename(folder / f"{ASSIGNMENT}-Copy1.ipynb")


def timed(text: str | bytes):
    """Right answers with a timestamp of the learner's own making."""
    return with_files(forged(right=ALL), timestamp__txt=text)


def _file(name: str, does: str, write, expect: Expect) -> Attack:
    return Attack(f"file-{name}", "files", does, write, expect)


def _beside(name: str, does: str, **files: str) -> Attack:
    """A wrong or untouched notebook, and a file that is to help it."""
    return _file(f"beside-{name}", does, with_files(forged(), **files), NOTHING)


FAKE_MODULE = "def __getattr__(name): return lambda *args, **kwargs: None\n"
CONFIG = """
import pathlib
pathlib.Path("@SECRET@.pwned").touch()
c = get_config()
c.Execute.timeout = -1
c.ClearSolutions.code_stub = {}
"""
CORPUS = (
    _file("link-secret", "a symbolic link to a secret", link_to("@SECRET@"), rejected("link")),
    _file("link-solution", "a symbolic link to the solution",
        link_to(f"@COURSE@/solutions/en/{ASSIGNMENT}/{NAME}"), rejected("link")),
    _file("link-other", "a symbolic link to another student's", link_to("@OTHER@"),
        rejected("link")),
    _file("link-device", "a symbolic link to /dev/zero", link_to("/dev/zero"), rejected("link")),
    _file("link-terminal", "a symbolic link to /dev/tty", link_to("/dev/tty"), rejected("link")),
    _file("link-loop", "a symbolic link to itself", link_loop, rejected("link")),
    _file("link-nowhere", "a symbolic link to nothing", link_to("/no/such/file"),
        rejected("link")),
    _file("link-hard", "a hard link to a secret", hard_link, rejected("hard link")),
    _file("link-folder", "the folder is a link to the solution's folder",
        link_folder(f"@COURSE@/solutions/en/{ASSIGNMENT}"), rejected("link")),
    _file("link-proc", "the folder is a link into /proc", link_folder("/proc/self/cwd"),
        rejected("link")),
    _file("link-student", "the student's folder is a link to another student's", link_student,
        rejected("link")),
    _file("fifo", "a pipe that nobody writes to", pipe, rejected("pipe")),
    _file("socket", "a socket", listening_socket, rejected("socket")),
    _file("directory", "a folder of the notebook's name", directory, rejected("folder")),
    _file("sparse", "a sparse file of a terabyte", sparse, rejected("larger than")),
    _file("permission", "a file that nobody may read", no_permission, MENDED_OR_NOT),
    _file("none", "an empty folder", empty_folder, rejected("No file")),
    _file("many", "right, with five thousand files beside it", many_files, KEEPS_ALL),
    _file("names-odd", "right, beside names that are no text, options or markup", odd_names,
        KEEPS_ALL),
    _file("name-browser", "right, under a browser's second name",
        other_name(f"{ASSIGNMENT} (1).ipynb"), KEEPS_ALL),
    _file("name-other", "right, under another name", other_name("Untitled.ipynb"),
        rejected("rename")),
    _file("name-two", "two versions under browsers' names", two_versions, rejected("Several")),
    _file("time-forged", "right, a receipt time before the release", timed("1999-01-01 00:00 UTC"),
        KEEPS_ALL),
    _file("time-future", "right, a receipt time in the year 9999", timed("9999-12-31 23:59 UTC"),
        KEEPS_ALL),
    _file("time-invalid", "right, a receipt time that is no time", timed("yesterday, I swear"),
        KEEPS_ALL),
    _file("time-bytes", "right, a receipt time of bytes", timed(b"\xff\x00" * 5000), KEEPS_ALL),
    _file("time-odd-zone", "right, a time zone that overflows",
        timed("2024-01-01 00:00:00.000000 +99:99"), KEEPS_ALL),
    _beside("torch", "a torch.py of its own", torch__py=FAKE_MODULE),
    _beside("lens", "a lens.py of its own", lens__py=FAKE_MODULE),
    _beside("sitecustomize", "start-up files of Python and IPython",
        sitecustomize__py=FAKE_MODULE, usercustomize__py=FAKE_MODULE,
        ipython_config__py="c.InteractiveShellApp.exec_lines = ['x']"),
    _beside("config", "an nbgrader_config.py that runs code", nbgrader_config__py=CONFIG,
        jupyter_config__py=CONFIG, jupyter_nbconvert_config__py=CONFIG),
    _beside("html", "a feedback page of its own", **{f"{ASSIGNMENT}__html": "<h1>100 points</h1>"}),
    _beside("gradebook", "a gradebook of its own", gradebook__db="SQLite format 3\0"),
)  # fmt: skip
