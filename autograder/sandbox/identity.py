"""Under which user a child runs, and what it must not keep of its parent."""

import ctypes
import os
import stat
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from . import syscalls

FIRST_UID = 61000
LAST_SLOT = 1000


def first_uid() -> int | None:
    """The user id of slot 0, where this process may become others; None elsewhere."""
    if os.geteuid() != 0:
        return None
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        inside, _, count = map(int, line.split())
        if inside <= FIRST_UID and inside + count > FIRST_UID + LAST_SLOT:
            return FIRST_UID
    return None


def become(uid: int) -> None:
    """Change to a user without a name, groups or capabilities, for good."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    syscalls.set_dumpable()


def _works(act: Callable[[], bool]) -> bool:
    """Whether `act` returns True in a child, which it may change as it likes."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if act() else 1)
        finally:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def can_run_python_as(uid: int, paths: Iterable[str], base: Path) -> bool:
    """Whether that user can read this Python and `paths`, and get at what lies in `base`."""
    wanted = (os.path.dirname(os.__file__), sys.executable, *paths)

    def read_all() -> bool:
        become(uid)
        return all(os.access(path, os.R_OK) for path in wanted) and os.access(base, os.X_OK)

    return _works(read_all)


def can_enter_user_namespace_as(uid: int) -> bool:
    """Whether that user may make user namespaces: some systems keep them to root."""

    def enter() -> bool:
        become(uid)
        enter_user_namespace(open_own_process())
        return True

    return _works(enter)


def open_own_process() -> int:
    """A descriptor of the folder of this process in /proc."""
    return os.open("/proc/self", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def enter_user_namespace(process: int) -> None:
    """A user namespace with the own ids only, and no capability in it.

    `process`: a descriptor of the folder of this process in /proc.
    """
    uid, gid = os.geteuid(), os.getegid()
    syscalls.unshare(syscalls.NEW_USER)  # which gives all capabilities in it, none outside
    map_itself(process, uid, gid)
    syscalls.drop_bounding_set()
    syscalls.drop_capabilities()


def map_itself(process: int, uid: int, gid: int) -> None:
    """In a new user namespace, keep the own ids."""
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        file = os.open(name, os.O_WRONLY | os.O_CLOEXEC, dir_fd=process)
        try:
            os.write(file, text.encode())
        finally:
            os.close(file)


def forget_start_environment() -> None:
    """Wipe the environment that the program was started with; `os.environ` stays as it is.

    The kernel shows that block as /proc/self/environ, whatever the process has removed since.
    """
    for name, value in list(os.environ.items()):
        os.environ[name] = value  # the C library now keeps it elsewhere
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    start, end = int(fields[47]), int(fields[48])  # env_start, env_end; 0 where not allowed
    if 0 < start < end:
        ctypes.memset(start, 0, end - start)


def close_folders(keep: Iterable[int] = ()) -> None:
    """Close descriptors of folders: with one of them a process leaves its root folder."""
    for name in os.listdir("/proc/self/fd"):
        descriptor = int(name)
        try:
            if descriptor not in keep and stat.S_ISDIR(os.fstat(descriptor).st_mode):
                os.close(descriptor)
        except OSError:  # the listing's own descriptor
            continue


def offer_to_oom_killer() -> None:
    """Where the machine runs out of memory, this process goes first."""
    Path("/proc/self/oom_score_adj").write_text("1000")
