import io
import random
import stat
import zipfile
import zlib

import pytest

from autograder import zips
from autograder.limits import MIB
from autograder.refusals import Refused
from autograder.zips import read_zip

NOTEBOOK = b'{"nbformat": 4, "cells": []}'


def packed(*members, method=zipfile.ZIP_DEFLATED, change=lambda info: None):
    """A zip of (path, content) pairs; `change` may spoil each header."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for path, content in members:
            info = zipfile.ZipInfo(path)
            info.compress_type = method
            change(info)
            archive.writestr(info, content)
    return buffer.getvalue()


def read(raw, *wanted, limit=MIB):
    return read_zip(raw, "work.zip", wanted or ("a.ipynb",), limit)


@pytest.mark.parametrize("path", ["a.ipynb", "folder/a.ipynb", "folder\\a.ipynb", "a (1).ipynb"])
def test_a_notebook_is_found_at_the_root_or_in_one_folder(path):
    assert read(packed((path, NOTEBOOK))) == {"a.ipynb": NOTEBOOK}


def test_the_folders_in_a_zip_say_nothing_of_whose_it_is():
    raw = packed(("another_student/other_assignment.ipynb", b"1"), ("eve/a.ipynb", NOTEBOOK))
    assert read(raw) == {"a.ipynb": NOTEBOOK}


def test_what_is_not_wanted_or_lies_deeper_is_not_found():
    raw = packed(("b.ipynb", b"1"), ("x/y/a.ipynb", b"2"), ("__MACOSX/a.ipynb", b"3"))
    assert read(raw) == {}


def test_several_notebooks_come_out_of_one_zip():
    raw = packed(("a.ipynb", b"1"), ("b (2).ipynb", b"2"), ("c.ipynb", b"3"))
    assert read(raw, "a.ipynb", "b.ipynb", "d.ipynb") == {"a.ipynb": b"1", "b.ipynb": b"2"}


def test_a_wanted_name_is_not_taken_for_a_variant_of_another():
    raw = packed(("part 2.ipynb", b"2"))
    assert read(raw, "part.ipynb", "part 2.ipynb") == {"part 2.ipynb": b"2"}


def link(info):
    info.external_attr = (stat.S_IFLNK | 0o777) << 16


def test_a_link_is_not_a_notebook():
    with pytest.raises(Refused, match=r"work\.zip/a\.ipynb is a link"):
        read(packed(("a.ipynb", "/etc/passwd"), change=link))


@pytest.mark.parametrize("path", ["../a.ipynb", "/a.ipynb", "x/../../a.ipynb", "C:\\a.ipynb"])
def test_a_name_that_leads_outside_refuses_the_zip(path):
    with pytest.raises(Refused, match="outside its folder"):
        read(packed((path, NOTEBOOK), ("a.ipynb", NOTEBOOK)))


def test_two_that_could_be_meant_are_refused():
    with pytest.raises(Refused, match=r"x/a\.ipynb, y/a\.ipynb"):
        read(packed(("y/a.ipynb", b"1"), ("x/a.ipynb", b"2")))


def test_the_same_name_twice_is_refused():
    with pytest.warns(UserWarning, match="Duplicate name"):
        raw = packed(("a.ipynb", b"1"), ("a.ipynb", b"2"))
    with pytest.raises(Refused, match="has two"):
        read(raw)


def test_a_zip_in_a_zip_is_not_opened():
    with pytest.raises(Refused, match="another zip"):
        read(packed(("a.zip", packed(("a.ipynb", NOTEBOOK)))))


def test_a_member_that_swells_is_refused_by_its_ratio():
    with pytest.raises(Refused, match="far more than a notebook"):
        read(packed(("a.ipynb", b" " * 4 * MIB)), limit=8 * MIB)


def test_a_member_larger_than_a_notebook_may_be_is_refused():
    content = random.Random(1).randbytes(2000)
    with pytest.raises(Refused, match="larger than 0 MiB"):
        read(packed(("a.ipynb", content)), limit=1000)


def test_a_header_that_lies_about_the_size_does_not_get_more_unpacked():
    content = b" " * 4 * MIB
    raw = packed(("a.ipynb", content)).replace(
        len(content).to_bytes(4, "little"), (1000).to_bytes(4, "little")
    )
    with pytest.raises(Refused, match="damaged"):
        read(raw)


def test_too_many_members_are_refused_before_they_are_listed(monkeypatch):
    monkeypatch.setattr(zips, "MAX_MEMBERS", 2)
    monkeypatch.setattr(zipfile, "ZipFile", None)
    raw = b"".join([zips.MEMBER_RECORD] * 3)
    with pytest.raises(Refused, match="more than 2 files"):
        read(raw)


def test_a_locked_zip_is_refused():
    raw = bytearray(packed(("a.ipynb", NOTEBOOK)))
    raw[raw.index(zips.MEMBER_RECORD) + 8] |= 1
    with pytest.raises(Refused, match="password"):
        read(bytes(raw))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_unusual_compression_is_refused(method):
    with pytest.raises(Refused, match="an ordinary zip"):
        read(packed(("a.ipynb", NOTEBOOK), method=method))


def test_a_zip_whose_content_was_changed_is_refused():
    raw = packed(("a.ipynb", NOTEBOOK), method=zipfile.ZIP_STORED)
    with pytest.raises(Refused, match="damaged"):
        read(raw.replace(b"nbformat", b"nbFormat"))


@pytest.mark.parametrize("raw", [b"", b"PK", b"not a zip", packed(("a.ipynb", b"1"))[:-10]])
def test_what_is_no_zip_is_refused(raw):
    with pytest.raises(Refused, match="damaged or not a zip"):
        read(raw)


@pytest.mark.filterwarnings("ignore")
def test_random_damage_gives_the_notebook_or_a_refusal():
    raw = packed(("x/a.ipynb", NOTEBOOK), ("b.txt", zlib.compress(b"b")))
    dice = random.Random(3)
    outcomes = set()
    for _ in range(2000):
        damaged = bytearray(raw)
        for _ in range(dice.randint(1, 3)):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        try:
            outcomes.add(type(read(bytes(damaged))))
        except Refused:
            outcomes.add(Refused)
    assert outcomes == {dict, Refused}
