"""The worker's step: JSON in, JSON out, whatever comes; the running itself is a stand-in."""

import json

import nbformat
import pytest

from autograder import judge as judging
from autograder.assignment import Assignment, load_assignment
from autograder.engine.run import EngineFault
from autograder.judge import Job, Result, absent, judge, one_table
from autograder.limits import Limits
from autograder.verdicts import Question
from tests.autograder.conftest import tiny_solution, tiny_submission
from tests.autograder.enginekit import run_here


@pytest.fixture
def engine(monkeypatch):
    monkeypatch.setattr(judging, "run_notebook", run_here)
    monkeypatch.setenv("COURSE_LANGUAGE", "en")  # the step sets it, and it must not stay


@pytest.fixture(scope="module")
def assignment(tmp_path_factory):
    folder = tmp_path_factory.mktemp("solutions") / "tiny"
    folder.mkdir()
    nbformat.write(tiny_solution(), folder / "tiny.ipynb")
    return load_assignment(folder, "en")


def job(assignment, **raw):
    notebooks = {
        name: content if isinstance(content, bytes) else json.dumps(content).encode()
        for name, content in raw.items()
    }
    return Job(json.dumps(assignment.to_json()), notebooks, Limits(), "none", "en")


def judged(given) -> Result:
    return Result.from_json(judge(given.to_json()))


def test_a_job_and_a_result_survive_the_way_as_text(assignment):
    given = job(assignment, tiny=b"\x00\xff raw")
    assert Job.from_json(given.to_json()) == given
    result = Result("", "", {"q": Question(1.0, 2.0, "failed", "中文")}, ("l",), ("n",), {"a": {}})
    assert Result.from_json(result.to_json()) == result


def test_a_right_and_a_wrong_answer_get_their_points(engine, assignment):
    result = judged(job(assignment, tiny=tiny_submission(triple="return x")))
    assert {name: (q.points, q.status) for name, q in result.questions.items()} == {
        "test_double": (1.0, "passed"),
        "test_triple": (0.0, "failed"),
    }
    assert (result.fault, result.rejected) == ("", "")
    nbformat.validate(nbformat.from_dict(result.notebooks["tiny"]))


def test_the_released_notebook_is_not_attempted(engine, assignment):
    result = judged(job(assignment, tiny=assignment.notebooks["tiny"]))
    assert {q.status for q in result.questions.values()} == {"not_attempted"}


def test_what_is_no_notebook_is_rejected_with_its_reason(engine, assignment):
    result = judged(job(assignment, tiny=b"sorry"))
    assert "not a notebook" in result.rejected
    assert not result.questions and not result.fault


def two(assignment):
    both = {"tiny": assignment.notebooks["tiny"], "more": assignment.notebooks["tiny"]}
    return Assignment("two", both, {}, {})


def test_a_notebook_that_was_not_handed_in_gives_no_points(engine, assignment):
    result = judged(job(two(assignment), tiny=tiny_submission()))
    assert {name: q.points for name, q in result.questions.items()} == {
        "tiny/test_double": 1.0,
        "tiny/test_triple": 2.0,
        "more/test_double": 0.0,
        "more/test_triple": 0.0,
    }
    assert "more.ipynb was not handed in" in result.notes


def test_what_a_notebook_used_is_missing_for_the_next(assignment, monkeypatch):
    given = []

    def run(notebook, files, limits, level):
        given.append(limits.cpu)
        return run_here(notebook, files, limits, level)

    monkeypatch.setattr(judging, "run_notebook", run)
    monkeypatch.setenv("COURSE_LANGUAGE", "en")
    judged(job(two(assignment), tiny=tiny_submission(), more=tiny_submission()))
    assert given == [60.0, 59.5]


@pytest.mark.parametrize("error", [EngineFault("no kernel"), RuntimeError("no kernel")])
def test_a_fault_of_the_engine_is_told_and_not_raised(assignment, monkeypatch, error):
    def run(*given):
        raise error

    monkeypatch.setattr(judging, "run_notebook", run)
    monkeypatch.setenv("COURSE_LANGUAGE", "en")
    assert "no kernel" in judged(job(assignment, tiny=tiny_submission())).fault


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", "[" * 50_000])
def test_a_job_that_is_none_is_a_fault_and_raises_nothing(text):
    assert Result.from_json(judge(text)).fault


def test_a_result_that_is_too_large_loses_outputs_and_no_points(engine, assignment, monkeypatch):
    monkeypatch.setattr(judging, "LARGEST_RESULT", 20_000)
    loud = tiny_submission(double="print('x' * 30_000); return 2 * x", triple="1 / 0")
    text = judge(job(assignment, tiny=loud).to_json())
    result = Result.from_json(text)
    assert len(text) < 20_000
    assert [q.points for q in result.questions.values()] == [1.0, 0.0]
    outputs = [cell["outputs"] for cell in result.notebooks["tiny"]["cells"] if "outputs" in cell]
    assert ["ZeroDivisionError"] in [[each.get("ename") for each in some] for some in outputs]
    nbformat.validate(nbformat.from_dict(result.notebooks["tiny"]))


def test_absent_questions_have_no_points_and_nothing_for_a_person(assignment):
    assert absent(assignment.notebooks["tiny"]) == {
        "test_double": Question(0.0, 1.0, "not_attempted", ""),
        "test_triple": Question(0.0, 2.0, "not_attempted", ""),
    }


def test_an_id_that_one_notebook_uses_stands_alone():
    assert one_table({"a": {"x": 1, "y": 2}, "b": {"x": 3}}) == {"a/x": 1, "y": 2, "b/x": 3}
