"""`make handout`: what a class gets holds the course, and neither answers nor hidden tests."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def handout(tmp_path_factory):
    """The unpacked copy, made from a clone: the working tree gets no zip."""
    folder = tmp_path_factory.mktemp("handout")
    clone = folder / "clone"
    done = subprocess.run(["git", "clone", "-q", ROOT, clone], capture_output=True)
    if done.returncode:
        pytest.skip("not a git checkout")
    subprocess.run(["make", "-s", "handout"], cwd=clone, check=True)
    with zipfile.ZipFile(clone / "tensor-course.zip") as packed:
        packed.extractall(folder)
    return folder / "tensor-course"


def test_it_holds_lessons_exercises_and_the_lens_and_nothing_of_the_instructors(handout):
    assert (handout / "course" / "zh" / "02_creation.ipynb").exists()
    assert (handout / "exercises" / "en" / "02_creation" / "02_creation.ipynb").exists()
    for absent in ("solutions", "autograder", "tests", "course/chapters", "course/authoring"):
        assert not (handout / absent).exists(), absent
    for file in handout.rglob("*"):
        if file.suffix in (".ipynb", ".py", ".md"):
            text = file.read_text(encoding="utf-8")
            assert "BEGIN HIDDEN" not in text, file
            assert "BEGIN SOLUTION" not in text, file


def test_its_lens_can_be_installed_on_its_own(handout, tmp_path):
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    done = subprocess.run([*pip, "--target", tmp_path, handout], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "lens" / "expect.py").exists()
    assert not (tmp_path / "autograder").exists()
