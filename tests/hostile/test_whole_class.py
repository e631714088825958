"""All hostile submissions among honest ones, graded in one run: every verdict is the one due.

The table of what came: python -m tests.hostile
"""

import nbformat
import pytest

from autograder.classroom import nbgrader
from tests.hostile.arena import LIMITS, arena
from tests.hostile.corpus import DETECTED, HONEST, HOSTILE
from tests.hostile.kit import ASSIGNMENT, ROOT
from tests.hostile.pages import signs_of_life, words
from tests.hostile.verdicts import check, key_of, points_of_answers

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
SUBMISSIONS = [each for each in HOSTILE + HONEST if each.expect.status != "ignored"]
SLACK = 45  # seconds past all limits of a submission, for what surrounds its running


@pytest.fixture(scope="module")
def graded(sandbox):
    """The arena after one run of `autograder grade` over all of them, and that run."""
    with arena() as made:
        made.plant(HOSTILE + HONEST)
        yield made, made.grade()


@pytest.fixture(scope="module")
def alone(sandbox):
    """The verdicts of the honest ones in a class without the others."""
    with arena() as made:
        made.plant(HONEST)
        return made.grade().students


def test_the_command_ends_as_it_should_when_all_have_a_verdict(graded):
    run = graded[1]
    assert run.code == 0, run.err[-2000:]


def test_every_submission_has_exactly_one_verdict(graded):
    assert sorted(graded[1].students) == sorted(map(key_of, SUBMISSIONS))


@pytest.mark.parametrize("attack", SUBMISSIONS, ids=lambda attack: attack.name)
def test_the_verdict_is_the_one_that_is_due(graded, attack):
    verdict = graded[1].students.get(key_of(attack))
    assert check(attack, verdict, points_of_answers()) == ()


def test_no_hostile_neighbour_costs_an_honest_one_a_point(graded, alone):
    for attack in HONEST:
        name = key_of(attack)
        among = graded[1].students[name]
        assert among["questions"] == alone[name]["questions"], name
        assert (among["status"], among["look"]) == (alone[name]["status"], []), name


def test_more_points_than_are_due_come_only_to_those_listed_and_flagged(graded):
    points = points_of_answers()
    for attack in HOSTILE:
        verdict = graded[1].students.get(key_of(attack))
        due = sum(points[name] for name in {*attack.expect.earns, *attack.expect.may_earn})
        if verdict and verdict["status"] == "graded" and verdict["score"] > due:
            assert attack.name in DETECTED and verdict["look"], attack.name


def test_nothing_outside_the_sandbox_was_read_changed_called_or_left_behind(graded):
    assert graded[0].breaches() == []


def test_nobody_waits_longer_than_the_limits_of_one_submission(graded):
    """Two workers: between one verdict and the next at most one submission reaches its limits."""
    folder = graded[0].root / "autograder" / "verdicts" / ASSIGNMENT
    times = sorted(path.stat().st_mtime for path in folder.glob("*.json"))
    assert len(times) > len(SUBMISSIONS) // 2
    gaps = [after - before for before, after in zip(times, times[1:], strict=False)]
    assert max(gaps) < LIMITS.wall + SLACK


def test_scripts_of_a_submission_are_dead_in_its_feedback(graded):
    course = graded[0].course
    nbgrader(course, "generate_feedback", ASSIGNMENT, "--student=html-*")
    pages = sorted((course.root / "autograder" / "feedback").glob("html-*/*/*.html"))
    assert len(pages) == sum(attack.name.startswith("html-") for attack in HOSTILE)
    assert {page.parts[-3]: signs_of_life(page) for page in pages} == {
        page.parts[-3]: [] for page in pages
    }


def hidden_lines() -> set[str]:
    """The telling lines of the hidden tests."""
    path = ROOT / "solutions" / "en" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    found = set()
    for cell in nbformat.read(path, as_version=4).cells:
        hidden = cell.source.partition("### BEGIN HIDDEN TESTS")[2].partition("### END")[0]
        shown = cell.source.replace(hidden, "")
        found |= {line.strip() for line in hidden.splitlines() if line.strip() not in shown}
    return {line for line in found if line.startswith("lens.") and len(line) > 50}


def test_hidden_tests_that_a_submission_prints_are_not_in_its_feedback(graded):
    course = graded[0].course
    nbgrader(course, "generate_feedback", ASSIGNMENT, "--student=read-*")
    lines = hidden_lines()
    assert len(lines) > 20
    pages = sorted((course.root / "autograder" / "feedback").glob("read-*/*/*.html"))
    assert pages
    for page in pages:
        text = words(page)
        assert [line for line in lines if line in text] == [], page.parts[-3]
