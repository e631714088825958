"""Landlock: a process gives up files and signals for good, without any privilege (Linux 5.13)."""

import os
import stat
import struct
from collections.abc import Iterable

from . import syscalls

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER = 1, 2, 4, 8
_MAKE_CHARACTER_DEVICE, _MAKE_BLOCK_DEVICE = 1 << 6, 1 << 11
_TRUNCATE, _IOCTL_DEVICE = 1 << 14, 1 << 15
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE
_LOOK = _EXECUTE | _READ_FILE | _READ_FOLDER
_TCP = 3  # bind, connect
_SCOPED = 3  # abstract Unix sockets, signals
_ASK_VERSION = 1
_BENEATH = 1  # LANDLOCK_RULE_PATH_BENEATH


def version() -> int:
    """Which edition of Landlock the kernel has; OSError where it has none."""
    return syscalls.call("landlock_create_ruleset", None, 0, _ASK_VERSION)


def _rights(edition: int) -> tuple[int, bytes]:
    """All rights on files that this edition handles, and the ruleset that handles everything."""
    files = (1 << 13) - 1
    for since, right in ((2, 1 << 13), (3, _TRUNCATE), (5, _IOCTL_DEVICE)):
        if edition >= since:
            files |= right
    attributes = struct.pack("QQQ", files, _TCP, _SCOPED)
    return files, attributes[: 8 if edition < 4 else 16 if edition < 6 else 24]


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _ON_FILES
        rule = struct.pack("=Qi", rights, place)
        syscalls.call("landlock_add_rule", ruleset, _BENEATH, rule, 0)
    finally:
        os.close(place)


def restrict(readable: Iterable[str], writable: Iterable[str], devices: Iterable[str]) -> None:
    """From now on these files and folders, and nothing else, can be opened."""
    files, attributes = _rights(version())
    ruleset = syscalls.call("landlock_create_ruleset", attributes, len(attributes), 0)
    try:
        for path in readable:
            _allow(ruleset, path, _LOOK & files)
        for path in writable:
            _allow(ruleset, path, files & ~(_MAKE_CHARACTER_DEVICE | _MAKE_BLOCK_DEVICE))
        for path in devices:
            _allow(ruleset, path, (_READ_FILE | _WRITE_FILE | _TRUNCATE | _IOCTL_DEVICE) & files)
        syscalls.forbid_new_privileges()
        syscalls.call("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)
