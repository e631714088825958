"""Archives in place of the notebook, and folders that name somebody else."""

import io
import json
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

from tests.hostile.kit import (
    ALL,
    ASSIGNMENT,
    KEEPS_ALL,
    Attack,
    Expect,
    Material,
    forge,
    forged,
    rejected,
)

NAME = f"{ASSIGNMENT}.ipynb"


def zipped(fill: Callable[[zipfile.ZipFile, str], object], name: str = f"{ASSIGNMENT}.zip"):
    """A zip in the folder, filled by `fill`, which gets the right notebook as text."""

    def write(folder: Path, given: Material) -> None:
        text = json.dumps(forge(given, right=ALL))
        with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
            fill(archive, text)

    return write


def at(path: str):
    return zipped(lambda archive, text: archive.writestr(path, text))


def linked(target: str):
    def fill(archive: zipfile.ZipFile, text: str) -> None:
        info = zipfile.ZipInfo(NAME)
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, target)

    return zipped(fill)


def inner(archive: zipfile.ZipFile, text: str) -> None:
    inside = io.BytesIO()
    with zipfile.ZipFile(inside, "w") as deeper:
        deeper.writestr(NAME, text)
    archive.writestr("inner.zip", inside.getvalue())


def explode(archive: zipfile.ZipFile, text: str) -> None:
    """A gigabyte of blanks in a megabyte."""
    with archive.open(zipfile.ZipInfo(NAME), "w") as member:
        for _ in range(64):
            member.write(b" " * (1 << 20))


def quine_like(archive: zipfile.ZipFile, text: str) -> None:
    """Layers of zips of zips, each ten times the one inside."""
    content = b" " * (1 << 20)
    for layer in range(4):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as deeper:
            for number in range(10):
                deeper.writestr(f"{layer}-{number}.zip", content)
        content = made.getvalue()
    archive.writestr("layers.zip", content)


def many(archive: zipfile.ZipFile, text: str) -> None:
    for number in range(6000):
        archive.writestr(f"x{number}", b"")
    archive.writestr(NAME, text)


def twice(archive: zipfile.ZipFile, text: str) -> None:
    archive.writestr(f"a/{NAME}", text)
    archive.writestr(f"b/{NAME}", "{}")


def lying_size(folder: Path, given: Material) -> None:
    """A member whose header says that it is small."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(NAME, b" " * (100 << 20))
    raw = made.getvalue()
    size = (100 << 20).to_bytes(4, "little")
    (folder / f"{ASSIGNMENT}.zip").write_bytes(raw.replace(size, (1000).to_bytes(4, "little")))


def locked(folder: Path, given: Material) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(NAME, "{}")
    raw = bytearray(made.getvalue())
    raw[6] |= 1
    raw[raw.rindex(b"PK\x01\x02") + 8] |= 1
    (folder / f"{ASSIGNMENT}.zip").write_bytes(bytes(raw))


def broken(folder: Path, given: Material) -> None:
    (folder / f"{ASSIGNMENT}.zip").write_bytes(b"PK\x03\x04" + b"\0" * 500)


def zip_named_notebook(folder: Path, given: Material) -> None:
    zipped(lambda archive, text: archive.writestr(NAME, text), NAME)(folder, given)


def tar(folder: Path, given: Material) -> None:
    (folder / f"{ASSIGNMENT}.tar.gz").write_bytes(b"\x1f\x8b" + b"\0" * 100)


def _zip(name: str, does: str, write, expect: Expect) -> Attack:
    return Attack(f"zip-{name}", "archives", does, write, expect)


def _folder(name: str, does: str, folder: str, expect: Expect) -> Attack:
    write = forged(right=ALL)
    return Attack(f"name-{name}", "names of folders", does, write, expect, folder)


BAD = rejected("name")
CORPUS = (
    _zip("root", "right, in a zip", at(NAME), KEEPS_ALL),
    _zip("folder", "right, in a folder in a zip", at(f"homework/{NAME}"), KEEPS_ALL),
    _zip("other-student", "right, in a zip that names another student inside",
        at(f"a-honest-right/{NAME}"), KEEPS_ALL),
    _zip("deep", "right, five folders deep in a zip", at(f"a/b/c/d/e/{NAME}"), rejected()),
    _zip("outside", "a zip that would unpack outside", at(f"../../a-honest-right/{NAME}"),
        rejected("outside")),
    _zip("absolute", "a zip with an absolute path", at(f"/etc/{NAME}"), rejected("outside")),
    _zip("drive", "a zip with a drive's letter", at(f"C:\\work\\{NAME}"), rejected("outside")),
    _zip("link", "a zip that holds a symbolic link", linked("/etc/passwd"), rejected("link")),
    _zip("nested", "a zip in a zip", zipped(inner), rejected("another zip")),
    _zip("bomb", "64 MB of blanks in a zip", zipped(explode), rejected()),
    _zip("layers", "zips of zips that grow tenfold", zipped(quine_like), rejected()),
    _zip("many", "a zip of six thousand files", zipped(many), rejected("more than")),
    _zip("twice", "a zip with two notebooks of the name", zipped(twice), rejected("Several")),
    _zip("size-lies", "a zip whose sizes lie", lying_size, rejected()),
    _zip("locked", "a zip with a password", locked, rejected("password")),
    _zip("broken", "a damaged zip", broken, rejected("damaged")),
    _zip("notebook", "a zip that is called a notebook", zip_named_notebook, rejected("zip")),
    _zip("empty", "a zip of nothing", zipped(lambda archive, text: None), rejected()),
    _zip("tar", "another kind of archive", tar, rejected("archive")),
    _folder("bytes", "a folder whose name is not UTF-8", "name-\udcff\udcfe", BAD),
    _folder("newline", "a folder whose name holds a line break", "name-a\nb", BAD),
    _folder("escape", "a folder whose name holds terminal codes", "name-\x1b[31mred", BAD),
    _folder("markup", "a folder whose name is markup", "name-<img src=x onerror=alert(1)>", BAD),
    _folder("pattern", "a folder whose name is a pattern for all", "name-*", BAD),
    _folder("format", "a folder whose name is a format", "name-{student_id.__class__}", BAD),
    _folder("shell", "a folder whose name is a command", "name-$(touch pwned)", BAD),
    _folder("long", "a folder of 200 characters", "name-" + "x" * 200, BAD),
    _folder("right-to-left", "a folder whose name turns the line", "name-\u202egnp", BAD),
    _folder("blank", "a folder whose name ends in a blank", "name-blank ", BAD),
    _folder("option", "a folder whose name is an option", "--force", Expect(
        "either", may_earn=ALL)),
    _folder("dots", "a hidden folder, which is no submission", "...", Expect("ignored")),
    _folder("quote", "a folder whose name holds a quote", "name-o'hara", KEEPS_ALL),
    _folder("chinese", "a folder with a Chinese name and a blank", "name-王 小明", KEEPS_ALL),
    _folder("percent", "a folder whose name holds a percent sign", "name-100%s", KEEPS_ALL),
)  # fmt: skip
