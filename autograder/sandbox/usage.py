"""What a child and all of its processes use."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field

from . import rlimits, tree

_ROUNDS = 3  # readings while processes end in between
_KIB = 1024


Seen = Mapping[str, tuple[int, int]]  # process: its ticks of CPU, and of those it waited for


@dataclass(frozen=True)
class Usage:
    """Seconds of CPU since the fork, bytes that are not the fork server's, living processes.

    Threads do not count as processes here; zombies do.
    """

    cpu_seconds: float
    memory_bytes: int
    processes: int
    vanished: float = 0.0  # seconds of processes that ended and that nobody waited for
    seen: Seen = field(default_factory=dict, repr=False)


def usage(pid: int, enough: int = 0, before: Usage | None = None) -> Usage | None:
    """The use of the child `pid` and its descendants, called in its parent; None when it is gone.

    Memory is a quick upper bound while that is below `enough` bytes, and exact from there on (a
    few milliseconds). With the last reading as `before`, also the CPU time counts of processes
    that it saw and that ended without being waited for.
    """
    if not rlimits.LINUX:
        return _usage_by_ps(pid, before)
    root = tree.shown_as(pid)
    lost, seen = _read(root, before.seen if before else {})
    for _ in range(_ROUNDS):  # one that is waited for while we read seems lost, until the next time
        if not lost:
            break
        lost, seen = min((lost, seen), _read(root, before.seen), key=lambda read: read[0])
    if not seen:
        return None
    tick = 1 / os.sysconf("SC_CLK_TCK")
    vanished = (before.vanished if before else 0.0) + lost * tick
    members = [process.partition("/")[0] for process in seen]
    memory = sum(map(_quick_bound, members))
    if memory > enough:
        memory = _exact(members)
    seconds = sum(own + waited for own, waited in seen.values()) * tick
    return Usage(seconds + vanished, memory, len(members), vanished, seen)


def _read(root: str, before: Seen) -> tuple[int, Seen]:
    """The ticks of what was there before and is in nobody's account now; what there is."""
    seen = {}
    for each in tree.descendants(root):
        fields = tree.read_stat(each)
        if fields:
            user, system, waited_user, waited_system = map(int, fields[11:15])
            # With its start, since pids are used again.
            seen[f"{each}/{fields[19]}"] = (user + system, waited_user + waited_system)
    gone = sum(sum(ticks) for process, ticks in before.items() if process not in seen)
    taken = sum(seen[process][1] - before[process][1] for process in before.keys() & seen.keys())
    return max(0, gone - taken), seen


def _fields(path: str, names: tuple[bytes, ...]) -> dict[bytes, int]:
    """Sizes in bytes from a file of /proc with lines "Name:  12 kB"; {} where it is gone."""
    found = {}
    try:
        with open(path, "rb") as file:
            for line in file:
                name, _, rest = line.partition(b":")
                if name in names:
                    found[name] = int(rest.split()[0]) * _KIB
    except OSError:
        return {}
    return found


def _quick_bound(pid: str) -> int:
    """With what it still shares with the fork server."""
    return sum(_fields(f"/proc/{pid}/status", (b"RssAnon", b"RssShmem", b"VmSwap")).values())


def _exact(members: list[str]) -> int:
    """What is theirs, each shared page once; at most the server's own memory is missed."""
    own = (b"Pss_Anon", b"Pss_Shmem", b"SwapPss")
    total = 0
    for pid in members:
        found = _fields(f"/proc/{pid}/smaps_rollup", own)
        total += sum(found.values()) if found else _quick_bound(pid)
    server = _fields("/proc/self/smaps_rollup", (b"Pss_Anon", b"Private_Dirty"))
    shared = max(0, server.get(b"Pss_Anon", 0) - server.get(b"Private_Dirty", 0))
    return max(0, total - shared * len(members))


def _usage_by_ps(pid: int, before: Usage | None) -> Usage | None:
    """Where there is no /proc; memory is an upper bound there."""
    columns = ["ps", "-Ao", "pid=,ppid=,rss=,time="]
    listed = subprocess.run(columns, capture_output=True, text=True, check=True).stdout
    rows = {int(r[0]): r for r in map(str.split, listed.splitlines()) if len(r) == 4}
    found = [pid] if pid in rows else []
    for one in found:
        found += [int(r[0]) for r in rows.values() if int(r[1]) == one]
    if not found:
        return None
    seconds = sum(_seconds(rows[one][3]) for one in found)
    vanished = before.vanished if before else 0.0
    if before:
        vanished += max(0.0, before.cpu_seconds - before.vanished - seconds)
    memory = sum(int(rows[one][2]) * _KIB for one in found)
    return Usage(seconds + vanished, memory, len(found), vanished)


def _seconds(text: str) -> float:
    """Of ps: "1-02:03:04", "02:03:04" or "2:03.45"."""
    days, _, clock = text.rpartition("-")
    total = 0.0
    for part in clock.split(":"):
        total = total * 60 + float(part)
    return total + 86400 * int(days or 0)
