"""What a forked kernel may use, and whether it has used it up."""

from autograder.limits import MIB, Limits
from autograder.sandbox import Usage

START = 64 * MIB  # bytes that a kernel owns before its first cell, rounded up


class Allowance:
    """The limits of one kernel and, once `start_cell` was called, of its present cell.

    Times are seconds; `now` is a reading of a monotonic clock.
    """

    def __init__(self, limits: Limits | None, now: float):
        self.limits = limits
        self.bound = limits is not None  # whether there is anything to watch
        self.enough = limits.memory + START if limits else 0  # bytes
        self._began = now
        self._cell_cpu = self._cell_ends = float("inf")
        self._cell_from: float | None = 0.0

    def start_cell(self, cpu: float, wall: float, now: float) -> None:
        self.bound = True
        self._cell_cpu, self._cell_ends = cpu, now + wall
        self._cell_from = None  # the next reading is where it starts: no reading only for this

    def exceeded(self, usage: Usage, now: float) -> str:
        """Which limit is exceeded: "cpu", "wall" or "memory"; "" while none is."""
        if self._cell_from is None:
            self._cell_from = usage.cpu_seconds
        if usage.cpu_seconds - self._cell_from > self._cell_cpu:
            return "cpu"
        if now > self._cell_ends:
            return "wall"
        if self.limits is None:
            return ""
        if usage.memory_bytes > self.enough:
            return "memory"
        if usage.cpu_seconds > self.limits.cpu:
            return "cpu"
        return "wall" if now - self._began > self.limits.wall else ""
