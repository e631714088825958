"""What a question's status, points and message are, on cells as a run leaves them."""

import pytest
from nbformat.v4 import new_markdown_cell, new_notebook, new_output
from nbgrader.utils import compute_checksum

from autograder.questions import MESSAGE_CHARACTERS, mark_questions
from tests.autograder.conftest import graded_cell

HIDDEN = "visible()\n### BEGIN HIDDEN TESTS\nsecret_line()\n### END HIDDEN TESTS"


def failed(ename, text="", *more):
    return new_output("error", ename=ename, evalue=text, traceback=[f"{ename}: {text}", *more])


def printed(text="ok\n", name="stdout"):
    return new_output("stream", name=name, text=text)


def answer(name="double", source="def double(x): return x", outputs=()):
    cell = graded_cell(source, name, solution=True)
    cell.execution_count, cell.outputs = 1, list(outputs)
    return cell


def check(*outputs, name="test_double", ran=True, source="check()", points=2):
    cell = graded_cell(source, name, grade=True, locked=True, points=points)
    cell.execution_count, cell.outputs = (1 if ran else None), list(outputs)
    return cell


def marked(*cells, ends=None, untouched=(), speaks=("test_double",)):
    notebook = new_notebook(cells=list(cells))
    ends = ends or ["ok"] * len(cells)
    return mark_questions(notebook, ends, frozenset(untouched), frozenset(speaks))


def one(*cells, **given):
    return marked(*cells, **given)["test_double"]


def test_a_test_that_ran_without_an_error_gives_its_points():
    question = one(answer(), check(printed()))
    assert (question.points, question.max_points, question.status) == (2, 2, "passed")
    assert question.message == ""


@pytest.mark.parametrize(
    ("ename", "status"),
    [
        ("CheckFailed", "failed"),
        ("AssertionError", "failed"),
        ("AnswerRaised", "raised"),
        ("ValueError", "raised"),
        ("NotAttempted", "not_attempted"),
        ("NotImplementedError", "raised"),
    ],
)
def test_the_name_of_an_error_tells_the_status(ename, status):
    question = one(answer(), check(failed(ename, "why")))
    assert (question.points, question.status) == (0, status)
    assert question.message == f"{ename}: why"


@pytest.mark.parametrize("ename", ["NotImplementedError", "NameError"])
def test_an_untouched_stub_counts_as_not_attempted_without_lens_too(ename):
    cells = answer(), check(failed(ename))
    assert one(*cells, untouched=["double"]).status == "not_attempted"
    assert one(*cells).status == "raised"


def test_a_stub_without_its_comment_is_a_stub():
    left = answer(source="def double(x):\n    raise NotImplementedError()")
    assert one(left, check(failed("NotImplementedError"))).status == "not_attempted"


def test_an_untouched_cell_whose_test_fails_otherwise_was_attempted_elsewhere():
    question = one(answer(), check(failed("AssertionError")), untouched=["double"])
    assert question.status == "failed"


def test_an_untouched_answer_says_nothing_of_the_questions_after_the_next_answer():
    cells = [
        answer("double"),
        check(failed("NotImplementedError")),
        answer("triple"),
        check(failed("NameError"), name="test_triple"),
    ]
    statuses = {n: q.status for n, q in marked(*cells, untouched=["double"]).items()}
    assert statuses == {"test_double": "not_attempted", "test_triple": "raised"}


def test_a_silent_test_does_not_pass_where_the_reference_speaks():
    silent = check()
    question = one(answer(), silent)
    assert (question.points, question.status) == (0, "failed")
    assert "without a word" in question.message
    assert silent.outputs[0].ename == "TestSaidNothing"


def test_a_silent_test_passes_where_the_reference_is_silent():
    assert one(answer(), check(), speaks=()).status == "passed"


def test_a_test_that_did_not_run_does_not_pass():
    assert one(answer(), check(ran=False), ends=["ok", "not_run"]).status == "not_run"
    assert one(answer(), check(ran=False), speaks=()).points == 0


