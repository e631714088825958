import copy

import nbformat
import pytest
from nbformat import NotebookNode
from nbgrader import preprocessors as stock
from nbgrader.api import Gradebook
from nbgrader.utils import determine_grade

from autograder.reader import read_notebook
from autograder.rebuild import Rebuilt, rebuild
from tests.autograder.notebooks_kit import (
    NAME,
    check,
    code,
    course,
    find,
    grade_id_of,
    graded,
    index_of,
    prose,
    released,
    small_solution,
    stripped,
    submission,
    to_bytes,
    truth_of,
    words,
)

LOST = "nbgrader's metadata was lost"
RIGHT_F = "def f(x):\n    return x"
RIGHT_G = "def g(x):\n    return x"


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    return truth_of(small_solution(), tmp_path_factory.mktemp("truth"))


@pytest.fixture
def given(truth):
    """The small notebook with everything answered, to be changed as a learner changes it."""
    notebook = released(truth)
    texts = {"f": RIGHT_F, "g": RIGHT_G, "say": "Since.", "free": "x = 7"}
    for grade_id, source in texts.items():
        find(notebook, grade_id).source = source
    return notebook


def rebuilt(truth, notebook) -> Rebuilt:
    made = rebuild(truth, read_notebook(to_bytes(notebook)))
    nbformat.validate(made.notebook)
    assert [cell for cell in made.notebook.cells if not is_extra(cell)] == [
        {**cell, "source": find_like(made.notebook, cell).source} for cell in truth.cells
    ]
    return made


def find_like(notebook, cell):
    return next(each for each in notebook.cells if each.id == cell.id)


def is_extra(cell):
    return cell.metadata == {"extra": True}


def texts(notebook):
    return [cell.source for cell in notebook.cells]


def extras(notebook):
    return [cell.source for cell in notebook.cells if is_extra(cell)]


def insert(notebook, grade_id, *cells, after=False):
    place = index_of(notebook, grade_id) + after
    notebook.cells[place:place] = cells


def remove(notebook, *grade_ids):
    notebook.cells = [cell for cell in notebook.cells if grade_id_of(cell) not in grade_ids]


def twin(notebook, grade_id, source):
    made = copy.deepcopy(find(notebook, grade_id))
    made.id, made.source = f"{made.id}-{len(notebook.cells)}", source
    return made


# Equality with nbgrader on honest work


