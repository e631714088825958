"""Plain nbgrader commands in a fresh clone find the course's settings."""

import json
import re
import shutil

import nbformat
import pytest

from tests.autograder.conftest import make_tiny_course, tiny_submission

pytestmark = pytest.mark.slow
OUTSIDE = re.compile(r"""(?:src|href)\s*=\s*["'](?:https?:)?//|@import|\burl\(\s*["']?https?:""")


@pytest.fixture
def course(tmp_path):
    return make_tiny_course(tmp_path / "course")


@pytest.mark.parametrize(
    ("language", "code", "text"),
    [
        ("en", "# Write your code here", "Write your answer here"),
        ("zh", "# 在这里写你的代码", "在这里写你的回答"),
    ],
)
def test_generating_leaves_the_stub_of_the_language(course, language, code, text):
    solution = course.root / "solutions" / language / "tiny" / "tiny.ipynb"
    notebook = nbformat.read(solution, as_version=4)
    words = nbformat.v4.new_markdown_cell("### BEGIN SOLUTION\nmodel\n### END SOLUTION")
    plain = {"schema_version": 3, "locked": False, "task": False, "points": 1}
    words.metadata["nbgrader"] = {**plain, "grade": True, "solution": True, "grade_id": "words"}
    notebook.cells.append(words)
    nbformat.write(notebook, solution)

    done = course.nbgrader("generate_assignment", "tiny", COURSE_LANGUAGE=language)

    assert done.returncode == 0, done.stderr
    released = course.root / "exercises" / language / "tiny" / "tiny.ipynb"
    sources = [cell.source for cell in nbformat.read(released, as_version=4).cells]
    assert f"def double(x):\n    {code}\n    raise NotImplementedError()" in sources
    assert sources[-1] == text


def test_an_exercise_that_is_there_already_is_made_again_and_known_to_the_gradebook(course):
    assert course.nbgrader("generate_assignment", "tiny").returncode == 0
    (course.root / "autograder" / "gradebook.db").unlink()
    assert course.nbgrader("generate_assignment", "tiny").returncode == 0
    course.submit("ada", tiny_submission())
    assert course.nbgrader("autograde", "tiny").returncode == 0
    assert course.scores("ada") == {"test_double": 1.0, "test_triple": 2.0}


def test_an_unknown_language_ends_every_command_with_the_choices(course):
    done = course.nbgrader("list", COURSE_LANGUAGE="fr")
    assert done.returncode == 1
    assert "COURSE_LANGUAGE: expected en or zh, got 'fr'" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_gradebook_and_the_exchange_are_where_the_environment_says(course, tmp_path):
    database, exchange = tmp_path / "grades.db", tmp_path / "exchange"
    told = {"AUTOGRADER_DB": f"sqlite:///{database}", "COURSE_EXCHANGE": str(exchange)}
    assert course.nbgrader("generate_assignment", "tiny", **told).returncode == 0
    assert course.nbgrader("release_assignment", "tiny", **told).returncode == 0
    assert database.exists()
    assert (exchange / "tensor-course" / "outbound" / "tiny" / "tiny.ipynb").exists()
    assert not list((course.root / "autograder").glob("gradebook.db*"))
    assert not (course.root / "autograder" / "exchange").exists()


def test_learners_fetch_to_where_the_lessons_links_point_and_submit_from_there(course, tmp_path):
    """From any folder, with the learner's settings alone."""
    assert course.nbgrader("generate_assignment", "tiny").returncode == 0
    assert course.nbgrader("release_assignment", "tiny").returncode == 0
    exercise = course.root / "exercises" / "en" / "tiny" / "tiny.ipynb"
    exercise.unlink()
    exercise.parent.rmdir()
    learner = {
        "JUPYTER_CONFIG_PATH": str(course.root / "course" / "jupyter"),
        "cwd": tmp_path,
    }
    fetched = course.nbgrader("fetch_assignment", "tiny", **learner)
    assert fetched.returncode == 0, fetched.stderr
    assert exercise.exists()
    submitted = course.nbgrader("submit", "tiny", "--student=ada", **learner)
    assert submitted.returncode == 0, submitted.stderr
    assert course.nbgrader("collect", "tiny").returncode == 0
    assert (course.root / "autograder/submitted/ada/tiny/tiny.ipynb").exists()


def test_validating_accepts_a_right_answer_that_warns(course):
    learner = {"JUPYTER_CONFIG_PATH": str(course.root / "course" / "jupyter")}
    path = course.root / "mine.ipynb"
    path.write_text(json.dumps(tiny_submission(double="warnings.warn('slow'); return 2 * x")))
    assert "Success!" in course.nbgrader("validate", str(path), **learner).stdout
    path.write_text(json.dumps(tiny_submission(double="return x")))
    assert "VALIDATION FAILED ON 1 CELL" in course.nbgrader("validate", str(path), **learner).stdout


def test_feedback_fetches_nothing_and_runs_no_script_of_the_learner(course):
    notebook = tiny_submission(
        double="from IPython.display import HTML, display; "
        "display(HTML('<script>evil()</script><b>bold</b>')); return 2 * x"
    )
    notebook.cells[0].source += " <script>evil()</script> <img src=x onerror='evil()'>"
    assert course.nbgrader("generate_assignment", "tiny").returncode == 0
    course.submit("ada", notebook)
    assert course.nbgrader("autograde", "tiny").returncode == 0
    assert course.nbgrader("generate_feedback", "tiny").returncode == 0
    page = (course.root / "autograder/feedback/ada/tiny/tiny.html").read_text()
    assert "<b>bold</b>" in page
    assert "(Score: 3.0 / 3.0)" in page
    assert "<script>evil" not in page
    assert not re.search(r"<img[^>]*onerror", page)
    assert not OUTSIDE.findall(page)


def test_a_gradebook_that_does_not_answer_ends_a_command_before_it_removes_anything(course):
    assert course.nbgrader("generate_assignment", "tiny").returncode == 0
    released = course.root / "exercises" / "en" / "tiny" / "tiny.ipynb"
    done = course.nbgrader("generate_assignment", "tiny", AUTOGRADER_DB="bogus")
    assert done.returncode == 1
    assert "AUTOGRADER_DB: expected" in done.stderr
    assert "Traceback" not in done.stderr
    assert released.exists()


def test_without_the_grading_code_a_learners_commands_find_the_learners_settings(course, tmp_path):
    assert course.nbgrader("generate_assignment", "tiny").returncode == 0
    assert course.nbgrader("release_assignment", "tiny").returncode == 0
    learner = tmp_path / "learner"
    shutil.copytree(course.root / "course", learner / "course")
    shutil.copy(course.root / "nbgrader_config.py", learner)
    (learner / "exercises" / "en").mkdir(parents=True)
    exchange = str(course.root / "autograder" / "exchange")
    done = course.nbgrader("fetch_assignment", "tiny", cwd=learner, COURSE_EXCHANGE=exchange)
    assert done.returncode == 0, done.stderr
    assert (learner / "exercises" / "en" / "tiny" / "tiny.ipynb").exists()
