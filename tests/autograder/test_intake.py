import io
import os
import socket
import time
import unicodedata
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from autograder import folders, intake, reader
from autograder.folders import read_file
from autograder.intake import Received, Refusal, list_students, receive
from autograder.refusals import Refused

NOTEBOOK = b'{"nbformat": 4, "cells": []}'


@pytest.fixture
def folder(tmp_path):
    """submitted/bo/hw, empty."""
    made = tmp_path / "submitted" / "bo" / "hw"
    made.mkdir(parents=True)
    return made


def fill(folder: Path, **files: bytes) -> Path:
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_bytes(content)
    return folder


def why(folder, *expected):
    refusal = receive(folder, expected or ["a"])
    assert isinstance(refusal, Refusal), refusal
    return refusal.reason


def zipped(*paths):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in paths:
            archive.writestr(path, NOTEBOOK)
    return buffer.getvalue()


def test_an_honest_submission_is_its_bytes_without_any_note(folder):
    fill(folder, a__ipynb=NOTEBOOK)
    (folder / ".ipynb_checkpoints").mkdir()
    assert receive(folder, ["a"]) == Received({"a": NOTEBOOK})


def test_further_files_are_left_out_and_named(folder):
    fill(folder, a__ipynb=NOTEBOOK, torch__py=b"evil", nbgrader_config__py=b"evil")
    assert receive(folder, ["a"]) == Received(
        {"a": NOTEBOOK},
        ("Left out, since only the notebooks are graded: nbgrader_config.py, torch.py.",),
    )


def test_many_files_make_one_short_note_and_are_not_all_listed(folder, monkeypatch):
    monkeypatch.setattr(folders, "MAX_LISTED", 50)
    fill(folder, a__ipynb=NOTEBOOK)
    for number in range(100):
        (folder / f"f{number:04}").touch()
    (note,) = receive(folder, ["a"]).notes
    assert "and 4" in note and len(note) < 200


@pytest.mark.parametrize(
    "name",
    [
        "A.IPYNB",
        "a (1).ipynb",
        "a(12).ipynb",
        "a（1）.ipynb",
        "a-Copy1.ipynb",
        "a - Copy.ipynb",
        "a - Copy (2).ipynb",
        "a - 副本.ipynb",
        "a copy 2.ipynb",
        "a 2.ipynb",
        "a.ipynb.txt",
        "a (1).ipynb.json",
    ],
)
def test_the_only_file_that_a_browser_named_otherwise_is_taken_and_said(folder, name):
    (folder / name).write_bytes(NOTEBOOK)
    assert receive(folder, ["a"]) == Received({"a": NOTEBOOK}, (f"{name} was taken for a.ipynb.",))


@pytest.mark.parametrize(
    "name", ["b.ipynb", "ab.ipynb", "a2.ipynb", "a.final.ipynb", "a1 (x).ipynb"]
)
def test_another_name_is_refused_with_the_right_one(folder, name):
    (folder / name).write_bytes(NOTEBOOK)
    assert f"but {name}" in why(folder) and "rename it to a.ipynb" in why(folder)


def test_a_name_in_another_unicode_form_is_the_same_name(folder):
    name = unicodedata.normalize("NFD", "é.ipynb")
    (folder / name).write_bytes(NOTEBOOK)
    assert receive(folder, ["é"]).notebooks == {"é": NOTEBOOK}


def test_the_right_name_goes_before_its_variants(folder):
    fill(folder, a__ipynb=NOTEBOOK)
    (folder / "a (1).ipynb").write_bytes(b"another")
    assert receive(folder, ["a"]).notebooks == {"a": NOTEBOOK}


def test_two_variants_are_refused(folder):
    (folder / "a (1).ipynb").write_bytes(NOTEBOOK)
    (folder / "a (2).ipynb").write_bytes(NOTEBOOK)
    assert "a (1).ipynb, a (2).ipynb" in why(folder)


def test_an_expected_notebook_is_no_variant_of_another(folder):
    (folder / "part 2.ipynb").write_bytes(NOTEBOOK)
    received = receive(folder, ["part", "part 2"])
    assert received.notebooks == {"part 2": NOTEBOOK}


def test_a_missing_notebook_costs_its_points_where_another_is_there(folder):
    received = receive(fill(folder, a__ipynb=NOTEBOOK), ["a", "b"])
    assert received.notebooks == {"a": NOTEBOOK}
    assert received.notes == (
        "b.ipynb gives no points: No file b.ipynb was submitted. "
        "Submit the notebook under that name.",
    )


def test_an_empty_folder_is_refused(folder):
    assert why(folder) == "No file a.ipynb was submitted. Submit the notebook under that name."


def test_a_missing_folder_and_a_file_in_its_place_are_refused(tmp_path):
    assert "not a folder of its own" in why(tmp_path / "nobody" / "hw")
    (tmp_path / "bo").write_text("")
    assert "not a folder of its own" in why(tmp_path / "bo" / "hw")
    assert "not a folder of its own" in why(tmp_path / "bo")


