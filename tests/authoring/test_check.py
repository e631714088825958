import shutil

import nbformat
import pytest

from authoring.chapters import Chapter
from authoring.check import check
from tests.authoring.conftest import replace

pytestmark = pytest.mark.slow


def faults(root):
    return [str(problem) for problem in check(root)]


def edit(path, change):
    notebook = nbformat.read(path, as_version=4)
    change(notebook)
    nbformat.write(notebook, path)


def code_cell(notebook, number):
    return [cell for cell in notebook.cells if cell.cell_type == "code"][number]


def test_a_built_course_has_no_problem(built):
    assert faults(built) == []


def test_a_changed_source_makes_its_notebook_stale(course):
    replace(Chapter(course, "03_views").lesson, "zeros(2, 3)", "zeros(2, 4)")
    found = faults(course)
    assert "03_views.ipynb: cell 3" in found[0]
    assert "make notebooks" in found[0]


def test_a_notebook_edited_by_hand_is_found(course):
    path = Chapter(course, "03_views").exercise_notebook("en")
    edit(path, lambda notebook: notebook.cells[0].update(source="# Mine"))
    assert any("differs from what its source makes" in fault for fault in faults(course))


@pytest.mark.parametrize("kind", ["lesson_notebook", "solution_notebook"])
def test_missing_outputs_are_found(course, kind):
    def forget(notebook):
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None

    edit(getattr(Chapter(course, "03_views"), kind)("zh"), forget)
    found = faults(course)
    assert any("never run" in fault for fault in found)
    assert any("no output is stored" in fault for fault in found)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<function f at 0x7f00c0ffee>", "a memory address"),
        ("/home/ada/course", "a path of this machine"),
        (r"C:\Users\ada", "a path of this machine"),
    ],
)
def test_traces_of_a_machine_are_found(course, text, says):
    def leak(notebook):
        code_cell(notebook, 1).outputs[0].data["text/plain"] = text

    edit(Chapter(course, "03_views").lesson_notebook("en"), leak)
    assert any(says in fault for fault in faults(course))


def test_a_page_that_is_missing_is_found(course):
    (course / "course/zh/index.md").unlink()
    assert any("index.md: missing" in fault for fault in faults(course))


def test_stray_files_are_found_in_the_places_that_are_made(course):
    (course / "course/chapters/03_views/notes.txt").touch()
    (course / "course/en/old.ipynb").touch()
    for tree in ("solutions", "exercises"):
        shutil.copytree(course / tree / "en/03_views", course / tree / "en/07_gone")
        edit(
            course / tree / "en/07_gone/03_views.ipynb",
            lambda notebook: notebook.metadata.tensor_course.update(chapter="07_gone"),
        )
    assert sum("stray" in fault for fault in faults(course)) == 4


def test_an_assignment_of_the_instructors_own_is_left_alone(course):
    path = course / "solutions/en/my_quiz/my_quiz.ipynb"
    path.parent.mkdir()
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")]), path)
    assert faults(course) == []


def test_a_broken_link_is_found(course):
    for language in ("en", "zh"):
        old = f"(../../exercises/{language}/03_views/03_views.ipynb)"
        replace(
            Chapter(course, "03_views").lesson, old, f"(../../exercises/{language}/nowhere.ipynb)"
        )
    found = faults(course)
    assert "make notebooks" in found[0]
    from authoring.build import build

    build(course, None, False, lambda line: None)
    assert sum("broken link" in fault for fault in faults(course)) == 2


def test_items_taught_nowhere_or_unknown_or_not_shown_are_found(course):
    (course / "course/chapters/items.toml").write_text(
        '["S3-a"]\nchapter = "03_views"\nverdict = "TRUE"\nstatement = "A view shares."\n'
        '["S3-b"]\nchapter = "03_views"\nverdict = "FALSE"\nstatement = "A view copies."\n'
    )
    lesson = Chapter(course, "03_views").lesson
    replace(lesson, "# %% [markdown]\n# ## One", '# %% [markdown] claims="S3-b S9-z"\n# ## One')
    found = faults(course)
    assert any("S3-a is taught nowhere: A view shares." in fault for fault in found)
    assert any("S3-b is FALSE and only prose says so" in fault for fault in found)
    assert any("unknown item S9-z" in fault for fault in found)


def test_answers_that_cannot_be_read_are_found(course):
    replace(Chapter(course, "03_views").answers, "says=", "say=")
    assert any("unknown option say=" in fault for fault in faults(course))
