import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.protection import HideTests

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
