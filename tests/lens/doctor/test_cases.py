"""Every program that is known to fail: the family, the operands that matter, a fix that runs."""

import pytest

from lens.doctor import diagnosis
from lens.doctor.scene import scene_of
from tests.lens.doctor.measure import fresh, reported
from tests.lens.doctor.programs import judge, run

CASES = [*reported(), *fresh()]
ADVICE_ONLY = {  # what is right depends on what was meant
    "autograd-17", "data-05", "fresh-11", "fresh-16", "fresh-18",
}  # fmt: skip
every_case = pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)


@every_case
def test_the_error_is_explained_and_the_fix_runs(case, language):
    finding, wrong = judge(case.program)
    assert finding.family == case.family
    assert set(case.operands) <= {operand.name for operand in finding.operands}
    assert wrong == ("no fix" if case.name in ADVICE_ONLY else "")


@every_case
def test_the_cause_is_about_these_operands(case):
    error, _ = run(case.program)
    rule, found = diagnosis.recognise(error)
    told = rule.look(scene_of(error), found) if rule.look else None
    specific = told is not None and (told.text != "plain" or told.more or told.fix)
    assert specific or rule.look is None
