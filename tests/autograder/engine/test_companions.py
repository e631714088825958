"""The files beside a notebook."""

import os

import pytest

from autograder.engine.companions import read_companions
from autograder.limits import MIB


def test_companions_are_regular_files_that_are_neither_notebooks_nor_hidden(tmp_path):
    for name in ("data.csv", "deep/er.txt", "a.ipynb", ".secret", ".git/config"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "link.csv").symlink_to("/etc/passwd")
    (tmp_path / "folder").symlink_to("/etc")
    os.mkfifo(tmp_path / "pipe")
    found = read_companions(str(tmp_path), MIB)
    assert found == {"data.csv": b"data.csv", "deep/er.txt": b"deep/er.txt"}


def test_companions_that_do_not_fit_are_refused_by_name(tmp_path):
    (tmp_path / "large.csv").write_bytes(b"x" * 11)
    with pytest.raises(ValueError, match="large.csv"):
        read_companions(str(tmp_path), 10)
