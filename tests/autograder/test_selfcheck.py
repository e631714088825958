"""`autograder selfcheck` as a learner meets it; the notebook is run in this process."""

import json

import nbformat
import pytest
from typer.testing import CliRunner

from autograder import judge as judging
from autograder import selfcheck
from autograder.commands import app
from autograder.sandbox import Level
from tests.autograder.conftest import tiny_solution, tiny_submission
from tests.autograder.enginekit import run_here


@pytest.fixture
def command(course, monkeypatch):
    """Runs a command in the course."""
    monkeypatch.setattr(judging, "run_notebook", run_here)
    monkeypatch.setattr(selfcheck, "best_level", lambda: Level.NONE)
    monkeypatch.setenv("COURSE_LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(course.root)
    return lambda *words: CliRunner().invoke(app, list(map(str, words)))


def own_copy(tmp_path, notebook):
    """A notebook at a learner's, who has neither answers nor a gradebook."""
    path = tmp_path / "mine" / "tiny.ipynb"
    path.parent.mkdir()
    path.write_text(json.dumps(notebook))
    return path


def released(course, **answers):
    assert course.nbgrader("generate_assignment", "tiny").returncode == 0
    path = course.root / "exercises" / "en" / "tiny" / "tiny.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.source = answers.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)
    return notebook


def test_a_learner_sees_each_question_with_what_its_test_said(command, course, tmp_path):
    notebook = tiny_submission(triple="return x")
    out = tmp_path / "out.json"
    done = command("selfcheck", own_copy(tmp_path, notebook), "--json", out)
    assert done.exit_code == 0, done.output
    assert "✓  test_double" in done.output and "✗  test_triple" in done.output
    assert "AssertionError" in done.output and "1 / 3 points" in done.output
    assert json.loads(out.read_text())["score"] == 1.0


def test_without_the_answers_the_tests_in_the_file_are_the_truth(command, course, tmp_path):
    notebook = released(course, double="def double(x):\n    return 2 * x")
    (course.root / "solutions" / "en" / "tiny" / "tiny.ipynb").unlink()
    done = command("selfcheck", own_copy(tmp_path, notebook))
    assert "✓  test_double" in done.output and "○  test_triple" in done.output
    assert "1 / 3 points" in done.output


def test_a_file_to_check_that_is_not_there_or_no_notebook_is_told(command, tmp_path):
    path = own_copy(tmp_path, tiny_solution())
    done = command("selfcheck", path.with_name("tinny.ipynb"))
    assert done.exit_code == 1 and "Did you mean tiny.ipynb?" in done.output
    path.write_text("oops")
    done = command("selfcheck", path)
    assert done.exit_code == 1 and "not a notebook" in done.output
