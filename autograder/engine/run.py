"""The pure step of grading: a notebook in, the same notebook with its outputs out.

    ran = run_notebook(notebook, {"data.csv": content}, Limits(), level="namespaces")

nbclient runs the cells in a forked kernel; `replay` says what is run again after a cell ended its
kernel, `witness` looks for signs of tampering before each test and at the end.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace

from jupyter_client.kernelspec import KernelSpec
from nbformat import NotebookNode

from autograder.engine import inspection, outputs
from autograder.engine.channels import bounded_context
from autograder.engine.client import CellClient, Done, EngineFault
from autograder.engine.kernels import Kernels, check_server
from autograder.engine.reasons import STOPPED, error_output
from autograder.engine.replay import Replay
from autograder.limits import MIB, Limits

__all__ = ["EngineFault", "Ran", "run_notebook"]

LEAST_CPU, LEAST_WALL = 0.5, 1.0  # seconds; with less left, no further kernel is started
FLOOD = 16  # times what a cell may show: so many bytes from a kernel end its cell
SLACK = 30  # seconds past all limits in which whoever keeps them must have acted
WHY = {"cpu": "timeout", "wall": "timeout", "memory": "memory"}


@dataclass(frozen=True)
class Ran:
    """A notebook that was run.

    `ends` has one word a cell: "" for one that is not code, "ok", "error", "timeout" (of CPU or
    wall clock), "memory", "died", "output", "not_run". `signs` are sentences on what looks like
    tampering. `cpu` is in seconds, of all processes.
    """

    notebook: NotebookNode
    ends: tuple[str, ...]
    signs: tuple[str, ...]
    cpu: float


def run_notebook(
    notebook: NotebookNode,
    files: Mapping[str, bytes],
    limits: Limits,
    level: str,
    kernel: str | KernelSpec | None = None,
) -> Ran:
    """Run all code cells of a copy of `notebook`, with `files` in the working folder.

    `level` is one of autograder.sandbox.Level. `kernel` is a kernelspec or the name of one; None
    is the forked kernel, and the ordinary one where there are none (macOS, Windows).
    Whatever the cells do becomes part of the result. Raises EngineFault where the engine failed.
    """
    run = _Run(notebook, Kernels(files, level, kernel), limits)
    try:
        return asyncio.run(run.whole())
    except EngineFault:
        raise
    except Exception as error:
        raise EngineFault(f"the engine failed: {type(error).__name__}: {error}") from error


@dataclass
class Means:
    """What a submission has used of its limits: seconds that its kernels, now ended, took."""

    limits: Limits
    cpu: float = 0.0
    wall: float = 0.0
    stops: int = 0  # how many of them ended early

    def left(self) -> Limits:
        """The limits of the next kernel."""
        cpu, wall = self.limits.cpu - self.cpu, self.limits.wall - self.wall
        return replace(self.limits, cpu=max(0.0, cpu), wall=max(0.0, wall))

    def are_spent(self) -> bool:
        left = self.left()
        return left.cpu < LEAST_CPU or left.wall < LEAST_WALL

    def of_cell(self) -> tuple[float, float]:
        """Seconds of CPU and of wall clock for one cell.

        Once a cell has ended a kernel, a cell gets at most half of what is left: however many
        cells loop for ever, something is left for those that do not.
        """
        left, share = self.left(), 2 if self.stops else 1
        cpu, wall = left.cpu / share, left.wall / share
        return min(self.limits.cell_cpu, cpu), min(self.limits.cell_wall, wall)


class _Run:
    """One call of `run_notebook`."""

    def __init__(self, notebook: NotebookNode, kernels: Kernels, limits: Limits):
        self.notebook = NotebookNode(
            {**notebook, "cells": [fresh(cell) for cell in notebook.cells]}
        )
        self.kernels, self.limits = kernels, limits
        self.means = Means(limits)
        self.replay = Replay([first_end(cell) for cell in self.notebook.cells])
        self.signs: dict[str, None] = {}
        self.used = 0  # bytes of output
        self.asked: dict[str, int] = {}  # request -> the cell whose verdict its reply decided

    async def whole(self) -> Ran:
        with bounded_context(self.limits.cell_output * 4 + MIB) as self.context:
            while self.replay.waiting() and not self.means.are_spent():
                await self.one_kernel()
        for cell, end in zip(self.notebook.cells, self.replay.ends, strict=True):
            if end is None:
                cell.outputs = [error_output(STOPPED["not_run"])]
        ends = map(word, self.notebook.cells, self.replay.ends)
        return Ran(self.notebook, tuple(ends), tuple(self.signs), self.means.cpu)

    async def one_kernel(self) -> None:
        """Run what waits in a fresh kernel, as far as it gets."""
        async with self.started() as client:
            for index in self.replay.cells():
                if client.death.done():
                    check_server(client.kernel.ended)
                    return self.stop(self.replay.doubt())
                if is_test(self.notebook.cells[index]) and self.replay.ends[index] is None:
                    await self.inspect(client)
                if not await self.cell(client, index):
                    return None
            return await self.finish(client)

    async def cell(self, client: CellClient, index: int) -> bool:
        """Run one cell; says whether the kernel may run the next."""
        await client.kernel.budget(*self.means.of_cell())
        source = outputs.safe_text(self.notebook.cells[index].source)
        done = await client.run(source, self.room())
        if done.started:
            self.replay.settle()
        if not done.kernel_lives:
            end = done.end if done.end != "died" else self.end_of(client)
            self.stop(self.replay.fail(index, end, done.started), done, index)
            return False
        if self.replay.earn(index, done.end):
            self.record(index, done)
            self.asked[done.request] = index
        return index not in self.replay.doubted or await self.ask(client, index)

    async def finish(self, client: CellClient) -> None:
        """After the last cell: was its answer true, and is the process as it was?"""
        await self.inspect(client)
        await self.ask(client, self.replay.last)

    async def ask(self, client: CellClient, index: int) -> bool:
        """Let the kernel show that it is done with this cell; says whether it is."""
        if await client.is_done():
            self.replay.settle()
            return True
        self.stop(self.replay.blame(index, self.end_of(client)))
        return False

    async def inspect(self, client: CellClient) -> None:
        for sign in await inspection.inspect(client.kernel, client.death):
            self.signs[sign] = None

    def end_of(self, client: CellClient) -> str:
        """The word for how a kernel ended that was not ended from here."""
        check_server(client.kernel.ended)
        return WHY.get((client.kernel.ended or {}).get("why"), "died")

    def stop(self, changed: int | None, done: Done | None = None, index: int | None = None) -> None:
        """A kernel ended early, which changed the verdict of one cell, or of none."""
        self.means.stops += 1
        if changed is None:
            return
        cell, end = self.notebook.cells[changed], self.replay.ends[changed]
        if end is None:  # it runs again
            cell.outputs, cell.execution_count = [], None
            return
        if done is not None and changed == index:
            cell.outputs, cell.execution_count = done.outputs, done.execution_count
        cell.outputs = [*cell.outputs, error_output(STOPPED[end])]

    def record(self, index: int, done: Done) -> None:
        cell = self.notebook.cells[index]
        cell.outputs, cell.execution_count = done.outputs, done.execution_count
        if done.end == "not_run":
            cell.outputs = [*cell.outputs, error_output(STOPPED["not_run"])]
        self.used += sum(map(outputs.weight, done.outputs))

    def room(self) -> int:
        """The bytes that the next cell may show."""
        return max(outputs.LEAST, min(self.limits.cell_output, self.limits.output - self.used))

    @contextlib.asynccontextmanager
    async def started(self) -> AsyncIterator[CellClient]:
        """A fresh kernel and its client; afterwards it is gone, and what it used is counted."""
        left = self.means.left()
        async with self.kernels.start(left, self.context) as (manager, kernel):
            client = CellClient(manager, kernel, self.context, FLOOD * self.limits.cell_output)
            try:
                await client.async_start_new_kernel_client()
                began = time.monotonic()
                async with asyncio.timeout(left.wall + SLACK):
                    yield client
                self.means.wall += time.monotonic() - began
                self.expose(client)
            except TimeoutError:
                raise EngineFault(
                    f"expected a kernel to be stopped after {left.wall:.0f} s, and nobody did: "
                    "is the fork server running?"
                ) from None
            finally:
                client.close()
        self.means.cpu += (kernel.ended or {}).get("cpu", 0.0)

    def expose(self, client: CellClient) -> None:
        """Take the points of cells that answered in the kernel's name."""
        self.signs |= dict.fromkeys(inspection.signs_of_forgery(client.forged))
        for request in client.answered_twice:
            index = self.asked.get(request)
            if index is not None and self.replay.ends[index] in ("ok", "error"):
                self.replay.ends[index] = "error"
                cell = self.notebook.cells[index]
                cell.outputs = [*cell.outputs, error_output("ForgedReplyError")]


def fresh(cell: NotebookNode) -> NotebookNode:
    """A copy of a cell, as deep as it is changed here; code cells lose their old outputs."""
    made = NotebookNode(cell)
    if cell.cell_type == "code":
        made["outputs"], made["execution_count"] = [], None
    return made


def first_end(cell: NotebookNode) -> str | None:
    """For `Replay`: None where there is code to run."""
    return None if cell.cell_type == "code" and cell.source.strip() else ""


def word(cell: NotebookNode, end: str | None) -> str:
    """For `Ran`: how the cell ended."""
    if end == "lost":
        return "died"
    return end or ("not_run" if cell.cell_type == "code" else "")


def is_test(cell: NotebookNode) -> bool:
    marks = cell.metadata.get("nbgrader", {})
    return bool(marks.get("grade")) and not marks.get("solution")
