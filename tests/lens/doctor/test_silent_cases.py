import pytest

from tests.lens.doctor.silent_cases import cases
from tests.lens.doctor.watched import places, reported, run, run_and_error

OWN = cases()
REPORTED = reported() + reported("raises")


@pytest.mark.parametrize("number", range(len(OWN)))
def test_a_silent_fault_is_reported_at_its_line_and_nothing_else_is(number):
    family, line, source = OWN[number]
    assert places(run(source)) == [(family, line)]


@pytest.mark.parametrize("case", reported(), ids=lambda case: case["id"])
def test_a_reported_program_gets_its_family_and_nothing_else(case):
    findings = run(case["code"])
    assert {f.family for f in findings} == {case["family"]}
    assert all(0 < f.line <= case["code"].count("\n") + 1 for f in findings)


@pytest.mark.parametrize("case", REPORTED, ids=lambda case: case["id"])
def test_nothing_is_said_of_the_corrected_code(case):
    names = {"__name__": "__main__"}
    run(case["code"], names)
    assert run(case["fix_code"], names) == []


@pytest.mark.parametrize("case", reported(), ids=lambda case: case["id"])
def test_nothing_is_said_of_a_correction_below_the_fault(case):
    last = case["code"].count("\n") + 1
    findings, error = run_and_error(case["code"] + "\n" + case["fix_code"])
    assert error is None
    assert [f for f in findings if f.line > last] == []


@pytest.mark.parametrize("case", reported("raises"), ids=lambda case: case["id"])
def test_nothing_is_added_to_an_error_that_is_raised_anyway(case):
    findings, error = run_and_error(case["code"])
    assert error is not None and findings == []
