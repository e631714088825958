"""A small course of one chapter, built once; each test gets a copy that it may spoil."""

import shutil
from pathlib import Path

import pytest

from authoring.build import build
from authoring.skeleton import write_skeleton

LANDING = """\
# %% [markdown]
# # Course
#
# {chapters}
# %% [markdown] lang="zh"
# # 课程
#
# {chapters}
"""


def empty_course(root: Path) -> Path:
    """The folders of a course without chapters."""
    for folder in ("course/chapters", "course/en", "course/zh"):
        (root / folder).mkdir(parents=True)
    (root / "course/chapters/landing.py").write_text(LANDING, encoding="utf-8")
    (root / "course/chapters/items.toml").write_text("", encoding="utf-8")
    return root


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Path:
    root = empty_course(tmp_path_factory.mktemp("built"))
    write_skeleton(root, "03_views")
    build(root, None, False, lambda line: None)
    return root


@pytest.fixture
def course(built, tmp_path) -> Path:
    return shutil.copytree(built, tmp_path / "course-root")


def replace(path: Path, old: str, new: str) -> None:
    """Change one place of a file; the place must be there."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
