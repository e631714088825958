import os
import subprocess
import sys

import nbformat
import pytest

from authoring.build import build
from tests.authoring.conftest import replace

pytestmark = pytest.mark.slow


def cell(root, grade_id, language="en", tree="exercises"):
    path = root / tree / language / "03_views" / "03_views.ipynb"
    return next(c for c in nbformat.read(path, as_version=4).cells if c.id == grade_id)


def test_a_learner_gets_the_stub_in_their_language(built):
    assert "# Write your code here" in cell(built, "double").source
    assert "# 在这里写你的代码" in cell(built, "double", "zh").source
    assert "raise NotImplementedError()" in cell(built, "double", "zh").source
    assert "return 2 * x" in cell(built, "double", tree="solutions").source


def test_a_learner_gets_the_visible_tests_only(built):
    assert "lens.expect_close(y" in cell(built, "test_double").source
    assert "empty" not in cell(built, "test_double").source
    assert "torch.empty" in cell(built, "test_double", tree="solutions").source


def test_the_test_cell_is_folded_and_its_first_line_says_what_it_is(built):
    made = cell(built, "test_double", "zh")
    assert made.metadata.jupyter.source_hidden
    assert made.source.startswith("# 检查 double")


def test_a_question_in_words_is_released_without_its_answer(course):
    english = '# %% [markdown] manual="in_words" points=2\n# Since.\n'
    manual = english + '# %% [markdown] lang="zh"\n# 因为。\n'
    replace(
        course / "course/chapters/03_views/exercises.py", "# %% answer=", manual + "# %% answer="
    )
    build(course, None, False, lambda line: None)
    assert cell(course, "in_words").source == "Write your answer here"
    assert cell(course, "in_words", "zh", "solutions").source == "因为。"
    assert cell(course, "in_words").metadata.nbgrader.points == 2


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nbgrader_generates_the_same_bytes(course, language):
    path = course / "exercises" / language / "03_views" / "03_views.ipynb"
    before = path.read_bytes()
    path.unlink()
    command = [
        *(sys.executable, "-m", "nbgrader", "generate_assignment", "03_views", "--force"),
        f"--CourseDirectory.source_directory=solutions/{language}",
        f"--CourseDirectory.release_directory=exercises/{language}",
    ]
    config = os.path.join(os.path.dirname(__file__), "..", "..", "autograder", "jupyter")
    environment = {
        **os.environ,
        "COURSE_LANGUAGE": language,
        "JUPYTER_CONFIG_PATH": os.path.abspath(config),
        "PATH": os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]),
    }
    command += [
        f"--CourseDirectory.root={course}",
        f"--CourseDirectory.db_url=sqlite:///{course}/g.db",
    ]
    done = subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert path.read_bytes() == before
