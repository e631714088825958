"""Autograde of nbgrader grades with the engine, in this process: for its command and the button."""

import asyncio
import os

import pytest
from nbgrader.apps.api import NbGraderAPI
from nbgrader.converters import Autograde
from nbgrader.converters.base import NbGraderException

from autograder import bridge
from autograder import judge as judging
from autograder.course import open_converter
from autograder.sandbox import Level, why_not
from tests.autograder.conftest import tiny_submission
from tests.autograder.enginekit import InlinePool, run_here

FULL = {"test_double": 1.0, "test_triple": 2.0}


@pytest.fixture
def protected():
    if reason := why_not(Level.NAMESPACES):
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)


@pytest.fixture
def converter(course, monkeypatch):
    """nbgrader's own, as its command and the Formgrader make it; the engine's place is taken."""
    monkeypatch.setattr(judging, "run_notebook", run_here)
    monkeypatch.setattr(bridge, "OnePool", InlinePool)
    monkeypatch.setattr(bridge, "choose_level", lambda: Level.NONE)
    monkeypatch.setenv("COURSE_LANGUAGE", "en")
    monkeypatch.chdir(course.root)
    course.submit("ada", tiny_submission())
    course.submit("bo", tiny_submission(triple="return x"))
    made = open_converter(course.root, "INFO")
    made.coursedir.assignment_id = "tiny"
    made.coursedir.student_id = "*"
    return made


def graded_students(course):
    folder = course.root / "autograder" / "autograded"
    return {path.parent.name for path in folder.glob("*/tiny")}


def test_nbgraders_start_is_the_engines(converter):
    assert Autograde.start is bridge.start


def test_a_start_grades_all_and_the_next_one_skips_them(course, converter, caplog):
    caplog.set_level("INFO")
    converter.start()
    assert course.scores("bo") == {"test_double": 1.0, "test_triple": 0.0}
    assert "Skipping" not in caplog.text
    converter.start()
    assert caplog.text.count("Skipping existing assignment") == 2


def test_force_grades_again(course, converter, caplog):
    caplog.set_level("INFO")
    converter.start()
    converter.force = True
    converter.start()
    assert "Skipping" not in caplog.text


@pytest.mark.parametrize(
    ("chosen", "excluded", "students"),
    [("ada", "", {"ada"}), ("*", "ada", {"bo"}), ("b*", "", {"bo"})],
)
def test_students_are_chosen_as_in_nbgrader(course, converter, chosen, excluded, students):
    converter.coursedir.student_id = chosen
    converter.coursedir.student_id_exclude = excluded
    converter.start()
    assert graded_students(course) == students


@pytest.mark.parametrize(
    ("setting", "value", "told"),
    [
        ("student_id", "aad", "No notebooks were matched by .*Did you mean ada?"),
        ("assignment_id", "none", "No notebooks were matched by"),
        ("notebook_id", "tinny", "No notebook 'tinny'. Did you mean tiny?"),
    ],
)
def test_what_matches_nothing_is_told(converter, setting, value, told):
    setattr(converter.coursedir, setting, value)
    with pytest.raises(NbGraderException, match=told):
        converter.start()


def test_one_notebook_can_be_chosen(course, converter):
    converter.coursedir.notebook_id = "t*"
    converter.start()
    assert course.scores("ada") == FULL
    assert not list((course.root / "autograder" / "verdicts").rglob("*.json"))


def test_without_execution_nothing_is_graded(converter):
    converter.config.Execute.enabled = False
    with pytest.raises(NbGraderException, match="--no-execute"):
        converter.start()


def test_students_are_not_added_where_the_settings_forbid_it(converter):
    converter.create_student = False
    with pytest.raises(NbGraderException, match="nbgrader db student add (ada|bo)"):
        converter.start()


def test_the_folder_of_the_process_stays(converter, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    converter.start()
    assert os.getcwd() == str(tmp_path)


def test_the_timeout_of_the_settings_is_the_limit_of_a_cell(converter, monkeypatch):
    given = []
    monkeypatch.setattr(
        judging, "run_notebook", lambda *each: given.append(each[2]) or run_here(*each)
    )
    for seconds in (7, 700):
        converter.config.Execute.timeout = seconds
        converter.start()
    assert [(each.cell_cpu, each.cell_wall) for each in given[::2]] == [(7, 7), (20, 700)]


@pytest.mark.slow
def test_the_formgraders_button_works_while_a_server_runs(course, protected, monkeypatch):
    """Twice, since the workers of the first click are there for the second."""
    monkeypatch.chdir(course.root)
    monkeypatch.setenv("COURSE_LANGUAGE", "en")
    course.submit("ada", tiny_submission())
    course.submit("gus", "sorry")
    coursedir = open_converter(course.root, "INFO").coursedir

    async def click():
        api = NbGraderAPI(coursedir=coursedir, config=coursedir.config)
        right = api.autograde("tiny", "ada")
        pool = bridge._kept._pool
        return right, api.autograde("tiny", "gus"), pool is bridge._kept._pool

    try:
        right, wrong, kept = asyncio.run(click())
    finally:
        bridge._kept.close()
    assert right["success"], right
    assert "Autograded tiny of ada: 3 / 3" in right["log"]
    assert not wrong["success"] and "The file is not a notebook" in wrong["log"]
    assert kept
    assert course.scores("ada") == FULL
