import json
import random

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder import reader
from autograder.reader import Unreadable, read_notebook
from tests.autograder.notebooks_kit import find, submission, to_bytes

NBGRADER = {"nbgrader": {"grade_id": "f", "points": 99}, "tags": ["skip-execution"]}


def notebook_json(*cells, **fields):
    top = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)}
    return json.dumps({**top, **fields}).encode()


def code_json(source="x = 1", **fields):
    return {"cell_type": "code", "source": source, "metadata": {}} | fields


def sources(raw):
    return [cell.source for cell in read_notebook(raw).cells]


def notes(raw):
    return " ".join(read_notebook(raw).metadata.notes)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_honest_notebook_keeps_types_sources_and_grade_ids(language):
    given = submission(language)
    read = read_notebook(to_bytes(given))
    nbformat.validate(read)
    assert read.metadata.notes == []
    assert [(cell.cell_type, cell.source) for cell in read.cells] == [
        (cell.cell_type, cell.source) for cell in given.cells
    ]
    assert find(read, "make_grid").metadata == {"nbgrader": {"grade_id": "make_grid"}}


def test_tags_points_kernels_outputs_and_ids_are_not_kept():
    output = {"output_type": "stream", "name": "stdout", "text": "9"}
    raw = notebook_json(
        code_json(metadata=NBGRADER, outputs=[output], id="x", execution_count=7),
        metadata={"kernelspec": {"name": "evil"}},
    )
    read = read_notebook(raw)
    assert read.metadata == {"notes": []}
    assert read.cells[0] == {
        "cell_type": "code",
        "id": "cell-0",
        "metadata": {"nbgrader": {"grade_id": "f"}},
        "source": "x = 1",
        "outputs": [],
        "execution_count": None,
    }


ENCODINGS = [
    ("utf-8", ""),
    ("utf-8-sig", ""),
    ("utf-16", "UTF-16"),
    ("utf-16-le", "UTF-16"),
    ("utf-16-be", "UTF-16"),
    ("utf-32", "UTF-32"),
    ("gb18030", "GB18030"),
]


@pytest.mark.parametrize(("encoding", "named"), ENCODINGS)
def test_a_notebook_is_read_in_whatever_encoding_an_editor_saved_it(encoding, named):
    text = to_bytes(submission("zh")).decode()
    read = read_notebook(text.encode(encoding))
    assert [cell.source for cell in read.cells] == [cell.source for cell in submission("zh").cells]
    assert (named in " ".join(read.metadata.notes)) if named else read.metadata.notes == []


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_western_letters_are_told_from_chinese_ones(encoding):
    given = new_notebook(cells=[new_markdown_cell("Réponse: déjà vu, naïve Größe, çà et là")])
    text = json.dumps(given, ensure_ascii=False)
    assert sources(text.encode(encoding)) == [given.cells[0].source]
    assert "Latin-1" in notes(text.encode(encoding))


def test_a_damaged_letter_costs_that_letter_only():
    raw = to_bytes(submission("zh"))
    damaged = raw.replace("练".encode(), "练".encode()[:2], 1)
    assert "damaged UTF-8" in notes(damaged)
    changed = [a for a, b in zip(sources(raw), sources(damaged), strict=True) if a != b]
    assert len(changed) == 1


def test_a_half_of_a_character_becomes_text_that_can_be_saved():
    raw = rb'{"nbformat": 4, "cells": [{"cell_type": "code", "source": "a\ud83d\ude00b\ud83dc"}]}'
    assert sources(raw) == ["a\U0001f600b\ufffdc"]
    sources(raw)[0].encode()


def test_line_ends_become_plain_ones():
    assert sources(notebook_json(code_json("a\r\nb\rc\n"))) == ["a\nb\nc\n"]


def test_a_source_may_be_a_list_of_lines():
    assert sources(notebook_json(code_json(["a\n", "b", 3, None]))) == ["a\nb"]


def test_an_old_notebook_with_worksheets_is_read():
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Title"},
        {"cell_type": "code", "input": ["x = 1\n", "y"], "metadata": NBGRADER, "outputs": []},
    ]
    raw = json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}, 7, {}]}).encode()
    read = read_notebook(raw)
    nbformat.validate(read)
    assert [cell.source for cell in read.cells] == ["## Title", "x = 1\ny"]
    assert find(read, "f").cell_type == "code"
    assert "old format" in notes(raw)


@pytest.mark.parametrize("version", [5, "4", None, 1e400, [4], True])
def test_a_wrong_version_does_not_keep_cells_from_being_read(version):
    raw = notebook_json(code_json(), nbformat=version)
    assert sources(raw) == ["x = 1"]
    assert "does not say that it is of nbformat 4" in notes(raw)


BROKEN_CELLS = [
    ({}, "markdown", ""),
    ({"source": "a"}, "markdown", "a"),
    ({"source": "a", "outputs": 7}, "code", "a"),
    ({"cell_type": "code", "source": None}, "code", ""),
    ({"cell_type": "code", "source": {"a": 1}}, "code", ""),
    ({"cell_type": ["code"], "source": "a"}, "markdown", "a"),
    ({"cell_type": "raw", "source": "a", "metadata": 3}, "raw", "a"),
    ({"cell_type": "code", "source": "a", "metadata": {"nbgrader": "x"}}, "code", "a"),
    ({"cell_type": "heading", "source": "a", "level": [1]}, "markdown", "# a"),
    ({"cell_type": "markdown", "source": "a", "attachments": [1]}, "markdown", "a"),
]