@pytest.mark.parametrize("level", ["hw", "bo"])
def test_a_folder_that_is_a_link_is_not_followed(tmp_path, folder, level):
    fill(folder, a__ipynb=NOTEBOOK)
    linked = tmp_path / "other" / "eve" / "hw"
    if level == "hw":
        linked.parent.mkdir(parents=True)
        linked.symlink_to(folder)
    else:
        linked.parents[1].mkdir()
        linked.parent.symlink_to(folder.parent)
    assert (linked / "a.ipynb").exists()
    assert "not a folder of its own" in why(linked)


def test_the_instructors_own_folders_may_be_links(tmp_path, folder):
    fill(folder, a__ipynb=NOTEBOOK)
    (tmp_path / "here").symlink_to(tmp_path / "submitted")
    assert receive(tmp_path / "here" / "bo" / "hw", ["a"]).notebooks == {"a": NOTEBOOK}


@pytest.mark.parametrize("name", ["a.ipynb", "a (1).ipynb", "a.zip"])
def test_a_link_is_not_followed(tmp_path, folder, name):
    secret = tmp_path / "secret"
    secret.write_bytes(NOTEBOOK)
    (folder / name).symlink_to(secret)
    assert f"{name} is a link" in why(folder)


def test_a_second_name_of_somebody_elses_file_is_refused(tmp_path, folder):
    secret = tmp_path / "secret"
    secret.write_bytes(NOTEBOOK)
    os.link(secret, folder / "a.ipynb")
    assert "hard link" in why(folder)


def make_pipe(path):
    os.mkfifo(path)


def make_socket(path):
    os.chdir(path.parent)  # the whole path may be too long for a socket
    socket.socket(socket.AF_UNIX).bind(path.name)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize(
    ("make", "kind"),
    [(make_pipe, "a pipe"), (make_socket, "a socket"), (Path.mkdir, "a folder")],
)
def test_what_is_not_an_ordinary_file_is_refused_and_not_waited_for(
    folder, monkeypatch, make, kind
):
    monkeypatch.chdir(folder)
    make(folder / "a.ipynb")
    assert f"a.ipynb is not an ordinary file but {kind}" in why(folder)


def test_a_pipe_that_took_the_place_of_a_file_is_not_waited_for(folder, monkeypatch):
    ordinary = os.stat(fill(folder, b__ipynb=NOTEBOOK) / "b.ipynb")
    os.mkfifo(folder / "a.ipynb")
    monkeypatch.setattr(folders.os, "stat", lambda *args, **options: ordinary)
    assert "a pipe" in why(folder)


def test_a_link_that_took_the_place_of_a_file_is_not_followed(folder, monkeypatch):
    ordinary = os.stat(fill(folder, b__ipynb=NOTEBOOK) / "b.ipynb")
    (folder / "a.ipynb").symlink_to(folder / "b.ipynb")
    monkeypatch.setattr(folders.os, "stat", lambda *args, **options: ordinary)
    assert "could not be read" in why(folder)


def test_a_file_larger_than_the_limit_is_refused_unread(folder, monkeypatch):
    monkeypatch.setattr(folders.os, "read", None)
    with open(folder / "a.ipynb", "wb") as file:
        file.truncate(10**12)
    assert "a.ipynb is larger than 20 MiB" in why(folder)


def test_a_file_of_the_largest_size_is_read_and_one_byte_more_is_not(folder, monkeypatch):
    monkeypatch.setattr(reader, "MAX_BYTES", 10)
    fill(folder, a__ipynb=b"x" * 10)
    assert receive(folder, ["a"]).notebooks == {"a": b"x" * 10}
    fill(folder, a__ipynb=b"x" * 11)
    assert "larger than" in why(folder)


def test_a_file_that_grows_while_it_is_read_is_refused(folder, monkeypatch):
    fill(folder, a__ipynb=b"x")
    monkeypatch.setattr(folders.os, "read", lambda descriptor, size: b"x" * size)
    directory = os.open(folder, os.O_RDONLY)
    try:
        with pytest.raises(Refused, match="larger"):
            read_file(directory, "a.ipynb", 1000)
    finally:
        os.close(directory)


def test_a_file_that_cannot_be_read_is_refused_with_the_systems_reason(folder, monkeypatch):
    def fail(*args):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(folders.os, "read", fail)
    assert "a.ipynb could not be read (Input/output error)" in why(fill(folder, a__ipynb=b"x"))


