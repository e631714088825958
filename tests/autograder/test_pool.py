"""Where jobs are done: processes of this machine, or a Dask cluster."""

import json
import os
import socket
import subprocess
import sys

import pytest

from autograder import pool as pools
from autograder.judge import Job, Result
from autograder.limits import Limits
from autograder.pool import LocalPool, NoWorkers, OnePool, open_pool
from autograder.scheduling import Task, run_jobs
from tests.autograder.conftest import tiny_submission
from tests.autograder.gradekit import open_book


def test_a_scheduler_that_does_not_answer_is_told_with_what_to_do(monkeypatch):
    monkeypatch.setattr(pools, "SCHEDULER_SECONDS", 0.5)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    monkeypatch.setenv("AUTOGRADER_SCHEDULER", f"tcp://127.0.0.1:{port}")
    with pytest.raises(NoWorkers, match="AUTOGRADER_SCHEDULER: expected .*unset"):
        open_pool(2, "none")


def test_without_dask_a_scheduler_is_refused_with_the_package_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.setenv("AUTOGRADER_SCHEDULER", "tcp://127.0.0.1:1")
    with pytest.raises(NoWorkers, match="pip install distributed"):
        open_pool(2, "none")


def test_nothing_is_started_that_nobody_asked_for():
    with OnePool(2, "none") as pool:
        assert pool._pool is None


@pytest.fixture
def tasks(course, monkeypatch):
    with open_book(course, monkeypatch) as book:
        truth = json.dumps(book.assignment.to_json())

    def make(*names):
        raw = {"tiny": json.dumps(tiny_submission(triple="return x")).encode()}
        return [Task(name, Job(truth, raw, Limits(), "none", "en")) for name in names]

    return make


def points(result: Result) -> list[float]:
    assert not result.fault, result.fault
    return [question.points for question in result.questions.values()]


@pytest.mark.slow
def test_workers_that_ended_between_two_runs_are_replaced(tasks):
    pool = LocalPool(1, "none")
    try:
        for name in ("a", "b"):
            ((_, result),) = run_jobs(tasks(name), pool)
            assert points(result) == [1.0, 0.0]
            for process in pool._executor._processes.values():
                process.kill()
                process.join()
            pool._server.process.kill()
            pool._server.process.wait()
            pool.mend()
    finally:
        pool.close()


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    """The address of a scheduler with two workers, each a process of its own."""
    pytest.importorskip("distributed") if not os.environ.get("CI") else __import__("distributed")
    told = tmp_path / "scheduler.json"
    options = ["--scheduler-file", str(told), "--no-dashboard"]
    worker = ["dask_worker", "--nthreads", "1", "--local-directory", str(tmp_path)]
    started = []
    try:
        for name, *more in (
            ["dask_scheduler", "--host", "127.0.0.1", "--port", "0"],
            worker,
            worker,
        ):
            command = [sys.executable, "-m", f"distributed.cli.{name}", *options, *more]
            with (tmp_path / "dask.log").open("a") as log:
                started.append(subprocess.Popen(command, stdout=log, stderr=log, cwd=tmp_path))
        yield wait_for_workers(told, 2)
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


def wait_for_workers(told, number: int) -> str:
    from distributed import Client

    with Client(scheduler_file=str(told), timeout=120, set_as_default=False) as client:
        client.wait_for_workers(number, timeout=120)
        return client.scheduler.address


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_dask_cluster_of_separate_processes_grades(tasks, cluster, monkeypatch):
    monkeypatch.setenv("AUTOGRADER_SCHEDULER", cluster)
    with OnePool(None, "none") as opened:
        pool = opened.open()
        assert pool.width == 2
        done = run_jobs(tasks(*"abcd"), pool)
        results = {task.student: points(result) for task, result in done}
    assert results == dict.fromkeys("abcd", [1.0, 0.0])
