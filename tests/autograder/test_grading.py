"""A class through the coordinator: every submission one verdict, interrupted or not."""

import json
import os
import signal
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from autograder import judge as judging
from autograder.course import open_converter
from autograder.engine.run import EngineFault
from autograder.grading import Grading, Plan
from autograder.intake import list_students
from autograder.limits import Limits
from autograder.pool import OnePool
from autograder.sandbox import Level, why_not
from autograder.verdicts import STATUSES
from tests.autograder.conftest import tiny_submission
from tests.autograder.enginekit import InlinePool, run_here
from tests.autograder.gradekit import grades

CLASS = {
    "ada": tiny_submission(),
    "bo": tiny_submission(triple="return x"),
    "chen": tiny_submission("raise NotImplementedError()", "raise NotImplementedError()"),
    "gus": "I could not save my notebook, sorry.\n",
    "ida": tiny_submission(double="raise ValueError('no')"),
}
SCORES = {"ada": 3.0, "bo": 1.0, "chen": 0.0, "gus": 0.0, "ida": 2.0}


@pytest.fixture
def pool(monkeypatch):
    monkeypatch.setattr(judging, "run_notebook", run_here)
    monkeypatch.setenv("COURSE_LANGUAGE", "en")
    return InlinePool()


@pytest.fixture
def class_course(course, monkeypatch):
    for student, notebook in CLASS.items():
        course.submit(student, notebook)
    monkeypatch.chdir(course.root)
    return course


def grading(course, pool, tell=lambda student, verdict: None, **plan) -> Grading:
    given = {"assignment": "tiny", "language": "en", "level": "none", **plan}
    return Grading(open_converter(course.root), Plan(**given), lambda: pool, tell)


def submissions(course):
    return list_students(course.root / "autograder" / "submitted", "tiny")


def grade(course, pool, **given):
    return grading(course, pool, **given).run(submissions(course))


def scores(outcome):
    return {student: verdict.score for student, verdict in outcome.verdicts.items()}


def automatic(course, student):
    return {name: score for name, (score, _, _) in grades(course, student).items()}


def test_every_submission_gets_one_verdict_and_its_scores(class_course, pool):
    outcome = grade(class_course, pool)
    assert scores(outcome) == SCORES
    rejected = {name for name, each in outcome.verdicts.items() if each.status == "rejected"}
    assert rejected == {"gus"}
    assert automatic(class_course, "bo") == {"test_double": 1.0, "test_triple": 0.0}
    assert automatic(class_course, "gus") == {"test_double": 0.0, "test_triple": 0.0}


def test_the_json_has_the_promised_form(class_course, pool):
    made = json.loads(json.dumps(grade(class_course, pool).to_json()))
    assert made["assignment"] == "tiny" and set(made["students"]) == set(CLASS)
    for verdict in made["students"].values():
        assert {"status", "reason", "score", "max_score", "questions"} <= set(verdict)
        for question in verdict["questions"].values():
            assert {"points", "max_points", "status", "message"} == set(question)
            assert question["status"] in STATUSES


def test_the_second_run_has_nothing_to_do_and_says_the_same(class_course, pool):
    first, jobs = grade(class_course, pool), pool.jobs
    second = grade(class_course, pool)
    assert pool.jobs == jobs
    assert second.verdicts == first.verdicts
    assert second.fresh == set(CLASS)


def test_a_stopped_run_goes_on_and_ends_with_the_same_scores(class_course, pool):
    def stop_at_the_second(student, verdict):
        if len(first.outcome.verdicts) == 2:
            first.stopping.set()

    first = grading(class_course, pool, tell=stop_at_the_second)
    outcome = first.run(submissions(class_course))
    assert outcome.stopped and len(outcome.verdicts) < len(CLASS)
    outcome = grade(class_course, pool)
    assert scores(outcome) == SCORES and len(outcome.fresh) >= 2
    assert automatic(class_course, "ida") == {"test_double": 0.0, "test_triple": 2.0}


@pytest.mark.parametrize("moment", ["_write_folder", "_in_one_transaction"])
def test_a_crash_while_saving_is_made_good_by_the_next_run(class_course, pool, monkeypatch, moment):
    from autograder.gradebook import ClassGradebook

    class Crash(BaseException):
        pass

    def crash(self, *given, **named):
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(ClassGradebook, moment, crash)
        with pytest.raises(Crash):
            grade(class_course, pool)
    assert scores(grade(class_course, pool)) == SCORES
    assert automatic(class_course, "ada") == {"test_double": 1.0, "test_triple": 2.0}


def damage_verdict(course, student):
    path = course.root / "autograder" / "verdicts" / "tiny" / f"{student}.json"
    path.write_bytes(path.read_bytes()[:-20])


def remove_files(course, student):
    folder = course.root / "autograder" / "autograded" / student / "tiny"
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


def change_score(course, student):
    with sqlite3.connect(course.root / "autograder" / "gradebook.db") as database:
        database.execute("UPDATE grade SET auto_score = 0.5 WHERE auto_score = 2.0")
    database.close()


def hand_in_again(course, student):
    path = course.root / "autograder" / "submitted" / student / "tiny" / "tiny.ipynb"
    path.write_text(path.read_text() + "\n")


