"""Which submitted cell becomes which answer."""

import copy

import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader.utils import determine_grade

from autograder.reader import read_notebook
from autograder.rebuild import rebuild
from tests.autograder.notebooks_kit import (
    RIGHT_F,
    RIGHT_G,
    code,
    extras,
    find,
    index_of,
    insert,
    prose,
    rebuilt,
    remove,
    small_submission,
    small_truth,
    stripped,
    texts,
    to_bytes,
    twin,
)


@pytest.fixture
def truth():
    return small_truth()


@pytest.fixture
def given():
    return small_submission()


def test_a_deleted_answer_is_the_stub_and_is_named(truth, given):
    remove(given, "f")
    made = rebuilt(truth, given)
    assert made.untouched == {"f"}
    assert made.notes == ("f: its cell is missing; it counts as not attempted.",)


def test_nothing_handed_in_is_an_untouched_notebook(truth):
    made = rebuilt(truth, NotebookNode(nbformat=4, cells=[]))
    assert texts(made.notebook) == texts(truth)
    assert made.untouched == {"f", "g", "say", "free"}


def test_blanks_around_a_stub_leave_it_untouched_for_nbgrader_too(truth, given):
    find(given, "say").source = "\nWrite your answer here  \n"
    made = rebuilt(truth, given)
    assert made.untouched == {"say"}
    assert determine_grade(find(made.notebook, "say")) == (0, 2)


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_an_answer_that_became_a_cell_of_another_type_is_still_code(truth, given, kind):
    find(given, "f").cell_type = kind
    made = rebuilt(truth, given)
    assert find(made.notebook, "f").source == RIGHT_F
    assert find(made.notebook, "f").cell_type == "code"
    assert "another type" in made.notes[0]


def test_an_answer_in_words_that_became_code_is_still_words(truth, given):
    find(given, "say").cell_type = "code"
    made = rebuilt(truth, given)
    assert find(made.notebook, "say").cell_type == "markdown"
    assert find(made.notebook, "say").source == "Since."


def test_a_picture_pasted_into_an_answer_in_words_is_kept(truth, given):
    picture = {"a.png": {"image/png": "iVBORw0KGgo="}}
    find(given, "say").attachments = picture
    made = rebuild(truth, read_notebook(to_bytes(given))).notebook
    nbformat.validate(made)
    assert find(made, "say").attachments == picture


def test_an_untouched_copy_does_not_take_the_place_of_the_answer(truth, given):
    insert(given, "test_f", twin(given, "f", find(truth, "f").source))
    made = rebuilt(truth, given)
    assert find(made.notebook, "f").source == RIGHT_F
    assert extras(made.notebook) == [] and made.notes == ()


def test_of_two_answers_above_the_check_the_last_counts_and_both_run(truth, given):
    insert(given, "f", twin(given, "f", "def f(x):\n    return 0"))
    made = rebuilt(truth, given)
    assert find(made.notebook, "f").source == RIGHT_F
    assert extras(made.notebook) == ["def f(x):\n    return 0"]
    assert made.notebook.cells.index(find(made.notebook, "f")) == 4
    assert "there are 2 different answers" in made.notes[0]


def test_an_attempt_below_the_check_does_not_replace_the_answer(truth, given):
    insert(given, "test_f", twin(given, "f", "def f(x):\n    return 0"), after=True)
    made = rebuilt(truth, given)
    assert find(made.notebook, "f").source == RIGHT_F
    below = made.notebook.cells.index(find(made.notebook, "test_f")) + 1
    assert made.notebook.cells[below].source == "def f(x):\n    return 0"


def test_an_answer_split_into_two_cells_runs_in_its_order(truth, given):
    helper = "def half(x):\n    return x"
    find(given, "f").source = helper
    insert(given, "test_f", code("def f(x):\n    return half(x)"))
    made = rebuilt(truth, given).notebook
    place = index_of(made, "f")
    assert texts(made)[place : place + 2] == [helper, "def f(x):\n    return half(x)"]


