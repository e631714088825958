"""Notebooks out of a zip that a learner sent, without ever unpacking it to disk.

Whose it is and which assignment is decided by where the zip lies, never by names inside it.
"""

import stat
import zipfile
from collections.abc import Collection
from io import BytesIO

from autograder.folders import find_variants, shown
from autograder.limits import MIB
from autograder.refusals import Refused

MAX_BYTES = 40 * MIB
MAX_MEMBERS = 5000
MAX_RATIO = 200  # notebooks reach 50
SMALL = 1 * MIB  # below, the ratio does not matter
MAX_DEPTH = 2  # the notebook lies at the root, or in one folder
MEMBER_RECORD = b"PK\x01\x02"
ENCRYPTED = 0x1
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def read_zip(raw: bytes, name: str, wanted: Collection[str], limit: int) -> dict[str, bytes]:
    """The wanted notebooks ("x.ipynb") that are in it, each of at most `limit` bytes.

    Looks at the root and one folder deep. Raises Refused, nothing else; `name` is for its sentence.
    """
    # Counted first: each record becomes an object of ten times its size.
    if raw.count(MEMBER_RECORD) > MAX_MEMBERS:
        raise Refused("zip_many", name=shown(name), limit=MAX_MEMBERS)
    try:
        with zipfile.ZipFile(BytesIO(raw)) as archive:
            members = _members(archive, name)
            chosen = {each: _choose(each, members, wanted) for each in wanted}
            found = {
                each: _read(archive, members[path], name, limit)
                for each, path in chosen.items()
                if path is not None
            }
    except Refused:
        raise
    except Exception as error:  # zipfile raises a dozen kinds for what is damaged
        raise Refused("zip_broken", name=shown(name)) from error
    if not found and any(path.lower().endswith(".zip") for path in members):
        raise Refused("zip_nested", name=shown(name))
    return found


def _members(archive: zipfile.ZipFile, name: str) -> dict[str, zipfile.ZipInfo]:
    """Path -> member, for the files that lie no deeper than a notebook may."""
    members: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        path = info.filename.replace("\\", "/")
        parts = path.split("/")
        if path.startswith("/") or ".." in parts or path[1:2] == ":":
            raise Refused("zip_outside", name=shown(name))
        if info.is_dir() or path.endswith("/") or len(parts) > MAX_DEPTH:
            continue
        if parts[0] == "__MACOSX":  # what macOS adds to the zips that it makes
            continue
        if path in members:
            raise Refused("several", name=shown(path), others=f"{shown(name)} has two")
        members[path] = info
    return members


def _choose(wanted: str, members: Collection[str], all_wanted: Collection[str]) -> str | None:
    """The path of the wanted notebook, under its own name or the only one like it."""
    exact = [path for path in members if path.rpartition("/")[2] == wanted]
    others = {path.rpartition("/")[2] for path in members} - set(all_wanted)
    like = set(find_variants(wanted, others))
    chosen = exact or [path for path in members if path.rpartition("/")[2] in like]
    if len(chosen) > 1:
        raise Refused("several", name=wanted, others=", ".join(map(shown, sorted(chosen)[:5])))
    return chosen[0] if chosen else None


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, limit: int) -> bytes:
    """The content of a member; what its header claims is not relied on for the size."""
    name = shown(f"{name}/{info.filename}")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise Refused("link", name=name)
    if info.flag_bits & ENCRYPTED:
        raise Refused("zip_locked", name=name)
    if info.compress_type not in METHODS:
        raise Refused("zip_method", name=name)
    if info.file_size > limit:
        raise Refused("too_large", name=name, limit=limit // MIB)
    if info.file_size > max(SMALL, MAX_RATIO * info.compress_size):
        raise Refused("zip_swells", name=name)
    with archive.open(info) as member:
        content = member.read(limit + 1)
    if len(content) > limit:
        raise Refused("too_large", name=name, limit=limit // MIB)
    return content
