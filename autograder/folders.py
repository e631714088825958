"""Reading from folders that others filled: ordinary files only, no links, no waiting, bounded."""

import errno
import itertools
import os
import re
import stat
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder.limits import MIB
from autograder.refusals import Refused

# No component may be a link; no open may wait for a writer or take over a terminal.
FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
MAX_LISTED = 2000
SHOWN_CHARACTERS = 60
KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
# What browsers and file managers make of a name: "x (1)", "x-Copy1", "x - Copy", "x copy 2", "x 2".
MARK = r"(?:[ _-]{0,3}(?:\(\d{1,3}\)|copy ?\d{0,3}|副本)| \d{1,2})"


@contextmanager
def open_folder(folder: Path, unfollowed: int) -> Iterator[int]:
    """A descriptor of the folder; the last `unfollowed` parts of its path may not be links.

    Raises Refused where a part is missing, a link, or no folder.
    """
    parts = Path(os.path.abspath(folder)).parts
    try:
        directory = os.open(Path(*parts[:-unfollowed]), FOLDER_FLAGS & ~os.O_NOFOLLOW)
        for part in parts[-unfollowed:]:
            directory = _open_inside(directory, part)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            raise Refused("no_folder") from error
        raise Refused("unreadable", name=shown(parts[-1]), problem=error.strerror) from error
    try:
        yield directory
    finally:
        os.close(directory)


def _open_inside(directory: int, name: str) -> int:
    """A descriptor of a folder in `directory`, which is closed."""
    try:
        return os.open(name, FOLDER_FLAGS, dir_fd=directory)
    finally:
        os.close(directory)


def list_names(directory: int) -> list[str]:
    """The names in a folder, sorted, at most MAX_LISTED of them; odd bytes as surrogates."""
    with os.scandir(directory) as entries:
        return sorted(entry.name for entry in itertools.islice(entries, MAX_LISTED))


def read_file(directory: int, name: str, limit: int) -> tuple[bytes, os.stat_result]:
    """The bytes of an ordinary file and its status. `limit` is in bytes.

    Raises FileNotFoundError, and Refused for whatever is not an ordinary file of that size.
    """
    try:
        _check_kind(os.stat(name, dir_fd=directory, follow_symlinks=False), name)
        opened = os.open(name, FILE_FLAGS, dir_fd=directory)
        try:
            status = os.fstat(opened)  # what was opened may be another than what was looked at
            _check_kind(status, name)
            content = _read(opened, limit, status.st_size)
        finally:
            os.close(opened)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Refused("unreadable", name=shown(name), problem=error.strerror) from error
    if content is None:
        raise Refused("too_large", name=shown(name), limit=limit // MIB)
    return content, status


def _read(opened: int, limit: int, size: int) -> bytes | None:
    """All that the file holds; None where that is more than `limit`, also while it grows."""
    if size > limit:
        return None
    pieces, left = [], limit + 1
    while left and (piece := os.read(opened, min(left, MIB))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces) if left else None


def _check_kind(status: os.stat_result, name: str) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise Refused("link", name=shown(name))
    if not stat.S_ISREG(status.st_mode):
        kind = KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise Refused("not_a_file", name=shown(name), kind=kind)
    if status.st_nlink > 1:
        raise Refused("hard_link", name=shown(name))


def shown(name: str) -> str:
    """A file name that may stand in a sentence: printable, not too long."""
    text = name.encode("utf-8", "backslashreplace").decode()
    text = "".join(each if each.isprintable() else "\ufffd" for each in text)
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"


def plain(name: str) -> str:
    """A name for comparing: without the differences between systems in case and Unicode form."""
    return unicodedata.normalize("NFKC", name).casefold()


def find_variants(wanted: str, names: Iterable[str]) -> list[str]:
    """The names that a browser or file manager could have made of `wanted`, an .ipynb."""
    stem = re.escape(plain(wanted.removesuffix(".ipynb")))
    pattern = re.compile(rf"{stem}{MARK}{{0,2}}\s?\.ipynb(?:\.txt|\.json)?")
    return [name for name in names if len(name) < 256 and pattern.fullmatch(plain(name))]