def test_an_answer_split_with_its_id_on_both_halves_runs_in_its_order(truth, given):
    helper = "def half(x):\n    return x"
    find(given, "f").source = "def f(x):\n    return half(x)"
    insert(given, "f", twin(given, "f", helper))
    made = rebuilt(truth, given).notebook
    assert texts(made)[index_of(made, "f") - 1] == helper


def test_two_answers_with_swapped_ids_are_found_by_what_they_define(truth, given):
    find(given, "f").source, find(given, "g").source = RIGHT_G, RIGHT_F
    made = rebuilt(truth, given)
    assert find(made.notebook, "f").source == RIGHT_F
    assert find(made.notebook, "g").source == RIGHT_G
    assert "f: its cell has lost its id" in made.notes[0]


@pytest.mark.parametrize("loses", [lambda notebook: notebook, stripped])
def test_two_answers_merged_into_one_cell_serve_both_questions(truth, given, loses):
    both = f"{RIGHT_F}\n\n{RIGHT_G}"
    find(given, "f").source = both
    remove(given, "g")
    made = rebuilt(truth, loses(given))
    assert find(made.notebook, "f").source == both
    assert find(made.notebook, "g").source == both
    assert made.untouched == set()


def test_an_answer_moved_far_away_is_found_by_the_function_it_defines(truth, given):
    given.cells.insert(0, given.cells.pop(index_of(given, "g")))
    made = rebuilt(truth, stripped(given))
    assert find(made.notebook, "g").source == RIGHT_G
    assert extras(made.notebook) == []


def test_a_renamed_function_is_found_by_its_place(truth, given):
    find(given, "g").source = "def gee(x):\n    return x"
    assert find(rebuilt(truth, stripped(given)).notebook, "g").source == "def gee(x):\n    return x"


def test_a_stub_stays_where_only_cells_without_definitions_stand(truth, given):
    find(given, "g").source = "print(f(3))"
    made = rebuilt(truth, stripped(given))
    assert made.untouched == {"g"} and extras(made.notebook) == ["print(f(3))"]


def test_code_of_a_learner_is_not_taken_for_words(truth, given):
    find(given, "say").cell_type, find(given, "say").source = "code", "y = 3"
    made = rebuilt(truth, stripped(given))
    assert made.untouched == {"say"} and extras(made.notebook) == ["y = 3"]


def test_words_in_two_cells_are_one_answer(truth, given):
    insert(given, "say", prose("First."))
    made = rebuilt(truth, stripped(given))
    assert find(made.notebook, "say").source == "First.\n\nSince."


def test_words_beside_an_untouched_stub_are_the_answer(truth, given):
    find(given, "say").source = find(truth, "say").source
    insert(given, "say", prose("My answer."), after=True)
    for notebook in (given, stripped(copy.deepcopy(given))):
        made = rebuilt(truth, notebook)
        assert find(made.notebook, "say").source == "My answer."
        assert made.untouched == set() and extras(made.notebook) == []
        assert "beside" in rebuilt(truth, given).notes[0]


def test_code_that_defines_nothing_is_found_by_its_place_in_its_order(truth, given):
    insert(given, "free", code("y = 8"), after=True)
    made = rebuilt(truth, stripped(given)).notebook
    place = index_of(made, "free")
    assert texts(made)[place : place + 2] == ["x = 7", "y = 8"]


def test_answers_are_found_where_only_the_code_was_handed_in(truth, given):
    given.cells = [code(RIGHT_G), code(RIGHT_F)]
    made = rebuilt(truth, stripped(given))
    assert made.untouched == {"say", "free"}
    assert find(made.notebook, "f").source == RIGHT_F


def test_where_one_cell_lost_its_id_the_note_names_it(truth, given):
    find(given, "f").metadata = NotebookNode()
    made = rebuilt(truth, given)
    assert made.notes == ("f: its cell has lost its id; it was found by content and place.",)
