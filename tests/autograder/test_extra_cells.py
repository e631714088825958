"""The learner's own cells: which of them run, and where."""

import nbformat
import pytest
from nbformat import NotebookNode

from autograder.reader import read_notebook
from autograder.rebuild import rebuild
from tests.autograder.notebooks_kit import (
    RIGHT_F,
    code,
    extras,
    find,
    insert,
    is_extra,
    prose,
    rebuilt,
    released,
    small_solution,
    small_submission,
    small_truth,
    stripped,
    texts,
    to_bytes,
    truth_of,
)


@pytest.fixture
def truth():
    return small_truth()


@pytest.fixture
def given():
    return small_submission()


@pytest.mark.parametrize("loses", [lambda notebook: notebook, stripped])
@pytest.mark.parametrize("place", range(14))
def test_an_extra_cell_stays_between_the_same_neighbours(truth, given, place, loses):
    own = code("print('mine')")
    own.metadata = NotebookNode(tags=["skip-execution"], nbgrader={"grade": True, "points": 9})
    given.cells.insert(place, own)
    made = rebuilt(truth, loses(given)).notebook
    assert made.cells[place].source == "print('mine')"
    assert len(made.cells) == len(truth.cells) + 1


def test_a_changed_setup_cell_runs_after_the_instructors(truth, given):
    given.cells[1].source = "import math, random"
    made = rebuilt(truth, given).notebook
    assert texts(made)[1:3] == ["import math", "import math, random"]


def test_the_last_of_what_a_learner_made_of_a_setup_cell_wins_though_prose_was_deleted(
    truth, given
):
    given.cells = [code("import math, random"), *given.cells[3:]]
    assert texts(rebuilt(truth, given).notebook)[1:4] == [
        "import math",
        "Write f.",
        "import math, random",
    ]


def test_a_setup_cell_that_was_run_again_runs_again(truth, given):
    insert(given, "g", code("math = None"), code("import math"))
    assert extras(rebuilt(truth, given).notebook) == ["math = None", "import math"]


def test_a_copied_statement_is_not_repeated(truth, given):
    insert(given, "g", prose("Write f."))
    assert extras(rebuilt(truth, given).notebook) == []


def test_a_copy_of_a_stub_without_its_id_does_not_undo_the_answer(truth, given):
    insert(given, "test_f", code(find(truth, "f").source))
    made = rebuilt(truth, given)
    assert extras(made.notebook) == [] and find(made.notebook, "f").source == RIGHT_F


def test_a_line_of_a_check_that_a_learner_tried_is_kept(truth, given):
    insert(given, "test_f", code("print(f(1))\nassert f(1) == 1"))
    assert extras(rebuilt(truth, given).notebook) == ["print(f(1))\nassert f(1) == 1"]


def test_notes_and_raw_cells_of_a_learner_become_plain_markdown(truth, given):
    raw = nbformat.v4.new_raw_cell("<script>", id="raw")
    raw.metadata = NotebookNode(format="text/html")
    insert(given, "f", prose("My notes."), raw)
    made = rebuilt(truth, given).notebook
    own = [cell for cell in made.cells if is_extra(cell)]
    assert [(cell.cell_type, cell.source) for cell in own] == [
        ("markdown", "My notes."),
        ("markdown", "<script>"),
    ]


def test_empty_cells_are_left_out(truth, given):
    insert(given, "f", code(" \n"), prose(""))
    assert extras(rebuilt(truth, given).notebook) == []


def test_ids_of_extra_cells_do_not_collide_with_the_instructors(tmp_path):
    solution = small_solution()
    solution.cells[2].id = "extra-1"
    truth = truth_of(solution, tmp_path)
    notebook = released(truth)
    notebook.cells.insert(1, code("mine = 1"))
    assert extras(rebuilt(truth, notebook).notebook) == ["mine = 1"]


def test_what_the_reader_mended_is_in_the_notes(truth, given):
    raw = to_bytes(given).decode().encode("utf-16")
    assert "UTF-16" in rebuild(truth, read_notebook(raw)).notes[0]
