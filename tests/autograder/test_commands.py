"""The commands as a person meets them."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from autograder import class_command, commands
from autograder import judge as judging
from autograder.commands import app
from autograder.sandbox import Level, why_not
from autograder.verdicts import Question, Verdict
from tests.autograder.conftest import tiny_submission
from tests.autograder.enginekit import InlinePool, run_here
from tests.autograder.gradekit import gradebook, grades

STUB = "raise NotImplementedError()"


@pytest.fixture
def command(course, monkeypatch):
    """Runs a command in the course; submissions are run in this process, without a sandbox."""
    monkeypatch.setattr(judging, "run_notebook", run_here)
    monkeypatch.setattr(class_command, "OnePool", InlinePool)
    monkeypatch.setattr(class_command, "choose_level", lambda accepted: Level.NONE)
    for name in ("AUTOGRADER_DB", "AUTOGRADER_SCHEDULER", "AUTOGRADER_SANDBOX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COURSE_LANGUAGE", "en")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(course.root)
    return lambda *words: CliRunner().invoke(app, list(map(str, words)))


@pytest.fixture
def class_course(course):
    course.submit("ada", tiny_submission())
    course.submit("bo", tiny_submission(STUB, STUB))
    course.submit("gus", "sorry")
    return course


def test_a_class_is_graded_and_told_in_a_table(command, class_course):
    done = command("grade", "tiny")
    assert done.exit_code == 0, done.output
    assert re.search(r"ada +3 / 3 +2", done.output)
    assert re.search(r"bo +0 / 3 +2", done.output)
    assert re.search(r"gus +– .*not graded", done.output)
    assert "2 graded, 1 not; mean score 1.50 of 3" in done.output
    assert "Sandbox: NONE" in done.output


def test_what_needs_a_person_is_one_line_with_reason_and_remedy(command, class_course):
    lines = command("grade", "tiny").output.splitlines()
    (line,) = [line for line in lines if line.startswith("• ")]
    assert line.startswith("• gus: The file is not a notebook") and "submit" in line


def test_the_verdicts_are_written_as_json(command, class_course, tmp_path):
    path = tmp_path / "out.json"
    command("grade", "tiny", "--json", path)
    made = json.loads(path.read_text())
    assert made["assignment"] == "tiny"
    assert made["students"]["ada"]["questions"]["test_triple"] == {
        "points": 2.0,
        "max_points": 2.0,
        "status": "passed",
        "message": "",
    }
    assert made["students"]["gus"]["status"] == "rejected"


def test_a_path_for_json_is_meant_from_where_the_command_runs(command, class_course, monkeypatch):
    folder = class_course.root / "solutions" / "out"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert command("grade", "tiny", "--json", "out.json").exit_code == 0
    assert (folder / "out.json").exists()
    done = command("grade", "tiny", "--json", "/no/such/folder/out.json")
    assert done.exit_code == 1 and "/no/such/folder" in done.output


def test_one_student_alone_is_graded(command, class_course, tmp_path):
    path = tmp_path / "out.json"
    assert command("grade", "tiny", "--student", "ada", "--json", path).exit_code == 0
    assert set(json.loads(path.read_text())["students"]) == {"ada"}


def test_the_second_run_says_that_nothing_has_changed(command, class_course):
    command("grade", "tiny")
    assert "3 were graded before and have not changed." in command("grade", "tiny").output
    assert "graded before" not in command("grade", "tiny", "--force").output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["tinny"], "No assignment 'tinny' in solutions/en. Did you mean tiny?"),
        (["xyz"], "There are: tiny."),
        (["tiny", "--student", "aad"], "No submission of tiny by 'aad'"),
        (["tiny", "--student", "aad"], "Did you mean ada?"),
    ],
)
def test_what_does_not_exist_is_told_with_what_does(command, class_course, words, told):
    done = command("grade", *words)
    assert done.exit_code == 1
    assert told in done.output and "Traceback" not in done.output


def test_a_class_without_submissions_is_told_what_comes_first(command, course):
    done = command("grade", "tiny")
    assert done.exit_code == 0
    assert "nbgrader collect tiny" in done.output


def test_an_unknown_language_is_told_with_the_choices(command, class_course, monkeypatch):
    monkeypatch.setenv("COURSE_LANGUAGE", "fr")
    done = command("grade", "tiny")
    assert done.exit_code == 1 and "expected en or zh, got 'fr'" in done.output


def test_an_instructors_notebook_that_is_broken_is_told(command, class_course):
    (class_course.root / "solutions" / "en" / "tiny" / "tiny.ipynb").write_text("oops")
    done = command("grade", "tiny")
    assert done.exit_code == 1
    assert "not a notebook" in done.output and "Traceback" not in done.output


def test_a_submission_that_could_not_be_graded_makes_the_command_fail(
    command, class_course, monkeypatch
):
    def fail(*given):
        raise judging.EngineFault("no kernel")

    monkeypatch.setattr(judging, "run_notebook", fail)
    done = command("grade", "tiny")
    assert done.exit_code == 1
    assert "no kernel" in done.output and "run the same command again" in done.output


def test_ctrl_c_keeps_what_is_graded_and_says_how_to_go_on(command, class_course, monkeypatch):
    submit = InlinePool.submit

    def interrupted(self, job):
        if not self.jobs:
            os.kill(os.getpid(), signal.SIGINT)
        return submit(self, job)

    with monkeypatch.context() as patch:
        patch.setattr(InlinePool, "submit", interrupted)
        done = command("grade", "tiny")
    assert done.exit_code == commands.INTERRUPTED
    assert "The same command goes on from here." in done.output
    assert command("grade", "tiny").exit_code == 0
    assert grades(class_course, "ada")["test_triple"] == (2.0, None, False)


def test_limits_are_options(command, class_course, monkeypatch):
    given = []
    monkeypatch.setattr(
        judging, "run_notebook", lambda *each: given.append(each[2]) or run_here(*each)
    )
    command("grade", "tiny", "--cell-seconds", 2, "--seconds", 9, "--memory", 100)
    assert {(each.cell_cpu, each.cpu, each.memory) for each in given} == {(2, 9, 100 << 20)}


HOSTILE = "[red]ada[/red]\x1b[31m\nline"


def test_what_a_file_says_cannot_dress_up_as_the_report():
    from autograder.report import attention

    question = {"q": Question(0.0, 1.0, "failed", "")}
    verdicts = {
        "a": Verdict("rejected", HOSTILE),
        "b": Verdict("graded", "", question, (HOSTILE,)),
    }
    lines = list(attention(verdicts))
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)


@pytest.fixture
def protected():
    if reason := why_not(Level.NAMESPACES):
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)


@pytest.mark.slow
def test_the_command_grades_in_the_sandbox_with_its_own_processes(protected, class_course):
    done = class_course.autograder("grade", "tiny")
    assert done.returncode == 0, done.stderr
    assert "Sandbox: namespaces." in done.stderr
    assert re.search(r"ada +3 / 3", done.stdout)
    with gradebook(class_course) as own:
        assert own.find_submission("tiny", "ada").score == 3.0


@pytest.mark.slow
def test_ctrl_c_at_a_terminal_ends_every_process_within_seconds(protected, class_course):
    class_course.submit("loop", tiny_submission(double="while True: pass"))
    process = subprocess.Popen(
        [sys.executable, "-m", "autograder", "grade", "tiny", "--cell-seconds", "600"],
        cwd=class_course.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    database = class_course.root / "autograder" / "verdicts" / "tiny" / "ada.json"
    while not database.exists() and process.poll() is None:
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    output, _ = process.communicate()
    assert process.returncode == commands.INTERRUPTED, output
    assert "Traceback" not in output and "goes on from here" in output
    deadline = time.monotonic() + 20
    while left := of_session(process.pid):
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


def of_session(session):
    """The commands that still run in a session of processes."""
    listed = subprocess.run(["ps", "-eo", "sid,stat,args"], capture_output=True, text=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()[1:]]
    return [row for row in rows if row[0] == str(session) and not row[1].startswith("Z")]


@pytest.mark.slow
def test_doctor_says_what_this_machine_gives(protected, course):
    done = course.autograder("doctor")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Sandbox: namespaces" in done.stdout
    assert "the fork server ran a notebook with torch" in done.stdout
    assert "Ready to grade." in done.stdout