@pytest.mark.parametrize(("cell", "kind", "source"), BROKEN_CELLS)
def test_a_cell_with_fields_missing_or_wrong_is_read_as_far_as_it_goes(cell, kind, source):
    read = read_notebook(notebook_json(cell))
    nbformat.validate(read)
    assert (read.cells[0].cell_type, read.cells[0].source) == (kind, source)


@pytest.mark.parametrize("grade_id", [3, None, ["f"], "", "a b", "f\n", "f" * 201, "ä"])
def test_a_grade_id_that_nbgrader_would_not_write_is_none(grade_id):
    cell = code_json(metadata={"nbgrader": {"grade_id": grade_id}})
    assert read_notebook(notebook_json(cell)).cells[0].metadata == {}


def test_what_is_no_cell_is_left_out_and_noted_once():
    raw = notebook_json(7, code_json(), None, "x")
    assert sources(raw) == ["x = 1"]
    assert "no cell and was left out. (3 times)" in notes(raw)


def test_numbers_of_any_size_and_repeated_keys_are_read():
    huge = b"9" * 100_000
    raw = b'{"nbformat": 4, "a": %s, "b": NaN, "c": -Infinity, "cells": 3, "cells": []}' % huge
    assert read_notebook(raw).cells == []


def test_pasted_bitmaps_are_kept_and_other_attachments_are_not():
    png, wrong = {"image/png": "iVBORw0KGgo="}, {"image/png": "<script>"}
    attachments = {"a.png": png, "b.svg": {"image/svg+xml": "PHN2Zz4="}, "c.png": wrong, "d": 3}
    cell = {"cell_type": "markdown", "source": "![](attachment:a.png)", "attachments": attachments}
    read = read_notebook(notebook_json(cell))
    nbformat.validate(read)
    assert read.cells[0].attachments == {"a.png": png}


def test_pictures_have_a_limit_for_the_whole_notebook(monkeypatch):
    monkeypatch.setattr(reader, "MAX_PICTURES", 10)
    picture = {"a.png": {"image/png": "iVBORw=="}}
    cell = {"cell_type": "markdown", "source": "", "attachments": picture}
    read = read_notebook(notebook_json(cell, cell))
    assert ["attachments" in each for each in read.cells] == [True, False]


def test_a_cell_of_more_than_the_limit_is_taken_for_empty(monkeypatch):
    monkeypatch.setattr(reader, "MAX_SOURCE", 10)
    raw = notebook_json(code_json("x" * 11), code_json("x" * 10))
    assert sources(raw) == ["", "x" * 10]
    assert "taken for empty" in notes(raw)


UNREADABLE = [
    (b"", "is empty"),
    (b" \n\0\0", "is empty"),
    (b"\xef\xbb\xbf", "is empty"),
    (b"\xff\xfe", "is empty"),
    (b"\0" * 100, "is empty"),
    (b"I could not save my notebook, sorry.", "not JSON"),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not JSON"),
    (b"PK\x03\x04rest", "a zip that was named .ipynb"),
    (b"<!DOCTYPE html><html></html>", "a web page"),
    (b'{"cells": [\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> x\n]}', "git merge"),
    (b"[]", "no list of cells"),
    (b"3", "no list of cells"),
    (b'{"cells": {}}', "no list of cells"),
    (b'{"nbformat": 3, "worksheets": "x"}', "no list of cells"),
    (b'{"cells": ' + b"[" * 100_000, "nested too deeply"),
    (b'{"a": {"cells": [' * 50_000, "nested too deeply"),
]


@pytest.mark.parametrize(("raw", "says"), UNREADABLE)
def test_what_is_no_notebook_is_refused_with_the_reason(raw, says):
    with pytest.raises(Unreadable, match=says):
        read_notebook(raw)


def test_a_notebook_that_was_cut_off_anywhere_says_so():
    raw = to_bytes(submission("en"))
    for end in range(len(raw) // 2, len(raw) - 1, len(raw) // 7):
        with pytest.raises(Unreadable, match=r"stops in the middle|not JSON"):
            read_notebook(raw[:end])
    with pytest.raises(Unreadable, match="stops in the middle"):
        read_notebook(raw[:-1])


@pytest.mark.parametrize(
    ("name", "limit", "says"),
    [
        ("MAX_BYTES", 10, "larger than 0 MiB"),
        ("MAX_CELLS", 1, "more than 1 cells"),
        ("MAX_CONTAINERS", 3, "too deeply"),
    ],
)
def test_a_notebook_beyond_a_limit_is_refused(monkeypatch, name, limit, says):
    monkeypatch.setattr(reader, name, limit)
    with pytest.raises(Unreadable, match=says):
        read_notebook(notebook_json(code_json(), code_json()))


def test_a_refusal_is_in_the_language_of_the_class(monkeypatch):
    monkeypatch.setenv("COURSE_LANGUAGE", "zh")
    with pytest.raises(Unreadable, match="笔记本文件是空的"):
        read_notebook(b"")


def test_random_damage_gives_a_valid_notebook_or_a_refusal():
    cells = [new_code_cell("x = 1", metadata=NBGRADER), new_markdown_cell("é 练习")]
    raw = to_bytes(new_notebook(cells=cells))
    dice = random.Random(7)
    read = 0
    for _ in range(3000):
        damaged = bytearray(raw)
        for _ in range(dice.randint(1, 4)):
            place = dice.randrange(len(damaged))
            damaged[place : place + dice.randint(0, 3)] = dice.randbytes(dice.randint(0, 3))
        try:
            nbformat.validate(read_notebook(bytes(damaged)))
            read += 1
        except Unreadable:
            continue
    assert 100 < read < 2900