def test_names_that_are_not_text_are_shown_as_far_as_they_are(folder):
    fill(folder, a__ipynb=NOTEBOOK)
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe\x1b[31m")).touch()
    (folder / ("\u202egpj.exe" + "x" * 200)).touch()
    (note,) = receive(folder, ["a"]).notes
    assert note.isprintable() and "\\udcff" in note and len(note) < 250
    note.encode()


def test_no_descriptor_is_left_open(folder):
    fill(folder, a__ipynb=NOTEBOOK)
    os.mkfifo(folder / "b.ipynb")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        receive(folder, ["a", "b", "c"])
        receive(folder.parent / "none", ["a"])
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_zip_is_opened_where_the_notebook_is_missing(folder):
    fill(folder, anything__zip=zipped("eve/a.ipynb"))
    assert receive(folder, ["a"]) == Received(
        {"a": NOTEBOOK}, ("a.ipynb was taken out of anything.zip.",)
    )


def test_a_zip_beside_the_notebook_is_left_alone(folder):
    fill(folder, a__ipynb=b"{}", a__zip=zipped("a.ipynb"))
    received = receive(folder, ["a"])
    assert received.notebooks == {"a": b"{}"}
    assert "a.zip" in received.notes[0]


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"x__zip": zipped("b.ipynb")}, "x.zip does not hold it"),
        ({"x__zip": b"PK"}, "x.zip is damaged"),
        ({"x__zip": zipped("a.ipynb"), "y__zip": zipped("a.ipynb")}, "x.zip, y.zip"),
        ({"x__tar__gz": b""}, "the archive x.tar.gz"),
    ],
)
def test_an_archive_that_does_not_give_the_notebook_is_refused(folder, files, says):
    assert says in why(fill(folder, **files))


def test_the_recorded_time_is_the_time_of_receipt(folder):
    fill(folder, a__ipynb=NOTEBOOK, timestamp__txt=b"2015-02-02 15:58:23.948203 UTC\n")
    received = receive(folder, ["a"])
    assert received.received == datetime(2015, 2, 2, 15, 58, 23, 948203, UTC)
    assert received.notes == ()


@pytest.mark.parametrize(
    "text",
    [
        "2015-02-02 23:58:23 +0800",
        "2015-02-02 23:58:23 +08:00",
        "2015-02-02 23:58:23+08:00",
        "2015-02-02 23:58:23 Asia/Shanghai",
        "2015-02-02T15:58:23Z",
        "\ufeff2015-02-02 15:58:23\r\n",
    ],
)
def test_a_time_in_any_zone_is_read_as_utc(folder, text):
    for encoding in ("utf-8", "utf-16"):
        fill(folder, a__ipynb=NOTEBOOK, timestamp__txt=text.encode(encoding))
        assert receive(folder, ["a"]).received == datetime(2015, 2, 2, 15, 58, 23, tzinfo=UTC)


FORGED = [
    (b"", "holds no date"),
    (b"yesterday", "holds no date"),
    (b"10", "holds no date"),
    (b"2015-99-99 99:99 UTC", "holds no date"),
    (b"2015-02-02 15:58:23 +99:99", "holds no date"),
    (b"0001-01-01 00:00:00 UTC", "holds no date"),
    (b"\xff\xfe\x00", "holds no date"),
    (b"2" * 4000, "holds no date"),
    (b"2015-02-02 15:58 " + b"9" * 5000, "larger than"),
    (b"2999-01-01 00:00:00 UTC", "names a later time than it can"),
]


@pytest.mark.parametrize(("text", "says"), FORGED)
def test_a_forged_time_gives_way_to_the_servers(folder, text, says):
    before = time.time()
    fill(folder, a__ipynb=NOTEBOOK, timestamp__txt=text)
    os.utime(folder / "a.ipynb", (0, 0))  # what a learner can set
    received = receive(folder, ["a"])
    assert says in received.notes[0] and "on this machine" in received.notes[0]
    assert before - 2 < received.received.timestamp() <= time.time() + 2


@pytest.mark.parametrize(("minutes", "believed"), [(5, True), (60 * 24, False)])
def test_clocks_may_differ_by_minutes_and_not_by_a_day(folder, minutes, believed):
    said = datetime.now(UTC) + timedelta(minutes=minutes)
    fill(folder, a__ipynb=NOTEBOOK, timestamp__txt=f"{said:%Y-%m-%d %H:%M:%S.%f} UTC".encode())
    assert (receive(folder, ["a"]).received == said) is believed


def test_a_timestamp_that_is_a_link_gives_way_to_the_servers(tmp_path, folder):
    (tmp_path / "early").write_text("2015-02-02 15:58:23 UTC")
    fill(folder, a__ipynb=NOTEBOOK)
    (folder / "timestamp.txt").symlink_to(tmp_path / "early")
    assert receive(folder, ["a"]).received.year > 2015


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


def test_every_sentence_is_there_in_both_languages_with_the_same_details():
    from string import Formatter

    from autograder.refusals import SENTENCES

    def details(text):
        return {name for _, name, _, _ in Formatter().parse(text) if name}

    for key, sentence in SENTENCES.items():
        assert sentence.keys() == {"en", "zh"}, key
        assert details(sentence["en"]) == details(sentence["zh"]), key


def test_the_limit_of_what_is_listed_leaves_the_expected_name_to_be_found(folder, monkeypatch):
    monkeypatch.setattr(folders, "MAX_LISTED", 0)
    assert receive(fill(folder, a__ipynb=NOTEBOOK), ["a"]).notebooks == {"a": NOTEBOOK}


def test_an_error_of_the_system_is_a_refusal(folder, monkeypatch):
    def fail(*args):
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(intake, "list_names", fail)
    assert "Too many open files" in why(folder)
