"""The limits and the end of an ordinary kernel, kept from outside: where there are no forked ones.

It offers what a forked kernel's provisioner offers, save one thing: nobody inspects the process.
"""

import asyncio
import os
import time

import psutil

from autograder.limits import Limits

LOOK = 0.05  # seconds between two looks at whether it lives
MEASURE = 0.25  # seconds between two measurements
# What an ordinary kernel may see of the environment; tokens and addresses are not among them.
KEPT = {
    *(
        "PATH",
        "HOME",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TMPDIR",
        "TEMP",
        "TMP",
        "SYSTEMROOT",
        "PYTHONPATH",
    ),
    *("VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH", "COURSE_LANGUAGE", "JUPYTER_PATH"),
}
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def environment() -> dict[str, str]:
    """The environment of a kernel that runs learners' code."""
    kept = {name: value for name, value in os.environ.items() if name in KEPT or name[:3] == "LC_"}
    return kept | ONE_THREAD | {"NBGRADER_EXECUTION": "autograde"}


class OrdinaryKernel:
    """Watches one kernel of jupyter_client's LocalProvisioner; seconds, bytes, as in Limits."""

    inspects = False

    def __init__(self, provisioner, limits: Limits):
        self._provisioner, self._limits = provisioner, limits
        self._process = psutil.Process(provisioner.pid)
        self._began = time.monotonic()
        self._cell_cpu = self._cell_ends = float("inf")
        self._cell_from = self._cpu = 0.0
        self.ended: dict | None = None
        self._watching = asyncio.ensure_future(self._watch())

    async def budget(self, cpu: float, wall: float) -> None:
        self._measure()
        self._cell_from, self._cell_cpu = self._cpu, cpu
        self._cell_ends = time.monotonic() + wall

    async def wait_ended(self) -> dict:
        return await asyncio.shield(self._watching)

    async def _watch(self) -> dict:
        why, measured = "", 0.0
        while (status := self._provisioner.process.poll()) is None:
            if not why and time.monotonic() - measured > MEASURE:
                measured = time.monotonic()
                memory = self._measure()
                if why := self._exceeded(memory, measured):
                    await self._provisioner.kill()
            await asyncio.sleep(LOOK)
        self.ended = {"exit": status, "why": why, "cpu": self._cpu}
        return self.ended

    def _measure(self) -> int:
        """Note the CPU time of the kernel and its children; the bytes of memory that they take."""
        cpu, memory = 0.0, 0
        try:
            family = [self._process, *self._process.children(recursive=True)]
        except psutil.Error:
            return 0
        for process in family:
            try:
                times = process.cpu_times()
                memory += process.memory_info().rss
            except psutil.Error:
                continue
            cpu += times.user + times.system
        self._cpu = max(self._cpu, cpu)
        return memory

    def _exceeded(self, memory: int, now: float) -> str:
        limits = self._limits
        if self._cpu - self._cell_from > self._cell_cpu or self._cpu > limits.cpu:
            return "cpu"
        if now > self._cell_ends or now - self._began > limits.wall:
            return "wall"
        return "memory" if memory > limits.memory + self.START else ""

    START = 512 << 20  # bytes that Python with torch takes before the first cell
