"""The corpus itself: every kind is there, names are unique, what only is detected is listed."""

import json
import os
import stat

import pytest

from tests.hostile.corpus import DETECTED, HONEST, HOSTILE, KINDS
from tests.hostile.kit import ALL, ASSIGNMENT, Prey, material
from tests.hostile.verdicts import key_of, points_of_answers


@pytest.fixture(scope="module")
def given():
    return material("en", Prey())


def test_no_two_submissions_have_one_name():
    every = HOSTILE + HONEST
    assert len({attack.name for attack in every}) == len(every)
    assert len({key_of(attack) for attack in every}) == len(every)


@pytest.mark.parametrize("kind", KINDS)
def test_every_known_kind_of_hostile_submission_is_tried(kind):
    names = {attack.name for attack in HOSTILE}
    assert KINDS[kind] and set(KINDS[kind]) <= names


def test_what_only_can_be_detected_is_listed_by_name():
    assert {attack.name for attack in HOSTILE if attack.expect.flagged} == set(DETECTED)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_answers_that_attacks_break_are_those_of_the_assignment(language):
    worth = points_of_answers(language)
    assert set(ALL) == {name for name, points in worth.items() if points}


@pytest.mark.parametrize("attack", HOSTILE + HONEST, ids=lambda attack: attack.name)
def test_a_submission_can_be_made(attack, given, tmp_path):
    attack.plant(tmp_path, given)
    (student,) = os.listdir(tmp_path)
    assert student == (attack.folder or attack.name)


def test_an_attack_hunts_what_it_is_told(tmp_path):
    prey = Prey(secret="/the/secret", port=4711)
    for attack in HOSTILE:
        if attack.name in ("read-secrets", "read-network", "file-link-secret"):
            attack.plant(tmp_path, material("en", prey))
    secrets = (tmp_path / "read-secrets" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb").read_text()
    assert "/the/secret" in secrets and "@SECRET@" not in secrets
    link = tmp_path / "file-link-secret" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    assert os.readlink(link) == "/the/secret"
    network = tmp_path / "read-network" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    assert "4711" in json.loads(network.read_text())["cells"][8]["source"]


def test_files_are_what_they_pretend_to_be(given, tmp_path):
    by_name = {attack.name: attack for attack in HOSTILE}
    for name, check in (
        ("file-fifo", stat.S_ISFIFO),
        ("file-socket", stat.S_ISSOCK),
        ("file-link-loop", stat.S_ISLNK),
        ("file-directory", stat.S_ISDIR),
    ):
        by_name[name].plant(tmp_path, given)
        path = tmp_path / name / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
        assert check(os.lstat(path).st_mode)
