"""What a hostile submission would try, each attempt bounded. They run inside a sandbox.

An attack returns what it achieved, and raises OSError or MemoryError where it was stopped.
"""

import ctypes
import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from autograder.limits import MIB, Limits

from . import rlimits, syscalls

LIMITS = Limits(memory=128 * MIB, processes=16, disk=8 * MIB, cpu=20.0)
LIFETIME = 4.0  # seconds that whatever an attack leaves behind lives at most
_PTRACE_ATTACH, _PTRACE_DETACH = 16, 17
_MANY_FILES = 4096
_TRIES = 3  # times as much as is allowed


@dataclass(frozen=True)
class Scene:
    """What lies about outside, for the attacks to reach."""

    secret: str  # a file
    folder: str  # its folder
    text: str  # stands in the secret file, and in the environment of the fork server
    port: int  # of TCP
    abstract: str  # the name of an abstract socket
    path: str  # of a Unix socket
    victim: int  # a process
    marker: str  # stands in its command line
    neighbour: str = ""  # another submission's file; its abstract socket has this name, too
    environments: tuple[str, ...] = field(default=("self", "1"))  # processes


def read_secret(scene: Scene) -> str:
    Path(scene.secret).read_text()
    return "read it"


def write_outside(scene: Scene) -> str:
    Path(scene.folder, "written").write_text("x")
    return "wrote it"


def connect_tcp(scene: Scene) -> str:
    with socket.create_connection(("127.0.0.1", scene.port), timeout=2):
        return "connected"


def _connect_unix(address: str) -> str:
    with socket.socket(socket.AF_UNIX) as made:
        made.settimeout(2)
        made.connect(address)
    return "connected"


def connect_abstract(scene: Scene) -> str:
    return _connect_unix(f"\0{scene.abstract}")


def connect_path(scene: Scene) -> str:
    return _connect_unix(scene.path)


def read_neighbour(scene: Scene) -> str:
    Path(scene.neighbour).read_text()
    return "read it"


def connect_neighbour(scene: Scene) -> str:
    return _connect_unix(f"\0{scene.neighbour}")


def see_processes(scene: Scene) -> str:
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if scene.marker.encode() in Path("/proc", name, "cmdline").read_bytes():
                    return "read another process's command line"
            except OSError:
                continue
    raise OSError("none but its own are there")


def signal_process(scene: Scene) -> str:
    """Who set the scene knows better whether the victim got it."""
    os.kill(scene.victim, signal.SIGUSR1)
    return "signalled it"


def trace_process(scene: Scene) -> str:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    if libc.ptrace(_PTRACE_ATTACH, scene.victim, None, None) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    os.waitpid(scene.victim, 0)
    libc.ptrace(_PTRACE_DETACH, scene.victim, None, None)
    return "attached to it"


def make_namespaces(scene: Scene) -> str:
    syscalls.unshare(syscalls.NEW_USER | syscalls.NEW_MOUNTS)
    return "became root of namespaces of its own"


def read_environment(scene: Scene) -> str:
    for process in scene.environments:
        try:
            if scene.text.encode() in Path("/proc", process, "environ").read_bytes():
                return f"found it in /proc/{process}/environ"
        except OSError:
            continue
    raise OSError("it is nowhere in /proc")


def start_many_processes(scene: Scene) -> str:
    """They wait for the end of a pipe, so all end with the first."""
    held, kept = os.pipe()
    count = LIMITS.processes * _TRIES
    for started in range(count):
        try:
            pid = os.fork()
        except OSError:
            os.close(kept)
            raise OSError(f"no more than {started} beside the first") from None
        if pid == 0:
            os.close(kept)
            os.read(held, 1)
            os._exit(0)
    os.close(kept)
    return f"started {count}, {LIMITS.processes} are allowed"


def take_memory(scene: Scene) -> str:
    taken, step = [], 8 * MIB
    while len(taken) * step < LIMITS.memory * _TRIES:
        try:
            taken.append(bytearray(step))
        except MemoryError:
            raise MemoryError(f"no more than {len(taken) * step // MIB} MiB") from None
    return f"took {len(taken) * step // MIB} MiB, {LIMITS.memory // MIB} are allowed"


def _fill(sizes: range | list[int]) -> str:
    """Write files of these sizes in turn into every place that can be written."""
    places = [Path(os.environ["HOME"]), Path(os.environ["TMPDIR"]), Path("/dev/shm")]
    places = [place for place in places if os.access(place, os.W_OK)]
    made, total = [], 0
    try:
        for number, size in enumerate(sizes):
            made.append(places[number % len(places)] / f"fill-{os.getpid()}-{number}")
            made[-1].write_bytes(bytes(size))
            total += size
    except OSError as error:
        raise OSError(f"{error.strerror} after {len(made)} files, {total // MIB} MiB") from None
    finally:
        for file in made:
            file.unlink(missing_ok=True)
    return f"wrote {len(made)} files, {total // MIB} MiB"


def fill_disk(scene: Scene) -> str:
    return _fill([MIB] * (LIMITS.disk // MIB * _TRIES))


def make_many_files(scene: Scene) -> str:
    return _fill([0] * _MANY_FILES)


def outlive(scene: Scene) -> str:
    """Leave a process behind; who waits for it sees whether it lives on."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(LIFETIME)
        os._exit(0)
    os.wait()
    return "left a process behind"


ATTACKS: dict[str, Callable[[Scene], str]] = {
    "read a file outside": read_secret,
    "write a file outside": write_outside,
    "read another submission's file": read_neighbour,
    "connect to a TCP port of this machine": connect_tcp,
    "connect to a program's Unix socket": connect_path,
    "signal a process outside": signal_process,
    "outlive the submission": outlive,
    "start more processes than allowed": start_many_processes,
    "take more memory than allowed": take_memory,
    "fill the disk": fill_disk,
    "fill the disk with empty files": make_many_files,
}
if rlimits.LINUX:
    ATTACKS |= {
        "connect to a program's abstract socket": connect_abstract,
        "connect to another submission's abstract socket": connect_neighbour,
        "see the processes outside": see_processes,
        "trace a process outside": trace_process,
        "make namespaces and mounts of its own": make_namespaces,
        "read the environment of the fork server": read_environment,
    }
