"""The few Linux system calls that Python has no function for, by ctypes; errors are OSError."""

import ctypes
import functools
import os
import platform
import struct
import sys

NEW_MOUNTS = 0x00020000  # clone(2): CLONE_NEWNS and so on
NEW_UTS = 0x04000000
NEW_IPC = 0x08000000
NEW_USER = 0x10000000
NEW_PIDS = 0x20000000
NEW_NET = 0x40000000

READ_ONLY = 1  # mount(2): MS_RDONLY and so on
NO_SUID = 2
NO_DEVICES = 4
NO_EXEC = 8
REMOUNT = 32
BIND = 4096
RECURSIVE = 16384
PRIVATE = 1 << 18

_DETACH = 2  # umount2(2): MNT_DETACH
_SET_PARENT_DEATH_SIGNAL = 1  # prctl(2)
_SET_DUMPABLE = 4
_SET_SECCOMP = 22
_FILTER = 2
_DROP_BOUNDING = 24
_SET_CHILD_SUBREAPER = 36
_SET_NO_NEW_PRIVILEGES = 38
_LAST_CAPABILITY = 63  # as many as the kernel's interface can name

_NUMBERS = {
    "x86_64": {"pivot_root": 155, "capset": 126},
    "aarch64": {"pivot_root": 41, "capset": 91},
}
_NUMBERS_EVERYWHERE = {
    "mount_setattr": 442,
    "landlock_create_ruleset": 444,
    "landlock_add_rule": 445,
    "landlock_restrict_self": 446,
}


def machine() -> str:
    """ "x86_64" or "aarch64"; OSError on anything else, whose numbers nobody checked."""
    name = {"arm64": "aarch64", "amd64": "x86_64"}.get(platform.machine().lower())
    name = name or platform.machine().lower()
    if not sys.platform.startswith("linux") or name not in _NUMBERS or struct.calcsize("P") != 8:
        raise OSError(
            f"expected 64-bit Linux on x86_64 or arm64, got {sys.platform} on "
            f"{platform.machine()}: use the level rlimits"
        )
    return name


@functools.cache
def _libc() -> ctypes.CDLL:
    machine()
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else os.fsencode(text)


def call(name: str, *arguments) -> int:
    """The system call of this name; what it returned."""
    number = {**_NUMBERS_EVERYWHERE, **_NUMBERS[machine()]}[name]
    padded = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    return _checked(_libc().syscall(ctypes.c_long(number), *padded), name)


def prctl(option: int, *arguments: int) -> int:
    padded = [ctypes.c_ulong(a) for a in (*arguments, 0, 0, 0, 0)[:4]]
    return _checked(_libc().prctl(ctypes.c_int(option), *padded), f"prctl {option}")


def unshare(flags: int) -> None:
    _checked(_libc().unshare(ctypes.c_int(flags)), f"unshare {flags:#x}")


def set_namespace(descriptor: int, kind: int) -> None:
    _checked(_libc().setns(descriptor, ctypes.c_int(kind)), f"setns {kind:#x}")


def mount(source: str | None, target: str, kind: str | None = None, flags=0, options=None) -> None:
    result = _libc().mount(
        _bytes(source), _bytes(target), _bytes(kind), ctypes.c_ulong(flags), _bytes(options)
    )
    _checked(result, f"mount {kind or source} on {target}")


def detach(target: str) -> None:
    """Unmount lazily."""
    _checked(_libc().umount2(_bytes(target), _DETACH), f"umount {target}")


def bind_read_only(source: str, target: str) -> None:
    """Show the tree `source` at `target`, with everything mounted in it, read-only.

    Linux before 5.12 cannot make a tree read-only at once: there only `source` itself is.
    """
    mount(source, target, None, BIND | RECURSIVE)
    attributes = struct.pack("QQQQ", READ_ONLY | NO_SUID | NO_DEVICES, 0, 0, 0)
    at_recursive, here = 0x8000, -100
    try:
        call("mount_setattr", here, _bytes(target), at_recursive, attributes, len(attributes))
    except OSError:
        flags = REMOUNT | BIND | READ_ONLY | NO_SUID | NO_DEVICES
        mount(None, target, None, flags)


def die_with_parent(signal_number: int) -> None:
    prctl(_SET_PARENT_DEATH_SIGNAL, signal_number)


def set_dumpable() -> None:
    """Give a process that changed its user its own /proc/self back."""
    prctl(_SET_DUMPABLE, 1)


def forbid_new_privileges() -> None:
    prctl(_SET_NO_NEW_PRIVILEGES, 1)


def set_filter(address: int) -> None:
    """Filter system calls with the seccomp program at this address."""
    prctl(_SET_SECCOMP, _FILTER, address)


def adopt_orphans() -> None:
    """Descendants whose parents are gone become children of this process."""
    prctl(_SET_CHILD_SUBREAPER, 1)


def drop_bounding_set() -> None:
    """Capabilities that this process and its programs never get again; needs CAP_SETPCAP."""
    for capability in range(_LAST_CAPABILITY + 1):
        try:
            prctl(_DROP_BOUNDING, capability)
        except OSError:  # the kernel knows no more of them
            break


def drop_capabilities() -> None:
    header = struct.pack("II", 0x20080522, 0)
    call("capset", header, bytes(24))
