"""Jobs, workers that end and engines that fail, without a single process."""

import threading
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool

import pytest

from autograder import scheduling
from autograder.errors import Told
from autograder.judge import Job, Result
from autograder.limits import Limits
from autograder.scheduling import Task, run_jobs

DONE = Result(rejected="done")


class FakePool:
    """Answers each job at once, as `script` says: name -> what its attempts come to."""

    def __init__(self, jobs, script=None, width=1):
        self.width = width
        self.script = {name: list(each) for name, each in (script or {}).items()}
        self.names = {id(task.job): task.student for task in jobs}
        self.mended = 0
        self.events = []

    def submit(self, job):
        future = Future()
        self.events.append(self.names[id(job)])
        outcomes = self.script.get(self.names[id(job)], [])
        outcome = outcomes.pop(0) if outcomes else DONE
        if isinstance(outcome, Future):
            return outcome
        if isinstance(outcome, BaseException):
            future.set_exception(outcome)
        else:
            future.set_result(outcome.to_json())
        return future

    def is_loss(self, error):
        return isinstance(error, BrokenProcessPool)

    def mend(self):
        self.mended += 1


def own_jobs(*names):
    """Tasks whose jobs can be told apart."""
    return [Task(name, Job(name, {}, Limits(), "none", "en")) for name in names]


def finished(jobs, pool, **given):
    got = []
    for task, result in run_jobs(jobs, pool, **given):
        got.append((task.student, result))
    return got


def test_every_job_gets_its_result():
    jobs = own_jobs(*"abcde")
    got = finished(jobs, FakePool(jobs))
    assert sorted(name for name, _ in got) == list("abcde")
    assert all(result.rejected == "done" for _, result in got)


def test_jobs_are_asked_for_only_when_a_worker_will_soon_be_free():
    asked = []
    jobs = own_jobs(*map(str, range(50)))

    def one_by_one():
        for job in jobs:
            asked.append(job)
            yield job

    pool = FakePool(jobs, width=2)
    first = next(run_jobs(one_by_one(), pool))
    assert first and len(asked) == 4


@pytest.mark.parametrize("trouble", [BrokenProcessPool("gone"), Result(fault="engine")])
def test_a_job_that_lost_its_worker_or_engine_is_done_again_elsewhere(trouble):
    jobs = own_jobs("a", "b", "c")
    pool = FakePool(jobs, {"b": [trouble]})
    got = dict(finished(jobs, pool))
    assert {name: result.fault for name, result in got.items()} == {"a": "", "b": "", "c": ""}
    assert pool.mended == 1


def test_a_job_that_is_done_again_has_no_company():
    jobs, slow = own_jobs("a", "b", "c"), Future()
    pool = FakePool(jobs, {"a": [Result(fault="engine")], "b": [slow]}, width=1)
    pool.mend = threading.Timer(0.3, slow.set_result, [DONE.to_json()]).start
    for task, _ in run_jobs(jobs, pool):
        pool.events.append(f"{task.student} done")
    assert pool.events == ["a", "b", "b done", "a", "a done", "c", "c done"]


def test_a_job_that_fails_twice_ends_as_a_fault_and_the_others_go_on():
    jobs = own_jobs("a", "b")
    pool = FakePool(jobs, {"a": [BrokenProcessPool(), BrokenProcessPool()]})
    got = dict(finished(jobs, pool))
    assert "worker process was ended" in got["a"].fault
    assert got["b"].rejected == "done"


def test_an_unexpected_error_is_a_fault_with_its_name():
    jobs = own_jobs("a")
    pool = FakePool(jobs, {"a": [ImportError("no lens"), ImportError("no lens")]})
    assert dict(finished(jobs, pool))["a"].fault == "ImportError: no lens"


def test_nothing_is_handed_out_any_more_once_it_is_to_stop():
    jobs, stop = own_jobs(*"abcdef"), []
    pool = FakePool(jobs)
    for _ in run_jobs(jobs, pool, lambda: bool(stop)):
        stop.append(True)
    assert len(pool.events) <= 2 * pool.width + 1


def test_an_engine_that_never_works_ends_the_run(monkeypatch):
    monkeypatch.setattr(scheduling, "HOPELESS", 2)
    jobs = own_jobs(*"abcdef")
    pool = FakePool(jobs, {name: [Result(fault="no kernel")] * 2 for name in "abcdef"})
    got = []
    with pytest.raises(Told, match="no kernel. See: autograder doctor"):
        for task, _ in run_jobs(jobs, pool):
            got.append(task.student)
    assert len(got) == 2


def test_faults_after_a_result_do_not_end_the_run(monkeypatch):
    monkeypatch.setattr(scheduling, "HOPELESS", 2)
    jobs = own_jobs(*"abcdef")
    pool = FakePool(jobs, {name: [Result(fault="no kernel")] * 2 for name in "bcdef"})
    assert len(finished(jobs, pool)) == 6
