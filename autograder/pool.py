"""Where submissions are judged: worker processes of this machine, or those of a Dask scheduler."""

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import threading
import types
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import forkserver, get_all_start_methods, get_context, parent_process
from typing import TYPE_CHECKING

from autograder.engine.servers import make_private_folder, start_server
from autograder.errors import Told

if TYPE_CHECKING:
    from autograder.judge import Job

SCHEDULER_SECONDS = 20
METHOD = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"
FORKS_KERNELS = sys.platform.startswith("linux")


class NoWorkers(Told):
    """Nobody can judge; the message says why and what to do."""


def usable_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def open_pool(workers: int | None, level: str) -> "LocalPool | DaskPool":
    """Workers as the environment says (AUTOGRADER_SCHEDULER); raises NoWorkers."""
    scheduler = os.environ.get("AUTOGRADER_SCHEDULER")
    return DaskPool(scheduler) if scheduler else LocalPool(workers or usable_cores(), level)


class LocalPool:
    """Processes of this machine, and the fork server that all of them have their kernels from.

    Workers are forked from one process that has imported what they need. Everything starts in the
    background at once: the first submission waits for it.
    """

    def __init__(self, workers: int, level: str):
        self.width = workers
        self.level = level
        self._folder = make_private_folder()  # of the workers, which are killed in the end
        self._server = start_server(level) if FORKS_KERNELS else None
        if METHOD == "forkserver":
            forkserver.set_forkserver_preload(["autograder.warm"])
            forkserver.ensure_running()
        self._executor = self._workers()

    def _workers(self) -> ProcessPoolExecutor:
        context = get_context(METHOD)
        return ProcessPoolExecutor(
            self.width,
            mp_context=context,
            initializer=_become_worker,
            initargs=(str(self._folder),),
        )

    def submit(self, job: "Job") -> Future:
        from autograder.judge import judge  # late: the processes start while this one imports it

        text = replace(job, server=self._server.address if self._server else "").to_json()
        with _without_main():
            try:
                return self._executor.submit(judge, text)
            except BrokenExecutor:  # a worker ended while it had nothing to do
                self.mend()
                return self._executor.submit(judge, text)

    def is_loss(self, error: BaseException) -> bool:
        """Whether this error of a future means that its worker ended."""
        return isinstance(error, BrokenExecutor)

    def mend(self) -> None:
        """Replace what has ended: the workers, the fork server."""
        if self._executor._broken:
            self._executor.shutdown(wait=False)
            self._executor = self._workers()
        if self._server and not self._server.is_alive():
            self._server.close()
            self._server = start_server(self.level)

    def close(self) -> None:
        """End all processes at once, whatever they do."""
        # Python 3.14 has kill_workers() for this.
        for process in list((self._executor._processes or {}).values()):
            process.kill()
        self._executor.shutdown(wait=True, cancel_futures=True)
        if self._server:
            self._server.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        if METHOD == "forkserver":
            # Else it would live as long as this process, which may be a JupyterLab.
            forkserver._forkserver._stop()


class DaskPool:
    """The workers of a Dask scheduler. They need this package; each starts its own fork server."""

    def __init__(self, address: str):
        try:
            from distributed import Client
        except ImportError:
            raise NoWorkers(
                "AUTOGRADER_SCHEDULER names a Dask scheduler, and Dask is not installed. "
                "Install it (pip install distributed), or unset AUTOGRADER_SCHEDULER to grade "
                "with processes of this machine."
            ) from None
        try:
            self._client = Client(address, timeout=SCHEDULER_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise NoWorkers(
                f"AUTOGRADER_SCHEDULER: expected the address of a Dask scheduler that answers, "
                f"such as tcp://10.0.0.1:8786, got {address!r} ({error}). Start the scheduler, or "
                "unset AUTOGRADER_SCHEDULER to grade with processes of this machine."
            ) from error
        self.width = sum(self._client.nthreads().values())
        if not self.width:
            self._client.close()
            raise NoWorkers(f"The Dask scheduler at {address} has no workers: start some first.")
        self._executor = self._client.get_executor(pure=False, retries=0)

    def submit(self, job: "Job") -> Future:
        from autograder.judge import judge

        return self._executor.submit(judge, job.to_json())

    def is_loss(self, error: BaseException) -> bool:
        return type(error).__name__ in ("KilledWorker", "CancelledError", "FutureCancelledError")

    def mend(self) -> None:
        """Nothing: the scheduler replaces its workers. Raises NoWorkers where it is gone."""
        try:
            self._client.scheduler_info()
            alive = self._client.status == "running"
        except Exception:
            alive = False
        if not alive:
            raise NoWorkers("The Dask scheduler no longer answers: start it, then grade again.")

    def close(self) -> None:
        self._executor.shutdown(wait=False)
        self._client.close()


class OnePool:
    """Opens a pool when it is first asked for, and closes it at the end."""

    def __init__(self, workers: int | None, level: str):
        self._workers, self._level = workers, level
        self._pool: LocalPool | DaskPool | None = None

    def open(self) -> LocalPool | DaskPool:
        if self._pool:
            self._pool.mend()  # it may have waited for long
        self._pool = self._pool or open_pool(self._workers, self._level)
        return self._pool

    def close(self) -> None:
        pool, self._pool = self._pool, None
        if pool:
            pool.close()

    def __enter__(self) -> "OnePool":
        return self

    def __exit__(self, *_) -> None:
        self.close()


def _become_worker(folder: str) -> None:
    """In a worker: Ctrl-C is the coordinator's to answer, and nobody outlives the coordinator.

    `folder` is for temporary files.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    threading.Thread(target=_end_with_coordinator, daemon=True).start()


def _end_with_coordinator() -> None:
    """Else a worker whose coordinator was killed would wait for its next job for ever."""
    parent_process().join()
    os._exit(1)


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Keep new workers from importing the program that started this process, a JupyterLab maybe."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
