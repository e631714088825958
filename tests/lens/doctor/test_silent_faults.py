import ast
import re
from pathlib import Path

import pytest

from lens.doctor import silent
from lens.doctor.silent import signals
from lens.doctor.silent.catalogue import FAULTS
from lens.doctor.silent.fault import HEAD
from tests.lens.doctor.watched import reported, run

NAMES = list(FAULTS)
HERE = Path(silent.__file__).parent
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.mark.parametrize("name", NAMES)
def test_the_faulty_program_of_each_fault_is_reported_in_both_languages(name, language):
    fault = FAULTS[name]
    findings = run(HEAD + fault.bad)
    assert {f.family for f in findings} == {fault.family}
    finding = findings[0]
    assert finding.kind == "warning" and finding.expression and finding.fix
    assert "{" not in finding.cause
    assert bool(CHINESE.search(finding.cause)) == (language == "zh")
    assert " || " not in finding.cause + finding.fix


@pytest.mark.parametrize("name", NAMES)
def test_the_right_program_of_each_fault_is_not_reported(name):
    assert run(HEAD + FAULTS[name].good) == []


@pytest.mark.parametrize("name", NAMES)
def test_each_fault_says_the_same_blanks_in_both_languages(name):
    for text in (FAULTS[name].cause, FAULTS[name].fix):
        english, parted, chinese = text.partition(" || ")
        blanks = [set(re.findall(r"{(\w+)}", half)) for half in (english, chinese)]
        assert not parted or blanks[0] == blanks[1]
    assert " || " in FAULTS[name].cause


def test_every_family_of_the_reported_programs_has_a_fault():
    assert {case["family"] for case in reported()} <= {f.family for f in FAULTS.values()}


def test_detectors_report_the_faults_of_the_catalogue_and_each_of_them():
    told = set()
    for path in (HERE / "detectors").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                told.add(node.value)
    born = {"forward-nan", "forward-inf"}  # put together from what was born
    assert set(FAULTS) - told == born


def test_an_unknown_moment_cannot_be_signed_up_for():
    with pytest.raises(AssertionError):
        signals.at("before_lunch")