def test_a_test_that_was_stopped_is_a_timeout():
    question = one(answer(), check(failed("CellTimeoutError", "slow")), ends=["ok", "timeout"])
    assert (question.points, question.status, question.message) == (
        0,
        "timeout",
        "CellTimeoutError: slow",
    )


def test_the_test_of_an_answer_that_was_stopped_is_a_timeout_too():
    slow = answer(outputs=[failed("CellTimeoutError", "slow")])
    question = one(slow, check(failed("NameError")), ends=["timeout", "error"])
    assert (question.status, question.message) == ("timeout", "CellTimeoutError: slow")


@pytest.mark.parametrize("end", ["died", "memory", "output"])
def test_a_test_that_ended_its_process_raised(end):
    question = one(answer(), check(failed("DeadKernelError")), ends=["ok", end])
    assert (question.points, question.status) == (0, "raised")


def test_warnings_cost_nothing():
    assert one(answer(), check(printed("hm", "stderr"))).status == "passed"


def test_a_message_is_plain_and_short():
    question = one(answer(), check(failed("E", "\x1b[31mred\x1b[0m", "x" * 9000)))
    assert "red" in question.message and "\x1b" not in question.message
    assert len(question.message) == MESSAGE_CHARACTERS + 1


TRACE = [
    "-" * 40,
    "ValueError   Traceback (most recent call last)",
    "Cell In[3], line 2\n      1 x = 1\n----> 2 check(double)\n      3 y = 2",
    "File /a/machine/path/kernel.py:1, in f()\n----> 1 raise",
    "ValueError: no",
]


def test_of_a_traceback_the_error_and_the_line_of_the_notebook_are_told():
    error = new_output("error", ename="ValueError", evalue="no", traceback=TRACE)
    assert one(answer(), check(error)).message == "ValueError: no\n  check(double)"


def test_a_traceback_that_stopped_at_a_hidden_line_is_cut_to_its_error():
    trace = [line.replace("check(double)", "secret_line()") for line in TRACE]
    error = new_output("error", ename="ValueError", evalue="no", traceback=trace)
    assert one(answer(), check(error, source=HIDDEN)).message == "ValueError: no"


@pytest.mark.parametrize(
    ("text", "shown"),
    [("plain", "E: plain"), ("it was secret_line() that failed", "E")],
)
def test_a_message_never_shows_a_hidden_line(text, shown):
    cell = check(failed("E", text, "----> 3 secret_line()"), source=HIDDEN)
    assert one(answer(), cell).message == shown


def result(value):
    return new_output("execute_result", data={"text/plain": value}, execution_count=1)


def test_a_value_between_gives_part_of_the_points():
    question = one(answer(), check(result("0.5")))
    assert (question.points, question.status, question.message) == (0.5, "failed", "0.5 / 2")


@pytest.mark.parametrize("value", ["1e9", "inf", ""])
def test_a_value_that_is_no_number_of_points_gives_none(value):
    question = one(answer(), check(result(value)))
    assert (question.points, question.status) == (0, "raised")
    assert "points" in question.message


def words(source, release="Write your answer here"):
    cell = new_markdown_cell(release)
    both = {"grade": True, "solution": True, "locked": False, "task": False}
    cell.metadata["nbgrader"] = {"grade_id": "words", "points": 3, **both}
    cell.metadata["nbgrader"]["checksum"] = compute_checksum(cell)
    cell.source = source
    return cell


@pytest.mark.parametrize(
    ("source", "status"),
    [("A view shares memory.", "needs_manual"), ("Write your answer here", "not_attempted")],
)
def test_words_are_graded_by_a_person_unless_nothing_was_written(source, status):
    question = marked(words(source))["words"]
    assert (question.points, question.max_points, question.status) == (0, 3, status)


def test_a_task_is_graded_by_a_person():
    task = new_markdown_cell("Draw it.")
    task.metadata["nbgrader"] = {"task": True, "grade_id": "drawing", "points": 4}
    assert marked(task)["drawing"].status == "needs_manual"
