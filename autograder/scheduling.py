"""Jobs through a pool of workers: few in flight, results as they come, none lost with a worker."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Protocol

from autograder.errors import Told
from autograder.judge import Job, Result

ATTEMPTS = 2
HOPELESS = 8  # so many faults before the first result, and the engine is taken to be broken
POLL_SECONDS = 0.2  # how long a Ctrl-C may go unnoticed


class Pool(Protocol):
    """What autograder.pool offers."""

    width: int  # workers

    def submit(self, job: Job) -> Future: ...
    def is_loss(self, error: BaseException) -> bool: ...
    def mend(self) -> None: ...


@dataclass
class Task:
    """The work on one submission."""

    student: str
    job: Job
    attempts: int = 0
    fault: str = ""


def run_jobs(
    tasks: Iterable[Task], pool: Pool, stopping: Callable[[], bool] = lambda: False
) -> Iterator[tuple[Task, Result]]:
    """Each task with its result, in the order in which they end; ends early when `stopping()`.

    `tasks` is asked for the next one only when a worker will soon be free. A task whose worker ends
    or whose engine fails is tried once more, alone, so that nobody else pays for it; then its
    result is a fault. Raises what the pool's `mend` raises, and Told where nothing works at all.
    """
    faults, results = 0, 0
    fresh, again = iter(tasks), deque()
    running: dict[Future, Task] = {}
    while not stopping():
        _hand_out(fresh, again, running, pool)
        if not running:
            return
        done, _ = wait(running, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
        failed = False
        for future in done:
            task = running.pop(future)
            result = _outcome(future, task, pool)
            if not result.fault:
                results += 1
                yield task, result
                continue
            failed = True
            task.attempts += 1
            if task.attempts < ATTEMPTS:
                again.append(task)
            else:
                faults += 1
                yield task, result
        if faults >= HOPELESS and not results:
            raise Told(f"The engine does not work here: {result.fault}. See: autograder doctor")
        if failed:
            pool.mend()


def _hand_out(fresh: Iterator[Task], again: deque, running: dict, pool: Pool) -> None:
    if again:
        if not running:
            task = again.popleft()
            running[pool.submit(task.job)] = task
        return
    while len(running) < 2 * pool.width and (task := next(fresh, None)):
        running[pool.submit(task.job)] = task


def _outcome(future: Future, task: Task, pool: Pool) -> Result:
    try:
        return Result.from_json(future.result())
    except Exception as error:
        if pool.is_loss(error):
            return Result(fault="its worker process was ended")
        return Result(fault=f"{type(error).__name__}: {error}")
