"""A verdict stands only where nothing that it depends on has changed."""

import json
from dataclasses import replace

import pytest

from autograder import freshness
from autograder.errors import Told
from autograder.freshness import VerdictStore, submission_key
from autograder.limits import Limits
from autograder.verdicts import Question, Verdict

VERDICT = Verdict(
    "graded", "", {"q": Question(1.0, 2.0, "failed", "message 中文")}, ("look",), ("note",)
)
GIVEN = {
    "notebooks": {"a": b"1", "b": b"2"},
    "assignment": "{}",
    "limits": Limits(),
    "level": "namespaces",
}


@pytest.mark.parametrize(
    "change",
    [
        {"notebooks": {"a": b"1", "b": b"3"}},
        {"notebooks": {"a": b"1", "c": b"2"}},
        {"notebooks": {"a": b"12", "b": b""}},
        {"assignment": "{} "},
        {"limits": replace(Limits(), cell_cpu=1.0)},
        {"level": "none"},
    ],
)
def test_a_change_in_submission_tests_limits_or_level_makes_another_key(change):
    assert submission_key(**GIVEN) != submission_key(**GIVEN | change)


def test_another_version_of_a_package_or_of_the_code_makes_another_key(monkeypatch):
    before = submission_key(**GIVEN)
    told = json.loads(freshness.environment())
    assert told["torch"] and told["autograder code"] != told["lens code"]
    monkeypatch.setattr(freshness, "environment", lambda: "another")
    assert submission_key(**GIVEN) != before


def test_the_order_of_notebooks_does_not_matter():
    turned = dict(reversed(GIVEN["notebooks"].items()))
    assert submission_key(**GIVEN) == submission_key(**GIVEN | {"notebooks": turned})


@pytest.fixture
def store(tmp_path):
    made = VerdictStore(tmp_path / "verdicts")
    made.write("ada", "key", VERDICT)
    return made


def test_what_was_written_is_read_again(store):
    assert store.read("ada", "key") == VERDICT
    assert [path.name for path in store.folder.iterdir()] == ["ada.json"]


def test_another_key_or_student_has_no_verdict(store):
    assert store.read("ada", "other") is None
    assert store.read("bo", "key") is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"points": 1.0', '"points": 2.0'),
        lambda text: "[]",
        lambda text: "[" * 100_000,
    ],
)
def test_a_damaged_file_is_no_verdict(store, damage):
    path = store.folder / "ada.json"
    path.write_text(damage(path.read_text()))
    assert store.read("ada", "key") is None


def test_one_program_at_a_time_grades_an_assignment(store):
    refused = pytest.raises(Told, match="being graded by another program")
    with store.one_writer(), refused, store.one_writer():
        pass
    with store.one_writer():
        pass


def test_a_forgotten_verdict_is_gone_and_may_be_forgotten_again(store):
    store.forget("ada")
    store.forget("ada")
    assert store.read("ada", "key") is None
