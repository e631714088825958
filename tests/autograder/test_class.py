"""The demonstration class on the real assignment: each learner gets what a person would give."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autograder.classroom import ClassroomError, copy_course, run_class
from autograder.sandbox import Level, why_not

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
ASSIGNMENT = "02_creation"
SOLUTION = ROOT / "solutions" / "en" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"


def points_of_tests() -> dict[str, float]:
    """Grade id of a test -> its points, in the order of the notebook."""
    metadata = [cell.metadata.get("nbgrader", {}) for cell in nbformat.read(SOLUTION, 4).cells]
    tests = [data for data in metadata if data.get("grade") and not data.get("solution")]
    return {data["grade_id"]: float(data["points"]) for data in tests}


def answers_in_order() -> list[str]:
    metadata = [cell.metadata.get("nbgrader", {}) for cell in nbformat.read(SOLUTION, 4).cells]
    return [data["grade_id"] for data in metadata if data.get("solution")]


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Verdicts of the class by name, and the scratch course."""
    if not SOLUTION.exists():
        message = f"no {SOLUTION.relative_to(ROOT)}: run make notebooks"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    if reason := why_not(Level.NAMESPACES):
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    course = copy_course(tmp_path_factory.mktemp("class") / "course", ASSIGNMENT)
    return run_class(course), course


@pytest.mark.parametrize("learner", ["ada", "dana"])
def test_right_answers_get_every_point_of_the_tests_even_where_they_warn(judged, learner):
    verdict = judged[0][learner]
    assert (verdict.status, verdict.score) == ("graded", sum(points_of_tests().values()))


def test_the_right_half_gets_its_points_and_the_rest_none(judged):
    names = answers_in_order()
    points = points_of_tests()
    first_half = names[: len(names) // 2]
    earned = sum(points.get(f"test_{name}", 0) for name in first_half)
    verdict = judged[0]["bo"]
    assert (verdict.status, verdict.score) == ("graded", earned)
    assert 0 < earned < sum(points.values())


@pytest.mark.parametrize("learner", ["chen", "hana"])
def test_no_answer_gets_no_points_whatever_the_tags(judged, learner):
    verdict = judged[0][learner]
    assert (verdict.status, verdict.score) == ("graded", 0)
    assert {question.status for question in verdict.questions.values()} == {"not_attempted"}


def test_only_the_learner_whose_code_ends_the_process_is_to_be_looked_at(judged):
    assert {name for name, verdict in judged[0].items() if verdict.look} <= {"fei"}


@pytest.mark.parametrize("learner", ["emil", "fei"])
def test_a_loop_or_a_dead_kernel_costs_its_own_question_alone(judged, learner):
    verdict = judged[0][learner]
    points = points_of_tests()
    first = f"test_{answers_in_order()[0]}"
    assert verdict.status == "graded"
    assert verdict.score == sum(points.values()) - points[first]
    lost = {name for name in points if verdict.questions[name].status != "passed"}
    assert lost == {first}


def test_a_file_that_is_no_notebook_is_rejected_with_its_reason(judged):
    verdict = judged[0]["gus"]
    assert (verdict.status, verdict.score) == ("rejected", 0)
    assert "not a notebook" in verdict.reason


def test_every_learner_but_that_one_gets_feedback(judged):
    verdicts, course = judged
    pages = (course.root / "autograder" / "feedback").glob(f"*/{ASSIGNMENT}/{ASSIGNMENT}.html")
    assert {page.parts[-3] for page in pages} == set(verdicts) - {"gus"}
    released = course.root / "autograder" / "exchange" / "tensor-course" / "feedback"
    assert len(list(released.glob("*.html"))) == len(verdicts) - 1


def test_feedback_shows_the_visible_tests_and_not_the_hidden_ones(judged):
    _, course = judged
    solution = SOLUTION.read_text(encoding="utf-8")
    assert "BEGIN HIDDEN TESTS" in solution
    for name in ("ada", "bo"):
        folder = course.root / "autograder" / "feedback" / name / ASSIGNMENT
        page = (folder / f"{ASSIGNMENT}.html").read_text(encoding="utf-8")
        assert "expect_close" in page
        assert "HIDDEN TESTS" not in page


def test_an_assignment_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(ClassroomError, match="solutions/en/99_nothing.*make notebooks"):
        copy_course(tmp_path / "course", "99_nothing")


def test_the_command_says_what_is_missing_and_fails():
    command = [sys.executable, "-m", "autograder.classroom", "99_nothing"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "99_nothing" in done.stderr and "Traceback" not in done.stderr
