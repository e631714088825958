"""The level "namespaces": the server enters its own, and each child one that holds only itself."""

import os
import signal
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from autograder.limits import Limits

from . import identity, rlimits, syscalls, template
from .relay import fork_first_process

_MINE = syscalls.NEW_MOUNTS | syscalls.NEW_IPC | syscalls.NEW_UTS | syscalls.NEW_NET
_INODES_PER_BYTE = 1 / (16 << 10)
_LEAST_INODES = 1024


@dataclass(frozen=True)
class Namespaces:
    """What the server holds for its children: descriptors of namespaces, and how to use them."""

    pids: int  # the server's own pid namespace
    mounts: int  # the namespace that has the template as its root
    first_uid: int | None  # of slot 0; None: children keep the server's user
    own_users: bool  # each child has a user namespace, which counts its processes by themselves
    template: template.Template


def enter(base: Path, readable: Iterable[str]) -> Namespaces:
    """Become process 1 of an own pid namespace, in own namespaces of all other kinds."""
    uid, gid, here = os.geteuid(), os.getegid(), os.getcwd()
    first_uid = identity.first_uid()
    try:
        syscalls.unshare(_MINE | syscalls.NEW_PIDS)
    except PermissionError:
        first_uid = None
        syscalls.unshare(_MINE | syscalls.NEW_PIDS | syscalls.NEW_USER)
        process = identity.open_own_process()
        identity.map_itself(process, uid, gid)
        os.close(process)
    fork_first_process()
    syscalls.die_with_parent(signal.SIGKILL)
    socket.sethostname("sandbox")
    syscalls.mount(None, "/", None, syscalls.RECURSIVE | syscalls.PRIVATE)
    process = identity.open_own_process()
    built, mounts = _make_template(process, base, readable, uid if first_uid is None else None)
    os.chdir(here)
    if built.has_proc:
        flags = syscalls.NO_SUID | syscalls.NO_DEVICES | syscalls.NO_EXEC
        syscalls.mount("proc", "/proc", "proc", flags)
    pids = os.open("ns/pid", os.O_RDONLY | os.O_CLOEXEC, dir_fd=process)
    os.close(process)
    own_users = first_uid is None or identity.can_enter_user_namespace_as(first_uid)
    return Namespaces(pids, mounts, first_uid, own_users, built)


def _make_template(
    process: int, base: Path, readable: Iterable[str], uid: int | None
) -> tuple[template.Template, int]:
    """The template, and a descriptor of a mount namespace that holds it and nothing else.

    The server itself never sees it: there, removing `base` would reach what is mounted in it.
    """
    mine = os.open("ns/mnt", os.O_RDONLY | os.O_CLOEXEC, dir_fd=process)
    syscalls.unshare(syscalls.NEW_MOUNTS)
    root = os.path.realpath(base) + "/root"
    built = template.build(root, readable, uid)
    os.chdir(root)
    syscalls.call("pivot_root", b".", b".")
    syscalls.detach(".")
    flags = syscalls.BIND | syscalls.REMOUNT | syscalls.READ_ONLY
    syscalls.mount(None, "/", None, flags | syscalls.NO_SUID | syscalls.NO_DEVICES)
    made = os.open("ns/mnt", os.O_RDONLY | os.O_CLOEXEC, dir_fd=process)
    syscalls.set_namespace(mine, syscalls.NEW_MOUNTS)
    os.close(mine)
    return built, made


def next_pids(held: Namespaces) -> None:
    """The next child is process 1 of a new pid namespace."""
    syscalls.set_namespace(held.pids, syscalls.NEW_PIDS)  # only from its own may a process unshare
    syscalls.unshare(syscalls.NEW_PIDS)


def enclose(held: Namespaces, slot: int, limits: Limits) -> Path:
    """Leave the machine: own namespaces, the template as root, a small writable file system."""
    process = identity.open_own_process()
    syscalls.set_namespace(held.mounts, syscalls.NEW_MOUNTS)
    syscalls.unshare(_MINE)
    os.close(held.mounts)
    os.close(held.pids)
    uid = None if held.first_uid is None else held.first_uid + slot
    _mount_private(held, limits, uid)
    if uid is not None:
        syscalls.drop_bounding_set()
        identity.become(uid)
    if held.own_users:
        identity.enter_user_namespace(process)
    os.close(process)
    rlimits.limit_rest(limits, own_count=True)
    return Path(template.HOME)


def _mount_private(held: Namespaces, limits: Limits, uid: int | None) -> None:
    """One file system with one quota for the home, /tmp and /dev/shm; own /proc and terminals."""
    inodes = max(_LEAST_INODES, int(limits.disk * _INODES_PER_BYTE))
    options = f"mode=755,size={limits.disk},nr_inodes={inodes}"
    flags = syscalls.NO_SUID | syscalls.NO_DEVICES
    syscalls.mount("tmpfs", template.PRIVATE, "tmpfs", flags, options)
    os.mkdir(template.HOME, 0o700)
    if uid is not None:
        os.chown(template.HOME, uid, uid)
    for name in template.PARTS:
        os.mkdir(f"{template.PRIVATE}/{name}")
        os.chmod(f"{template.PRIVATE}/{name}", 0o1777)
    _keep_in_sight(held.template.hidden)
    for name, place in template.PARTS.items():
        source = f"{template.PRIVATE}/{name}"
        syscalls.mount(source, place, None, syscalls.BIND | syscalls.RECURSIVE)
    terminals = "newinstance,ptmxmode=0666,mode=0620"
    syscalls.mount("devpts", "/dev/pts", "devpts", syscalls.NO_SUID | syscalls.NO_EXEC, terminals)
    if held.template.has_proc:
        flags = syscalls.NO_SUID | syscalls.NO_DEVICES | syscalls.NO_EXEC
        syscalls.mount("proc", "/proc", "proc", flags)


def _keep_in_sight(hidden: Iterable[str]) -> None:
    """Show what lies in the template's /tmp also in the child's, which is about to cover it."""
    for path in hidden:
        for name, covered in template.PARTS.items():
            if path.startswith(f"{covered}/"):
                place = f"{template.PRIVATE}/{name}{path.removeprefix(covered)}"
                template.make_place(path, place)
                syscalls.mount(path, place, None, syscalls.BIND | syscalls.RECURSIVE)
