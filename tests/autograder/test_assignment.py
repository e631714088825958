import copy
import json

import nbformat
import pytest
from nbformat.v4 import new_output
from nbgrader.preprocessors import ClearHiddenTests
from nbgrader.utils import compute_checksum

from autograder import assignment
from autograder.assignment import Assignment, AssignmentError, load_assignment
from tests.autograder.notebooks_kit import (
    NAME,
    answer,
    check,
    course,
    find,
    graded,
    released,
    small_solution,
    submission,
    truth_of,
    write,
)


def test_the_truth_holds_stubs_and_hidden_tests_but_no_answers(tmp_path):
    truth = truth_of(small_solution(), tmp_path)
    assert find(truth, "f").source == (
        "def f(x):\n    # Write your code here\n    raise NotImplementedError()"
    )
    assert "assert f(99) == 99" in find(truth, "test_f").source
    assert find(truth, "say").source == "Write your answer here"


def test_the_stub_is_in_the_language_of_the_class():
    assert "在这里写你的代码" in find(course("zh").notebooks[NAME], "make_grid").source


def test_the_truth_is_locked_and_carries_the_checksums_of_nbgrader(tmp_path):
    cell = find(truth_of(small_solution(), tmp_path), "test_f")
    assert cell.metadata.editable is False
    assert cell.metadata.nbgrader.checksum == compute_checksum(cell)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_learners_get_is_the_truth_without_its_hidden_tests(language):
    truth = course(language).notebooks[NAME]
    untouched = submission(language, done=0)
    assert [cell.source for cell in released(truth).cells] == [
        cell.source for cell in untouched.cells
    ]


def test_as_released_removes_what_nbgrader_removes():
    truth = copy.deepcopy(course("en").notebooks[NAME])
    mine = [cell.source for cell in released(truth).cells]
    theirs, _ = ClearHiddenTests().preprocess(truth, {})
    assert mine == [cell.source for cell in theirs.cells]


def test_the_tests_that_speak_are_those_whose_reference_run_printed(tmp_path):
    solution = small_solution()
    find(solution, "test_f").outputs = [new_output("stream", name="stdout", text="passed")]
    find(solution, "test_g").outputs = [new_output("error", ename="E", evalue="", traceback=[])]
    folder = write(solution, tmp_path / "small", "small")
    assert load_assignment(folder, "en").speaks == {"small": {"test_f"}}


def test_stored_outputs_are_not_part_of_the_truth(tmp_path):
    solution = small_solution()
    find(solution, "test_f").outputs = [new_output("stream", name="stdout", text="passed")]
    assert find(truth_of(solution, tmp_path), "test_f").outputs == []


def test_companion_files_are_read_at_any_depth_and_notebooks_are_none(tmp_path):
    folder = write(small_solution(), tmp_path / "small", "small")
    (folder / "data" / "__pycache__").mkdir(parents=True)
    (folder / "data" / "rows.csv").write_bytes(b"1,2\xff")
    (folder / "data" / "__pycache__" / "x.txt").write_text("left out")
    write(small_solution(), folder / "data", "another")
    assert load_assignment(folder, "en").files == {"data/rows.csv": b"1,2\xff"}


def test_too_many_bytes_of_companion_files_are_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(assignment, "MAX_FILES_BYTES", 3)
    folder = write(small_solution(), tmp_path / "small", "small")
    (folder / "rows.csv").write_text("1,2,3")
    with pytest.raises(AssignmentError, match="files beside the notebooks"):
        load_assignment(folder, "en")


def test_an_assignment_travels_as_json(tmp_path):
    folder = write(small_solution(), tmp_path / "small", "small")
    (folder / "rows.csv").write_bytes(b"\x00\xff")
    made = load_assignment(folder, "en")
    again = Assignment.from_json(json.loads(json.dumps(made.to_json())))
    assert again == made
    assert again.notebooks["small"].cells[0].source == "# Small"


def without_ids(solution):
    solution.nbformat_minor = 4
    for cell in solution.cells:
        del cell["id"]
    return solution


def with_equal_ids(solution):
    solution.cells[1].id = solution.cells[0].id
    return solution


def of_format_3(solution):
    return nbformat.convert(solution, 3)


@pytest.mark.parametrize("change", [without_ids, with_equal_ids, of_format_3])
def test_loading_twice_gives_the_same_although_ids_are_missing_or_wrong(tmp_path, change):
    solution = change(small_solution())
    folder = write(solution, tmp_path / "small", "small")
    first = load_assignment(folder, "en")
    assert first == load_assignment(folder, "en")
    nbformat.validate(first.notebooks["small"])


def spoil_points(solution):
    del find(solution, "test_f").metadata.nbgrader["points"]


def spoil_sign(solution):
    find(solution, "test_f").metadata.nbgrader.points = -1


def spoil_id(solution):
    find(solution, "g").metadata.nbgrader.grade_id = "f"


def spoil_schema(solution):
    find(solution, "g").metadata.nbgrader.schema_version = 1


def spoil_markers(solution):
    find(solution, "g").source = "def g(x):\n    ### BEGIN SOLUTION\n    return x"


def spoil_language(solution):
    solution.metadata.kernelspec.language = "R"


def add_autotest(solution):
    find(solution, "test_f").source += "\n### AUTOTEST f(1)"


def ungrade(solution):
    solution.cells = [cell for cell in solution.cells if "nbgrader" not in cell.metadata]


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (spoil_points, "'test_f': expected points, 0 or more, got None"),
        (spoil_sign, "got -1"),
        (spoil_id, "grade id 'f' is there twice"),
        (spoil_schema, "schema version"),
        (spoil_markers, "no end solution"),
        (spoil_language, "language 'R'"),
        (add_autotest, "AUTOTEST is not supported"),
        (ungrade, "no cell gives points"),
    ],
)
def test_what_would_stop_a_class_is_an_error_that_names_it(tmp_path, spoil, says):
    solution = small_solution()
    spoil(solution)
    folder = write(solution, tmp_path / "small", "small")
    with pytest.raises(AssignmentError, match=says) as raised:
        load_assignment(folder, "en")
    assert str(folder) in str(raised.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"nbformat": 4, "cells": 3}'])
def test_an_instructors_file_that_is_no_notebook_is_named(tmp_path, text):
    (tmp_path / "small.ipynb").write_text(text)
    with pytest.raises(AssignmentError, match=r"small\.ipynb: not a notebook"):
        load_assignment(tmp_path, "en")


def test_a_folder_without_notebooks_is_an_error(tmp_path):
    with pytest.raises(AssignmentError, match="found none"):
        load_assignment(tmp_path / "nowhere", "en")


def test_a_test_worth_no_points_and_a_task_are_allowed(tmp_path):
    solution = small_solution()
    find(solution, "test_f").metadata.nbgrader.points = 0
    task = graded("markdown", "todo", "Do it.", task=True, locked=True, points=3)
    solution.cells += [task, answer("h"), check("h")]
    assert find(truth_of(solution, tmp_path), "todo").source == "Do it."
