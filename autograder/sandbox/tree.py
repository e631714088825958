"""The processes under one process, as Linux shows them in /proc."""

import os
import signal
from collections.abc import Collection, Iterator

_ROUNDS = 100  # of killing; a tree that still grows then is stopped by its limit of processes


def _children_by_scanning(pid: str) -> list[str]:
    """For kernels that do not list children."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            fields = read_stat(name)
            if fields and fields[1] == pid:
                found.append(name)
    return found


def read_stat(pid: str) -> list[str] | None:
    """The fields of /proc/<pid>/stat from the state on; None where the process is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().decode("ascii", "replace").rpartition(")")[2].split()
    except OSError:
        return None


def children(pid: str) -> list[str]:
    """The children of a process and of each of its threads; nothing where it is gone."""
    found: list[str] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return found
    for thread in threads:
        try:
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found += file.read().decode().split()
        except FileNotFoundError:
            if thread == pid and os.path.exists(f"/proc/{pid}"):
                return _children_by_scanning(pid)
        except OSError:  # the thread ended meanwhile
            continue
    return found


def descendants(pid: str) -> Iterator[str]:
    """The process and all below it, parents first; the same process may come twice."""
    left = [pid]
    while left:
        one = left.pop()
        yield one
        left += children(one)


def shown_as(pid: int) -> str:
    """How /proc names this child: otherwise where it is that of an outer pid namespace."""
    me = os.readlink("/proc/self")
    if me == str(os.getpid()):
        return str(pid)
    depth = len(_numbers(me))
    for child in children(me):
        numbers = _numbers(child)
        if len(numbers) >= depth and numbers[depth - 1] == str(pid):
            return child
    return str(-1)


def _numbers(pid: str) -> list[str]:
    """Its pid in each namespace, from that of /proc inwards."""
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            for line in file:
                if line.startswith(b"NSpid:"):
                    return line.decode().split()[1:]
    except OSError:
        pass
    return []


def _signal(pid: str, number: int) -> None:
    try:
        os.kill(int(pid), number)
    except (ProcessLookupError, PermissionError):
        return


def kill(pid: int) -> None:
    """Kill a child and all below it: stopped first, so that none forks or loses its parent."""
    stopped: set[str] = set()
    for _ in range(_ROUNDS):
        new = set(descendants(str(pid))) - stopped
        if not new:
            break
        for each in new:
            _signal(each, signal.SIGSTOP)
        stopped |= new
    for each in stopped:
        _signal(each, signal.SIGKILL)


def kill_others(living: Collection[int]) -> None:
    """Kill the children of this process that are not among `living`, and all below them."""
    spared = {str(pid) for pid in living}
    for each in set(children(str(os.getpid()))) - spared:
        kill(int(each))
