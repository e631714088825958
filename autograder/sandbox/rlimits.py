"""Limits that the kernel counts for each process, or for each user."""

import math
import os
import sys
from pathlib import Path

from autograder.limits import Limits

_ADDRESS_SLACK = 8 << 30  # address space that is reserved and never used: thread stacks, arenas
_CPU_SLACK = 5  # seconds; who watches the children acts first
LINUX = sys.platform.startswith("linux")


def _lower(kind: int, value: int) -> None:
    """Set one limit for good; where it is lower already, it stays."""
    import resource

    hard = resource.getrlimit(kind)[1]
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(kind, (value, value))


def _memory_in_use() -> tuple[int, int]:
    """Bytes of address space, and of private writable memory, of this process."""
    pages = Path("/proc/self/statm").read_text().split()
    size = os.sysconf("SC_PAGE_SIZE")
    return int(pages[0]) * size, int(pages[5]) * size


def _tasks_of_this_user() -> int:
    """Processes and threads that the kernel counts against this user's limit."""
    uid, count = os.getuid(), 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if entry.stat().st_uid == uid:
                    count += len(os.listdir(f"/proc/{entry.name}/task"))
            except OSError:  # it ended meanwhile
                continue
    return count


def limit_memory(limits: Limits) -> None:
    """Bound what this process, and each that it starts, takes beyond what it has now."""
    import resource

    if not LINUX:  # elsewhere the limit is not enforced, or counts what is only reserved
        return
    addresses, private = _memory_in_use()
    _lower(resource.RLIMIT_DATA, private + limits.memory)
    _lower(resource.RLIMIT_AS, addresses + limits.memory + _ADDRESS_SLACK)


def limit_rest(limits: Limits, own_count: bool) -> None:
    """Bound files, processes and CPU time.

    With `own_count` nothing else runs under this user id or in this user namespace.
    """
    import resource

    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_NOFILE, limits.open_files)
    _lower(resource.RLIMIT_FSIZE, limits.disk)
    _lower(resource.RLIMIT_CPU, math.ceil(limits.cpu) + _CPU_SLACK)
    if LINUX:
        others = 0 if own_count else _tasks_of_this_user()
        _lower(resource.RLIMIT_NPROC, others + limits.processes)
        for kind in (resource.RLIMIT_MSGQUEUE, resource.RLIMIT_NICE, resource.RLIMIT_RTPRIO):
            _lower(kind, 0)
