"""The read-only system that every child sees as its root, put together once in the server."""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass

from . import paths, syscalls
from .identity import FIRST_UID, LAST_SLOT

PRIVATE = "/student"  # where each child has its own file system
HOME = f"{PRIVATE}/home"
PARTS = {"tmp": "/tmp", "shm": "/dev/shm"}  # of that file system, and where they appear
_DEVICE_LINKS = {
    "ptmx": "pts/ptmx",
    "fd": "/proc/self/fd",
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
}


@dataclass(frozen=True)
class Template:
    """What children have to know of it."""

    has_proc: bool
    hidden: tuple[str, ...]  # what is shown where a child's own /tmp or /dev/shm covers it


def build(root: str, readable: Iterable[str], uid: int | None) -> Template:
    """Build it at `root`, in a mount namespace of its own.

    `uid` is the user of every child, None where each slot has its own.
    """
    os.makedirs(root, exist_ok=True)
    options = "mode=755,size=16m,nr_inodes=4k"
    syscalls.mount("tmpfs", root, "tmpfs", syscalls.NO_SUID | syscalls.NO_DEVICES, options)
    for folder in ("dev/pts", "dev/shm", "etc", "proc", "sys", "tmp", PRIVATE[1:]):
        os.makedirs(f"{root}/{folder}")
    for path in paths.SYSTEM:
        if os.path.islink(path):  # such as /bin -> usr/bin
            os.symlink(os.readlink(path), root + path)
    _show(root, [path for path in paths.SYSTEM if not os.path.islink(path)])
    shown = _show(root, [*paths.python_folders(), *readable])
    _show(root, paths.PROCESSORS)
    _copy_settings(root)
    _name_users(root, uid)
    _make_devices(root)
    covering = tuple(f"{place}/" for place in PARTS.values())
    return Template(_mount_proc(root), tuple(p for p in shown if p.startswith(covering)))


def _show(root: str, wanted: Iterable[str]) -> list[str]:
    shown = []
    for real, path in paths.outermost(wanted):
        place = root + path
        make_place(real, place)
        syscalls.bind_read_only(real, place)
        shown.append(path)
    return shown


def make_place(real: str, place: str) -> None:
    """A folder or file at `place`, on which the folder or file `real` can be mounted."""
    if os.path.isdir(real):
        os.makedirs(place, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        open(place, "a").close()


def _copy_settings(root: str) -> None:
    """Copies and not mounts: each mount costs every child."""
    for path in paths.SETTINGS:
        os.makedirs(os.path.dirname(root + path), exist_ok=True)
        if os.path.isdir(path):
            shutil.copytree(path, root + path, symlinks=True, ignore_dangling_symlinks=True)
        elif os.path.exists(path):
            shutil.copyfile(path, root + path)


def _name_users(root: str, uid: int | None) -> None:
    """Every child is "student"; the machine's own users are nobody's business."""
    students = range(FIRST_UID, FIRST_UID + LAST_SLOT) if uid is None else [uid]
    groups = [number for number in students if number]
    files = {
        "passwd": [
            "root:x:0:0:root:/:/usr/sbin/nologin",
            *(f"student:x:{n}:{n}:student:{HOME}:/bin/sh" for n in groups),
        ],
        "group": ["root:x:0:", *(f"student:x:{n}:" for n in groups)],
        "nsswitch.conf": ["passwd: files", "group: files", "hosts: files"],
        "hosts": ["127.0.0.1 localhost"],
    }
    for name, lines in files.items():
        with open(f"{root}/etc/{name}", "w") as file:
            file.write("\n".join(lines) + "\n")


def _make_devices(root: str) -> None:
    for name in paths.DEVICES:
        open(f"{root}/dev/{name}", "w").close()
        syscalls.mount(f"/dev/{name}", f"{root}/dev/{name}", None, syscalls.BIND)
    for name, target in _DEVICE_LINKS.items():
        os.symlink(target, f"{root}/dev/{name}")


def _mount_proc(root: str) -> bool:
    """The server's own /proc: an ordinary user's children may mount theirs only beside it.

    Where the machine masks /proc nobody may mount one; then a few files describe the machine.
    """
    flags = syscalls.NO_SUID | syscalls.NO_DEVICES | syscalls.NO_EXEC
    try:
        syscalls.mount("proc", f"{root}/proc", "proc", flags)
    except OSError:
        for name in paths.MACHINE:
            with open(f"/proc/{name}", "rb") as source, open(f"{root}/proc/{name}", "wb") as copy:
                copy.write(source.read(1 << 20))
        return False
    return True
