import os
import time

import pytest

from autograder.settings import (
    CODE_STUB,
    LANGUAGES,
    TEXT_STUB,
    course_language,
    local_timezone,
    release_directory,
    source_directory,
    why_unreachable,
)


def test_the_class_speaks_english_unless_told_otherwise():
    assert course_language({}) == "en"
    assert course_language({"COURSE_LANGUAGE": ""}) == "en"
    assert course_language({"COURSE_LANGUAGE": "zh"}) == "zh"


def test_an_unknown_language_is_refused_with_the_choices():
    with pytest.raises(ValueError, match="expected en or zh, got 'fr'"):
        course_language({"COURSE_LANGUAGE": "fr"})


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_its_folders_and_stubs(language):
    assert source_directory(language) == f"solutions/{language}"
    assert release_directory(language) == f"exercises/{language}"
    assert CODE_STUB[language].endswith("raise NotImplementedError()")
    assert TEXT_STUB[language]


def test_times_are_shown_in_the_zone_of_the_environment_or_of_the_machine():
    from dateutil.tz import gettz

    assert local_timezone({"TZ": "Asia/Shanghai"}) == "Asia/Shanghai"
    assert local_timezone({"TZ": ":Europe/Paris"}) == "Europe/Paris"
    assert gettz(local_timezone({})) is not None
    assert os.environ.get("TZ") or time.tzname


def test_a_gradebook_that_answers_is_no_problem(tmp_path):
    assert why_unreachable(f"sqlite:///{tmp_path}/gradebook.db") == ""


@pytest.mark.parametrize(
    "url", ["bogus", "sqlite:////no/such/folder/gradebook.db", "nosuchdialect://host/db"]
)
def test_a_gradebook_that_does_not_answer_is_told_with_what_to_do(url):
    told = why_unreachable(url)
    assert told.startswith("AUTOGRADER_DB: expected")
    assert "unset AUTOGRADER_DB" in told
