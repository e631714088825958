import os
import socket
from pathlib import Path

import pytest

from autograder import folders, reader
from autograder.folders import read_file
from autograder.intake import receive
from autograder.refusals import Refused
from tests.autograder.folders_kit import NOTEBOOK, fill, make_folder, why


@pytest.fixture
def folder(tmp_path):
    return make_folder(tmp_path)


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


def test_no_descriptor_is_left_open(folder):
    fill(folder, a__ipynb=NOTEBOOK)
    os.mkfifo(folder / "b.ipynb")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        receive(folder, ["a", "b", "c"])
        receive(folder.parent / "none", ["a"])
    assert len(os.listdir("/proc/self/fd")) == before
