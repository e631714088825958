"""Entering a level in the fork server, and confining the children that it forks."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from autograder.limits import Limits

from . import identity, landlock, namespaces, paths, rlimits, seccomp, syscalls, tree
from .levels import Level


@dataclass(frozen=True)
class ServerSandbox:
    """What the fork server made once and its children use."""

    level: Level
    base: Path
    readable: tuple[str, ...] = ()
    first_uid: int | None = None  # of slot 0; None: children keep the server's user
    held: namespaces.Namespaces | None = None


def enter_server(level: str, base: Path, readable: Sequence[str] = ()) -> ServerSandbox:
    """Shut the calling process off as far as `level` needs; call it once, single-threaded.

    `base` is an empty folder of the server's own, made where missing. `readable` are files and
    folders that children may read besides Python and the system's libraries.
    Raises OSError where this machine does not give the level.
    """
    level, base, readable = Level(level), Path(base).resolve(), tuple(map(str, readable))
    base.mkdir(parents=True, exist_ok=True)
    if level is not Level.NONE and rlimits.LINUX:
        identity.forget_start_environment()
        seccomp.prepare()
    if level is Level.NAMESPACES:
        held = namespaces.enter(base, readable)
        return ServerSandbox(level, base, readable, held.first_uid, held)
    uid = None
    if level is not Level.NONE and rlimits.LINUX:
        syscalls.adopt_orphans()
        uid = _other_user(base, readable)
    if level is Level.LANDLOCK:
        landlock.version()
    return ServerSandbox(level, base, readable, uid)


def _other_user(base: Path, readable: Sequence[str]) -> int | None:
    uid = identity.first_uid()
    if uid is None:
        return None
    base.chmod(0o711)
    able = identity.can_run_python_as(uid, (*paths.python_folders(), *readable), base)
    return uid if able else None


def before_fork(server: ServerSandbox) -> None:
    """Make ready for the next `os.fork`; call it right before each.

    At the level "namespaces" the server can then fork (and run) nothing else, until the next call.
    """
    if server.held is not None:
        namespaces.next_pids(server.held)


def confine(server: ServerSandbox, slot: int, limits: Limits, files: Mapping[str, bytes]) -> Path:
    """Confine the calling child for good; the working folder, which is also made the current one.

    `slot` is a number from 0 on that no other living child has. `files` are written into the
    working folder (relative path -> content). Raises OSError or ValueError; then end the child.
    """
    if not 0 <= slot < identity.LAST_SLOT:
        raise ValueError(f"slot: expected 0 to {identity.LAST_SLOT - 1}, got {slot}")
    if server.level is not Level.NONE and rlimits.LINUX:
        identity.close_folders()
        identity.offer_to_oom_killer()
    if server.level is not Level.NONE:
        rlimits.limit_memory(limits)
    if server.held is not None:
        home, temporary = namespaces.enclose(server.held, slot, limits), Path("/tmp")
    else:
        home, temporary = _make_home(server, slot), _place(server, slot) / "tmp"
        if server.level is not Level.NONE and rlimits.LINUX:
            _become_nobody(server, slot)
    os.chdir(home)
    _write(home, files)
    os.environ["HOME"], os.environ["TMPDIR"] = str(home), str(temporary)
    tempfile.tempdir = None  # it was found out in the server, for the server
    if server.held is None and server.level is not Level.NONE:
        rlimits.limit_rest(limits, own_count=False)
    if server.level is Level.LANDLOCK:
        _close_files(server, slot)
    if server.level is not Level.NONE and rlimits.LINUX:
        seccomp.install()
    return home


def _place(server: ServerSandbox, slot: int) -> Path:
    return server.base / f"slot-{slot}"


def _make_home(server: ServerSandbox, slot: int) -> Path:
    """A home and a folder for temporary files, owned by the user that the child will be."""
    place = _place(server, slot)
    clean(server, slot)
    for folder in (place, place / "home", place / "tmp"):
        folder.mkdir(mode=0o700)
        if server.first_uid is not None:
            os.chown(folder, server.first_uid + slot, server.first_uid + slot)
    return place / "home"


def _write(home: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise ValueError(f"files: expected a path inside the working folder, got {name!r}")
        target = home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _become_nobody(server: ServerSandbox, slot: int) -> None:
    """Another user where possible, and no capability in any case."""
    syscalls.drop_bounding_set()
    if server.first_uid is not None:
        identity.become(server.first_uid + slot)
    syscalls.drop_capabilities()
    syscalls.die_with_parent(signal.SIGKILL)


def _close_files(server: ServerSandbox, slot: int) -> None:
    readable = [*paths.SYSTEM, *paths.SETTINGS, *paths.PROCESSORS, *paths.python_folders()]
    machine = [f"/proc/{name}" for name in ("self", *paths.MACHINE)]
    devices = [f"/dev/{name}" for name in paths.DEVICES]
    landlock.restrict(
        [*readable, *machine, *server.readable],
        [str(_place(server, slot)), "/dev/shm"],
        devices,
    )


def end(server: ServerSandbox, pid: int) -> None:
    """Kill the child `pid` with all of its processes; the caller still waits for it."""
    if server.held is None and rlimits.LINUX:
        tree.kill(pid)
        return
    try:
        os.kill(pid, signal.SIGKILL)  # of process 1: its namespace dies with it
    except ProcessLookupError:
        return


def sweep(server: ServerSandbox, living: Collection[int]) -> None:
    """Kill what got away from ended children; `living` are the pids of the server's others."""
    if server.held is None and server.level is not Level.NONE and rlimits.LINUX:
        tree.kill_others(living)


def clean(server: ServerSandbox, slot: int) -> None:
    """Remove what the ended child of this slot left behind."""
    place = _place(server, slot)
    if server.held is not None or not place.exists():
        return
    try:
        shutil.rmtree(place)
    except (OSError, RecursionError):  # closed folders, or thousands of them in each other
        subprocess.run(["chmod", "-R", "u+rwx", str(place)], check=False, capture_output=True)
        subprocess.run(["rm", "-rf", str(place)], check=False, capture_output=True)
