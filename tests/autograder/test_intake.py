import os
import unicodedata
from pathlib import Path

import pytest

from autograder import folders, intake
from autograder.intake import Received, receive
from tests.autograder.folders_kit import NOTEBOOK, fill, make_folder, why, zipped


@pytest.fixture
def folder(tmp_path):
    return make_folder(tmp_path)


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


def test_names_that_are_not_text_are_shown_as_far_as_they_are(folder):
    fill(folder, a__ipynb=NOTEBOOK)
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe\x1b[31m")).touch()
    (folder / ("\u202egpj.exe" + "x" * 200)).touch()
    (note,) = receive(folder, ["a"]).notes
    assert note.isprintable() and "\\udcff" in note and len(note) < 250
    note.encode()


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