@pytest.mark.parametrize("change", [damage_verdict, remove_files, hand_in_again])
def test_only_what_changed_is_graded_again(class_course, pool, change):
    grade(class_course, pool)
    change(class_course, "ada")
    pool.jobs = 0
    outcome = grade(class_course, pool)
    assert pool.jobs == 1 and outcome.fresh == set(CLASS) - {"ada"}
    assert scores(outcome) == SCORES


def test_scores_that_are_not_those_of_the_verdict_are_made_again(class_course, pool):
    grade(class_course, pool)
    change_score(class_course, "ada")
    assert "ada" not in grade(class_course, pool).fresh
    assert automatic(class_course, "ada")["test_triple"] == 2.0


def test_another_limit_grades_all_again(class_course, pool):
    grade(class_course, pool)
    assert grade(class_course, pool, limits=replace(Limits(), cell_cpu=3.0)).fresh == set()


def test_force_grades_all_again(class_course, pool):
    grade(class_course, pool)
    assert grade(class_course, pool, force=True).fresh == set()


def test_where_the_engine_fails_the_scores_stay_and_the_next_run_tries_again(
    class_course, pool, monkeypatch
):
    grade(class_course, pool)
    with monkeypatch.context() as patch:
        patch.setattr(judging, "run_notebook", raise_fault)
        outcome = grade(class_course, pool, force=True)
    assert outcome.failed == set(CLASS) - {"gus"}
    assert "no kernel" in outcome.verdicts["ada"].reason
    assert "run the same command again" in outcome.verdicts["ada"].reason
    assert automatic(class_course, "ada") == {"test_double": 1.0, "test_triple": 2.0}
    assert grade(class_course, pool, force=True).failed == set()


def raise_fault(*given):
    raise EngineFault("no kernel")


def test_a_step_of_the_settings_that_fails_costs_one_submission_and_not_the_class(
    class_course, pool, monkeypatch
):
    from autograder.gradebook import ClassGradebook

    score = ClassGradebook._score

    def fail_for_bo(self, student, name, notebook):
        if student == "bo":
            raise RuntimeError("a plugin's own")
        return score(self, student, name, notebook)

    monkeypatch.setattr(ClassGradebook, "_score", fail_for_bo)
    outcome = grade(class_course, pool)
    assert outcome.failed == {"bo"} and len(outcome.verdicts) == len(CLASS)
    assert "a plugin's own" in outcome.verdicts["bo"].reason


def test_a_full_disk_ends_the_run_and_the_next_one_goes_on(class_course, pool, monkeypatch):
    from autograder.freshness import VerdictStore

    def full(*given):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(VerdictStore, "write", full)
        with pytest.raises(OSError, match="No space left"):
            grade(class_course, pool)
    assert scores(grade(class_course, pool)) == SCORES


SECRET = "0123456789abcdef" * 8


@pytest.mark.parametrize("mine", [SECRET, "", "../../x", "\0", None])
def test_a_learners_key_to_the_feedback_is_kept_or_made_anew(class_course, pool, mine):
    where = class_course.root / "autograder" / "{}" / "ada" / "tiny" / "submission_secret.txt"
    if mine is not None:
        Path(str(where).format("submitted")).write_text(mine)
    grade(class_course, pool)
    kept = Path(str(where).format("autograded")).read_text()
    assert (kept == SECRET) == (mine == SECRET)
    assert len(kept) == 128


def test_a_link_in_place_of_the_key_is_not_followed(class_course, pool, tmp_path):
    (tmp_path / "secret").write_text("f" * 64)
    folder = class_course.root / "autograder" / "submitted" / "ada" / "tiny"
    (folder / "submission_secret.txt").symlink_to(tmp_path / "secret")
    grade(class_course, pool)
    kept = class_course.root / "autograder" / "autograded" / "ada" / "tiny"
    assert (kept / "submission_secret.txt").read_text() != "f" * 64


def test_folders_that_are_no_students_are_rejected_and_not_recorded(class_course, pool):
    (class_course.root / "autograder" / "submitted" / "a*b" / "tiny").mkdir(parents=True)
    outcome = grade(class_course, pool)
    assert outcome.verdicts["a*b"].status == "rejected"
    assert set(outcome.verdicts) == {*CLASS, "a*b"}


def test_an_empty_folder_is_rejected_again_and_again(class_course, pool):
    (class_course.root / "autograder" / "submitted" / "zoe" / "tiny").mkdir(parents=True)
    for _ in range(2):
        verdict = grade(class_course, pool).verdicts["zoe"]
        assert verdict.status == "rejected" and "tiny.ipynb" in verdict.reason
    assert automatic(class_course, "zoe") == {"test_double": 0.0, "test_triple": 0.0}


@pytest.fixture
def level():
    if reason := why_not(Level.NAMESPACES):
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    return Level.NAMESPACES


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["workers", "fork server"])
def test_whatever_process_is_killed_everybody_gets_the_same_scores(class_course, level, victim):
    killed = []

    def kill_once(student, verdict):
        pool = opened.open()
        if verdict.status == "graded" and not killed:
            if victim == "workers":
                killed.extend(pool._executor._processes)
            else:
                killed.append(pool._server.process.pid)
            for pid in killed:
                os.kill(pid, signal.SIGKILL)

    with OnePool(2, level) as opened:
        run = grading(class_course, None, tell=kill_once, level=level)
        run.open_pool = opened.open
        outcome = run.run(submissions(class_course))
    assert killed and not outcome.failed
    assert scores(outcome) == SCORES
    assert automatic(class_course, "ida") == {"test_double": 0.0, "test_triple": 2.0}
