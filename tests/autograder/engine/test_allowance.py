"""When a kernel has used up what it may."""

from autograder.engine.allowance import START, Allowance
from autograder.limits import Limits
from autograder.sandbox import Usage

LIMITS = Limits(cpu=10.0, wall=100.0, memory=1000)


def used(cpu: float = 0.0, memory: int = 0) -> Usage:
    return Usage(cpu, memory, 1)


def test_the_cpu_of_a_submission_is_limited():
    assert Allowance(LIMITS, 0.0).exceeded(used(10.0), 1.0) == ""
    assert Allowance(LIMITS, 0.0).exceeded(used(10.1), 1.0) == "cpu"


def test_the_time_of_a_submission_is_limited():
    assert Allowance(LIMITS, 50.0).exceeded(used(), 149.0) == ""
    assert Allowance(LIMITS, 50.0).exceeded(used(), 151.0) == "wall"


def test_the_memory_of_a_submission_is_limited_beyond_what_a_kernel_takes():
    assert Allowance(LIMITS, 0.0).exceeded(used(memory=1000 + START), 1.0) == ""
    assert Allowance(LIMITS, 0.0).exceeded(used(memory=1001 + START), 1.0) == "memory"


def test_a_cell_has_an_allowance_from_its_start():
    allowance = Allowance(LIMITS, 0.0)
    allowance.start_cell(2.0, 30.0, now=10.0)
    assert allowance.exceeded(used(5.0), 10.2) == ""
    assert allowance.exceeded(used(6.9), 11.0) == ""
    assert allowance.exceeded(used(7.1), 11.0) == "cpu"
    assert allowance.exceeded(used(5.0), 41.0) == "wall"


def test_without_limits_a_kernel_is_not_watched_until_a_cell_has_a_budget():
    allowance = Allowance(None, 0.0)
    assert not allowance.bound and allowance.exceeded(used(1e9, 1 << 50), 1e9) == ""
    allowance.start_cell(1.0, 1.0, 1e9)
    assert allowance.bound
