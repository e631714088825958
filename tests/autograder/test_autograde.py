"""The whole command `nbgrader autograde` on a class in which each submission tries one thing."""

import copy
import os

import pytest

from autograder.sandbox import Level, why_not
from tests.autograder.conftest import tiny_submission

pytestmark = pytest.mark.slow
FULL = {"test_double": 1.0, "test_triple": 2.0}
NOTHING = {"test_double": 0.0, "test_triple": 0.0}
FIRST_LOST = {"test_double": 0.0, "test_triple": 2.0}
LAST_LOST = {"test_double": 1.0, "test_triple": 0.0}
STUB = "raise NotImplementedError()"


def tagged(notebook, tags):
    for cell in notebook.cells:
        cell.metadata["tags"] = tags
    return notebook


def without(notebook, grade_id):
    kept = [
        cell
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id") != grade_id
    ]
    notebook.cells = kept
    return notebook


def with_schema(notebook, version):
    for cell in notebook.cells:
        if "nbgrader" in cell.metadata:
            cell.metadata["nbgrader"]["schema_version"] = version
    return notebook


def with_cell(notebook, source):
    """An extra cell of the learner's own, before the questions."""
    extra = copy.deepcopy(notebook.cells[1])
    extra.id, extra.source = "extra", source
    notebook.cells.insert(2, extra)
    return notebook


# An interrupt does not stop this loop.
DEAF = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n    while True: pass"
RIGHT_ONLY_ONCE = (
    "again = os.path.exists('ran'); open('ran', 'w').close(); return x if again else 2 * x"
)
SUBMISSIONS = {
    "a_not_json": "I could not save my notebook, sorry.\n",
    "b_old_schema": with_schema(tiny_submission(), 0),
    "c_new_schema": with_schema(tiny_submission(), 99),
    "d_tags_are_text": tagged(tiny_submission(STUB, STUB), "skip-execution"),
    "right": tiny_submission(),
    "untouched": tiny_submission(STUB, STUB),
    "warns": tiny_submission(double="warnings.warn('slow'); return 2 * x"),
    "writes_to_stderr": tiny_submission(double="os.write(2, b'hm'); return 2 * x"),
    "warns_and_is_wrong": tiny_submission(double="warnings.warn('slow'); return x"),
    "raises": tiny_submission(double="raise ValueError('no')"),
    "tags_every_cell": tagged(tiny_submission(STUB, STUB), ["skip-execution"]),
    "right_though_tagged": tagged(tiny_submission(), ["skip-execution"]),
    "deletes_a_test": without(tiny_submission(double=STUB), "test_double"),
    "deletes_a_test_after_a_right_answer": without(tiny_submission(), "test_triple"),
    "never_ends": tiny_submission(double="while True: pass"),
    "never_ends_and_does_not_listen": tiny_submission(double=DEAF),
    "dies_in_the_first": tiny_submission(double="os._exit(1)"),
    "dies_in_the_last": tiny_submission(triple="os._exit(1)"),
    "dies_in_both": tiny_submission("os._exit(1)", "os._exit(1)"),
    "an_extra_cell_dies_too": with_cell(tiny_submission(double="os._exit(1)"), "os._exit(1)"),
    "right_only_once": tiny_submission(double=RIGHT_ONLY_ONCE, triple="os._exit(1)"),
    "dies_again_when_repeated": with_cell(
        tiny_submission(double="os._exit(1)"),
        "os.path.exists('ran') and os._exit(1); open('ran', 'w').close()",
    ),
    "z_right": tiny_submission(),
}
REJECTED = ("a_not_json",)


@pytest.fixture(scope="module")
def protected():
    if reason := why_not(Level.NAMESPACES):
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)


@pytest.fixture(scope="module")
def graded(tiny_course, protected):
    """The course after one `nbgrader autograde` of all submissions, and what that command said."""
    assert tiny_course.nbgrader("generate_assignment", "tiny").returncode == 0
    for student, notebook in SUBMISSIONS.items():
        tiny_course.submit(student, notebook)
    done = tiny_course.nbgrader("autograde", "tiny", "--Execute.timeout=3")
    return tiny_course, done


@pytest.mark.parametrize(
    ("student", "scores"),
    [
        ("b_old_schema", FULL),
        ("c_new_schema", FULL),
        ("d_tags_are_text", NOTHING),
        ("right", FULL),
        ("z_right", FULL),
        ("untouched", NOTHING),
        ("warns", FULL),
        ("writes_to_stderr", FULL),
        ("warns_and_is_wrong", FIRST_LOST),
        ("raises", FIRST_LOST),
        ("tags_every_cell", NOTHING),
        ("right_though_tagged", FULL),
        ("deletes_a_test", FIRST_LOST),
        ("deletes_a_test_after_a_right_answer", FULL),
        ("never_ends", FIRST_LOST),
        ("never_ends_and_does_not_listen", FIRST_LOST),
        ("dies_in_the_first", FIRST_LOST),
        ("dies_in_the_last", LAST_LOST),
        ("dies_in_both", NOTHING),
        ("an_extra_cell_dies_too", FIRST_LOST),
        ("right_only_once", LAST_LOST),
        ("dies_again_when_repeated", FIRST_LOST),
        ("a_not_json", NOTHING),
    ],
)
def test_each_question_gets_the_score_that_a_person_would_give(graded, student, scores):
    course, done = graded
    assert course.scores(student) == scores, done.stderr[-2000:]


def test_a_broken_notebook_is_named_with_its_reason_and_does_not_stop_the_class(graded):
    course, done = graded
    assert done.returncode == 1
    told = "There was an error processing assignment 'tiny' for student 'a_not_json': The file"
    assert told in done.stderr and "Traceback" not in done.stderr
    assert not (course.root / "autograder" / "autograded" / "a_not_json" / "tiny").exists()


def test_the_level_of_the_sandbox_is_named(graded):
    assert "Sandbox: namespaces." in graded[1].stderr


def test_what_went_to_stderr_is_still_shown(graded):
    course, _ = graded
    shown = "".join(output.text for output in course.outputs("warns", "test_double"))
    assert "slow" in shown


@pytest.mark.parametrize(
    ("student", "name"),
    [("never_ends", "CellTimeoutError"), ("dies_in_the_first", "DeadKernelError")],
)
def test_a_cell_that_was_stopped_says_why(graded, student, name):
    course, _ = graded
    errors = [out for out in course.outputs(student, "test_double") if out.output_type == "error"]
    reasons = [error.evalue for error in errors if error.ename == name]
    assert reasons and "gives no points" in reasons[0]


def test_the_feedback_of_the_class_is_made_from_it(graded):
    course, _ = graded
    done = course.nbgrader("generate_feedback", "tiny", "--student", "warns")
    assert done.returncode == 0, done.stderr
    page = course.root / "autograder" / "feedback" / "warns" / "tiny" / "tiny.html"
    assert "(Score: 3.0 / 3.0)" in page.read_text()
