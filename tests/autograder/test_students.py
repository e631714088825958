import os

import pytest

from autograder.intake import Refusal, list_students, receive


def test_students_are_the_folders_that_hold_the_assignment(tmp_path):
    for name in ("bo", "O'Brien", "李 雷", "ann@uni.edu", "no-submission"):
        (tmp_path / name / ("hw" if name != "no-submission" else "other")).mkdir(parents=True)
    (tmp_path / ".cache" / "hw").mkdir(parents=True)
    (tmp_path / "README").touch()
    expected = {name: tmp_path / name / "hw" for name in ("O'Brien", "ann@uni.edu", "bo", "李 雷")}
    assert list_students(tmp_path, "hw") == expected
    assert list(list_students(tmp_path, "hw")) == sorted(expected)


def test_a_class_without_submissions_has_no_students(tmp_path):
    assert list_students(tmp_path / "submitted", "hw") == {}


@pytest.mark.parametrize(
    "name", [b"*", b"b[oa]", b"{x}", b"a\nb", b"\xff", b" bo", b"x" * 101, b"<b>", b"a\\b", b"$(x)"]
)
def test_a_folder_that_cannot_be_a_students_is_refused_by_a_printable_name(tmp_path, name):
    os.makedirs(os.fsencode(tmp_path) + b"/" + name + b"/hw")
    ((shown, refusal),) = list_students(tmp_path, "hw").items()
    assert shown.isprintable() and "cannot be a student's" in refusal.reason


def test_folders_that_look_alike_are_refused_each(tmp_path):
    for name in (b"a\n", b"a\r", b"a\x1b"):
        os.makedirs(os.fsencode(tmp_path) + b"/" + name + b"/hw")
    assert len(list_students(tmp_path, "hw")) == 3


def test_a_student_who_is_a_link_is_refused(tmp_path):
    (tmp_path / "bo" / "hw").mkdir(parents=True)
    (tmp_path / "eve").symlink_to(tmp_path / "bo")
    assert isinstance(list_students(tmp_path, "hw")["eve"], Refusal)


def test_a_submission_that_is_a_link_is_listed_so_that_it_gets_its_verdict(tmp_path):
    (tmp_path / "eve").mkdir()
    (tmp_path / "eve" / "hw").symlink_to("nowhere")
    listed = list_students(tmp_path, "hw")
    assert isinstance(receive(listed["eve"], ["a"]), Refusal)
