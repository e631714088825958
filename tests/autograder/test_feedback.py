import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from autograder.feedback import ClearQuizzes, HideTests

MARKED = "shown()\n### BEGIN HIDDEN TESTS\nhidden()\n### END HIDDEN TESTS"


def cell(source, **nbgrader):
    made = new_code_cell(source)
    if nbgrader:
        made.metadata["nbgrader"] = {"schema_version": 3, "grade_id": "q", **nbgrader}
    return made


def sources(*cells):
    notebook, _ = HideTests().preprocess(new_notebook(cells=list(cells)), {})
    return [each.source for each in notebook.cells]


def test_hidden_tests_are_taken_out_of_a_test_cell():
    assert sources(cell(MARKED, grade=True, solution=False)) == ["shown()"]


@pytest.mark.parametrize("kind", [{}, {"grade": False, "solution": True}])
def test_marks_in_a_learners_own_cell_are_only_text(kind):
    source = "### BEGIN HIDDEN TESTS"
    assert sources(cell(source, **kind)) == [source]


QUIZ = "# Your turn\nlens.quiz(lens.ask(...))"


def failed(evalue, *traceback):
    made = cell(MARKED, grade=True, solution=False)
    made.outputs = [new_output("error", ename="E", evalue=evalue, traceback=list(traceback))]
    (hidden,) = HideTests().preprocess(new_notebook(cells=[made]), {})[0].cells
    return hidden.outputs[0].traceback


def test_a_traceback_that_quotes_a_hidden_line_is_cut_to_its_message():
    coloured = "----> 3 \x1b[38;5;28mhidden\x1b[39m()"
    assert failed("no", "Cell In[3]", coloured, "E: no") == ["E: no"]


def test_a_traceback_of_visible_lines_stays():
    assert failed("no", "----> 1 shown()", "E: no") == ["----> 1 shown()", "E: no"]


def test_quizzes_are_left_out_of_feedback_and_silent_on_the_grading_page():
    quiz = cell(QUIZ)
    quiz.outputs = [new_output("display_data", data={"text/html": "<style>div.Quiz</style>"})]
    answer = cell("lens.quiz(1)", grade=False, solution=True)
    assert sources(quiz, answer) == ["lens.quiz(1)"]
    notebook, _ = ClearQuizzes().preprocess(new_notebook(cells=[quiz]), {})
    assert notebook.cells[0].outputs == []


TELLING = "lens.expect_close(double(x), 2 * x)"
TESTS = f"shown()\n### BEGIN HIDDEN TESTS\n{TELLING}\n### END HIDDEN TESTS"


def shown(output, before=None):
    """What feedback shows of an output of a learner's own cell beside a test."""
    own = cell("print(In[-1])")
    own.outputs = [output]
    test = cell(TESTS, grade=True, solution=False)
    notebook, _ = HideTests().preprocess(new_notebook(cells=[own, test]), {})
    return str(notebook.cells[0].outputs)


@pytest.mark.parametrize(
    "output",
    [
        new_output("stream", text=f"mine\n{TELLING}\n"),
        new_output("stream", text=repr(TESTS)),
        new_output("stream", text=f"\x1b[1mlens\x1b[0m.{TELLING[5:]}"),
        new_output("display_data", data={"text/plain": repr(TESTS)}),
        new_output("display_data", data={"text/html": f"<b>{TELLING}</b>"}),
        new_output("execute_result", data={"application/json": {"a": [TELLING]}}),
        new_output("error", ename="E", evalue=TELLING, traceback=[TELLING]),
        new_output("error", ename=TELLING, evalue="", traceback=["x"]),
    ],
)
def test_an_output_that_shows_hidden_lines_loses_them(output):
    assert "expect_close" not in shown(output)
    assert "hidden tests" in shown(output)


def test_what_else_a_cell_prints_stays():
    assert "mine" in shown(new_output("stream", text=f"mine\n{TELLING}\n"))
    assert "shown()" in shown(new_output("stream", text="shown()"))