@pytest.fixture(scope="module")
def gradebooks(tmp_path_factory):
    """A gradebook of nbgrader's own with the assignment, for each language."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nbgrader.api.get_alembic_version", lambda: "none")  # a slow program
        yield {language: make_gradebook(tmp_path_factory, language) for language in ("en", "zh")}


def make_gradebook(tmp_path_factory, language):
    url = f"sqlite:///{tmp_path_factory.mktemp(language)}/gradebook.db"
    resources = {"nbgrader": {"notebook": NAME, "assignment": NAME, "db_url": url}}
    with Gradebook(url) as gradebook:
        gradebook.add_assignment(NAME)
        gradebook.update_or_create_notebook(NAME, NAME)
    stock.SaveCells().preprocess(copy.deepcopy(course(language).notebooks[NAME]), resources)
    return resources


def as_stock_runs_it(notebook, resources):
    """What nbgrader's own autograde would execute."""
    steps = (
        stock.ClearOutput,
        stock.DeduplicateIds,
        stock.OverwriteKernelspec,
        stock.OverwriteCells,
        stock.CheckCellMetadata,
    )
    for step in steps:
        notebook, _ = step().preprocess(notebook, {"nbgrader": resources["nbgrader"]})
    return notebook


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("done", [None, 4, 0])
def test_honest_work_becomes_cell_for_cell_what_nbgrader_would_run(gradebooks, language, done):
    mine = rebuilt(course(language).notebooks[NAME], submission(language, done))
    theirs = as_stock_runs_it(submission(language, done), gradebooks[language])
    assert mine.notes == ()
    assert [(cell.id, cell.cell_type, cell.source) for cell in mine.notebook.cells] == [
        (cell.id, cell.cell_type, cell.source) for cell in theirs.cells
    ]
    assert [cell.metadata.get("nbgrader") for cell in mine.notebook.cells] == [
        cell.metadata.get("nbgrader") for cell in theirs.cells
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("done", [None, 4, 0])
def test_work_that_lost_all_metadata_becomes_the_same_notebook(language, done):
    truth = course(language).notebooks[NAME]
    kept = rebuilt(truth, submission(language, done))
    lost = rebuilt(truth, stripped(submission(language, done)))
    assert (lost.notebook, lost.untouched) == (kept.notebook, kept.untouched)
    assert len(lost.notes) == 1 and lost.notes[0].startswith(LOST)


def test_untouched_answers_are_named():
    truth = course("en").notebooks[NAME]
    right = {grade_id_of(cell) for cell in truth.cells if grade_id_of(cell)}
    answers = {name for name in right if not name.startswith("test_")}
    assert rebuilt(truth, submission("en", 0)).untouched == answers
    assert rebuilt(truth, submission("en")).untouched == set()
    assert len(rebuilt(truth, submission("en", 4)).untouched) == len(answers) - 4


def test_the_small_notebook_is_rebuilt_with_and_without_metadata(truth, given):
    kept = rebuilt(truth, given)
    assert (kept.untouched, kept.notes) == (set(), ())
    assert find(kept.notebook, "free").source == "x = 7"
    lost = rebuilt(truth, stripped(given))
    assert lost.notebook == kept.notebook


def test_the_truth_and_the_submission_are_not_changed(truth, given):
    before = copy.deepcopy(truth)
    made = rebuilt(truth, given)
    made.notebook.cells[0].metadata["x"] = 1
    find(made.notebook, "test_f").metadata.nbgrader.points = 99
    assert truth == before


# What is the instructor's stays the instructor's


def test_tags_points_ids_and_kernels_of_the_submission_do_not_survive(truth, given):
    clean = rebuilt(truth, given).notebook
    for cell in given.cells:
        cell.metadata["tags"] = ["skip-execution", "raises-exception"]
        cell.metadata.setdefault("nbgrader", NotebookNode())["points"] = 99
    given.metadata = NotebookNode(kernelspec={"name": "evil", "display_name": "evil"})
    assert rebuilt(truth, given).notebook == clean


def test_a_changed_check_is_the_instructors_again_and_is_named(truth, given):
    find(given, "test_f").source = "pass"
    made = rebuilt(truth, given)
    assert find(made.notebook, "test_f").source == find(truth, "test_f").source
    assert extras(made.notebook) == []
    assert made.notes == ("test_f: this cell was changed; the instructor's was used.",)


@pytest.mark.parametrize("keeps_id", [True, False])
def test_a_copy_of_a_check_does_not_run(truth, given, keeps_id):
    source = find(given, "test_f").source.replace("f(3) == 3", "f(3) == 4")
    made = twin(given, "test_f", source) if keeps_id else code(source)
    insert(given, "test_g", made)
    assert extras(rebuilt(truth, given).notebook) == []
    assert len(rebuilt(truth, given).notes) == 1


def test_an_exact_copy_of_a_check_is_left_out_without_a_word(truth, given):
    insert(given, "test_g", code(find(given, "test_f").source))
    made = rebuilt(truth, given)
    assert extras(made.notebook) == [] and made.notes == ()


def test_a_check_in_an_answer_cell_is_only_an_answer(truth, given):
    find(given, "f").source = find(given, "test_f").source
    made = rebuilt(truth, given)
    assert find(made.notebook, "test_f").source == find(truth, "test_f").source


def test_deleted_checks_and_prose_come_back(truth, given):
    given.cells = [cell for cell in given.cells if grade_id_of(cell) in ("f", "g", "say", "free")]
    made = rebuilt(truth, given)
    assert made.untouched == set() and extras(made.notebook) == []


def test_cells_in_another_order_come_back_into_the_instructors(truth, given):
    clean = rebuilt(truth, given).notebook
    given.cells.reverse()
    assert rebuilt(truth, given).notebook == clean


def test_grade_cells_that_were_invented_run_as_ordinary_ones(truth, given):
    bonus = graded("code", "bonus", "pass", grade=True, locked=True, points=100)
    insert(given, "f", bonus)
    made = rebuilt(truth, given)
    assert extras(made.notebook) == ["pass"]
    assert "bonus" not in str(made.notebook)


# Answers


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


# Lost metadata


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


# The learner's own cells


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


# Other kinds of instructors' cells


def test_a_task_is_the_instructors_and_what_was_written_under_it_is_kept(tmp_path):
    scheme = "### BEGIN MARK SCHEME\nsecret\n### END MARK SCHEME"
    task = graded("markdown", "todo", f"Draw.\n{scheme}", task=True, locked=True, points=3)
    solution = small_solution()
    solution.cells += [task, prose("The end.")]
    truth = truth_of(solution, tmp_path)
    notebook = released(truth)
    notebook.cells.insert(-1, code("draw()"))
    find(notebook, "todo").source += "\nMy drawing: O"
    made = rebuilt(truth, notebook).notebook
    assert find(made, "todo").source == f"Draw.\n{scheme}"
    assert extras(made) == ["Draw.\nMy drawing: O", "draw()"]


def test_equal_stubs_next_to_each_other_are_filled_in_their_order(tmp_path):
    solution = small_solution()
    solution.cells += [prose("Two."), words("one"), words("two"), check("h")]
    truth = truth_of(solution, tmp_path)
    notebook = released(truth)
    find(notebook, "one").source, find(notebook, "two").source = "1", "2"
    made = rebuilt(truth, notebook).notebook
    assert (find(made, "one").source, find(made, "two").source) == ("1", "2")
