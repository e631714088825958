import copy

import pytest
from nbformat import NotebookNode
from nbgrader import preprocessors as stock
from nbgrader.api import Gradebook

from tests.autograder.notebooks_kit import (
    NAME,
    check,
    code,
    course,
    extras,
    find,
    grade_id_of,
    graded,
    insert,
    prose,
    rebuilt,
    released,
    small_solution,
    small_submission,
    small_truth,
    stripped,
    submission,
    truth_of,
    twin,
    words,
)


@pytest.fixture
def truth():
    return small_truth()


@pytest.fixture
def given():
    return small_submission()


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
    assert len(lost.notes) == 1 and lost.notes[0].startswith("nbgrader's metadata was lost")


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
