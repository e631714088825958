"""One nbgrader run over a class in which each submission tries one thing."""

import copy

import pytest

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
# Some libraries hold a stream of their own, which the settings of the kernel do not redirect.
SEND_STDERR = (
    "kernel = get_ipython().kernel; "
    "kernel.send_response(kernel.iopub_socket, 'stream', {'name': 'stderr', 'text': 'hm'})"
)
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
    "reaches_stderr_in_its_own_way": tiny_submission(double=f"{SEND_STDERR}; return 2 * x"),
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
REJECTED = ("a_not_json", "b_old_schema", "c_new_schema", "d_tags_are_text")


@pytest.fixture(scope="module")
def graded(tiny_course):
    """The course after one `nbgrader autograde` of all submissions, and what that command said."""
    assert tiny_course.nbgrader("generate_assignment", "tiny").returncode == 0
    for student, notebook in SUBMISSIONS.items():
        tiny_course.submit(student, notebook)
    done = tiny_course.nbgrader("autograde", "tiny", "--Execute.timeout=3")
    return tiny_course, done


@pytest.mark.parametrize(
    ("student", "scores"),
    [
        ("right", FULL),
        ("z_right", FULL),
        ("untouched", NOTHING),
        ("warns", FULL),
        ("reaches_stderr_in_its_own_way", FULL),
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
        ("dies_again_when_repeated", NOTHING),
    ],
)
def test_each_question_gets_the_score_that_a_person_would_give(graded, student, scores):
    course, done = graded
    assert course.scores(student) == scores, done.stderr[-2000:]


@pytest.mark.parametrize("student", REJECTED)
def test_a_broken_notebook_is_named_and_does_not_stop_the_class(graded, student):
    course, done = graded
    assert done.returncode == 1
    assert f"There was an error processing assignment 'tiny' for student '{student}'" in done.stderr
    assert not (course.root / "autograder" / "autograded" / student / "tiny").exists()


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


def test_where_restoring_fails_the_rest_is_marked_as_not_run(graded):
    course, _ = graded
    enames = [out.ename for out in course.outputs("dies_again_when_repeated", "test_triple")]
    assert enames == ["CellNotRun"]
