import nbformat
import pytest
from nbconvert.filters import strip_ansi

from authoring.build import build
from authoring.chapters import Chapter
from authoring.problems import SourceError
from tests.authoring.conftest import replace

pytestmark = pytest.mark.slow


def run(root, rerun=False):
    """Build; the words that were said, as {path: what was done}."""
    said = []
    build(root, None, rerun, said.append)
    return {line.split()[1]: line.split()[0] for line in said}


def files(root):
    made = [*root.glob("course/[ez][nh]/*"), *root.glob("*/*/*/*.ipynb")]
    return {path.relative_to(root): path.read_bytes() for path in made}


def cells(root, path):
    return nbformat.read(root / path, as_version=4).cells


def test_a_chapter_becomes_two_lessons_solutions_and_exercises(built):
    names = {str(path) for path in files(built)}
    notebook = "03_views/03_views.ipynb"
    assert names == {
        *(
            f"course/{lang}/{name}"
            for lang in ("en", "zh")
            for name in ("index.md", "03_views.ipynb")
        ),
        *(
            f"{tree}/{lang}/{notebook}"
            for tree in ("solutions", "exercises")
            for lang in ("en", "zh")
        ),
    }


def test_a_second_build_runs_nothing_and_changes_nothing(course):
    before = files(course)
    assert set(run(course).values()) == {"unchanged"}
    assert files(course) == before


def test_running_everything_again_gives_the_same_bytes(course):
    before = files(course)
    assert "ran" in run(course, rerun=True).values()
    assert files(course) == before


def test_changed_prose_is_written_without_running(course):
    replace(Chapter(course, "03_views").lesson, "# Predict, then run.", "# Predict, run.")
    done = run(course)
    assert done["course/en/03_views.ipynb"] == "written"
    assert "ran" not in done.values()
    assert any("Predict, run." in cell.source for cell in cells(course, "course/en/03_views.ipynb"))


def test_changed_code_is_run(course):
    replace(Chapter(course, "03_views").lesson, "torch.zeros(2, 3).shape", "torch.zeros(4).shape")
    done = run(course)
    assert done["course/en/03_views.ipynb"] == done["course/zh/03_views.ipynb"] == "ran"
    outputs = [
        cell.outputs
        for cell in cells(course, "course/zh/03_views.ipynb")
        if cell.cell_type == "code"
    ]
    assert outputs[-1][0].data["text/plain"] == "torch.Size([4])"


def test_the_languages_differ_in_prose_and_set_up_only(built):
    english, chinese = (cells(built, f"course/{lang}/03_views.ipynb") for lang in ("en", "zh"))
    assert [cell.id for cell in english] == [cell.id for cell in chinese]
    code = [
        [cell.source.replace("lens.zh", "lens.en") for cell in each if cell.cell_type == "code"]
        for each in (english, chinese)
    ]
    assert code[0] == code[1]
    assert "import lens.zh as lens" in chinese[1].source


def test_a_failing_cell_stops_the_build_and_names_the_source(course):
    lesson = Chapter(course, "03_views").lesson
    before = files(course)
    replace(lesson, "torch.zeros(2, 3).shape", "torch.zeros(2, 3) @ torch.zeros(2)")
    with pytest.raises(SourceError) as caught:
        run(course)
    assert caught.value.problems[0].place.file == lesson
    assert "RuntimeError" in caught.value.problems[0].wrong
    assert files(course) == before


def test_a_reference_that_fails_its_tests_stops_the_build(course):
    before = files(course)
    replace(Chapter(course, "03_views").exercises, "return 2 * x", "return 3 * x")
    with pytest.raises(SourceError, match="double: failed"):
        run(course)
    assert files(course) == before


def test_a_cell_that_writes_to_stderr_stops_the_build(course):
    replace(
        Chapter(course, "03_views").lesson,
        "torch.zeros(2, 3).shape",
        "import sys; sys.stderr.write('x')",
    )
    with pytest.raises(SourceError, match="writes to stderr"):
        run(course)


def test_a_tagged_error_is_kept_without_frames_of_libraries(course):
    lesson = Chapter(course, "03_views").lesson
    replace(lesson, "# %%\ntorch.zeros(2, 3).shape", '# %% tags=["raises-exception"]\nnp.stack([])')
    run(course)
    error = cells(course, "course/en/03_views.ipynb")[-2].outputs[0]
    assert error.ename == "ValueError"
    assert "Cell In" in strip_ansi("".join(error.traceback))
    assert "site-packages" not in "".join(error.traceback)


def test_hints_are_folded_and_numbered_in_the_language(course):
    exercises = Chapter(course, "03_views").exercises
    twice = '# %% [markdown] hint="double"\n# B\n# %% [markdown] lang="zh"\n# 乙\n# %% answer='
    replace(exercises, "# %% answer=", twice)
    run(course)
    hints = [
        c.source
        for c in cells(course, "exercises/zh/03_views/03_views.ipynb")
        if "<details>" in c.source
    ]
    assert [hint.splitlines()[1] for hint in hints] == [
        "<summary>提示 1</summary>",
        "<summary>提示 2</summary>",
    ]


def test_answers_in_an_exercise_are_kept_before_it_is_replaced(course):
    path = Chapter(course, "03_views").exercise_notebook("en")
    notebook = nbformat.read(path, as_version=4)
    answer = next(cell for cell in notebook.cells if cell.id == "double")
    answer.source = answer.source.replace("raise NotImplementedError()", "return x + x")
    nbformat.write(notebook, path)
    done = run(course)
    assert done["exercises/en/03_views/03_views.ipynb"] == "written"
    kept = [cell.source for cell in cells(course, "exercises/en/03_views.mine-1.ipynb")]
    assert any("return x + x" in source for source in kept)
    assert not any("return x + x" in cell.source for cell in nbformat.read(path, 4).cells)
    assert list(path.parent.iterdir()) == [path]


def test_an_untouched_exercise_is_replaced_without_being_kept(course):
    replace(Chapter(course, "03_views").exercises, "times two.", "times 2.")
    assert "kept" not in run(course).values()


def test_the_page_of_each_language_links_lesson_and_exercises(built):
    page = (built / "course/zh/index.md").read_text(encoding="utf-8")
    assert "(03_views.ipynb)" in page
    assert "(../../exercises/zh/03_views/03_views.ipynb)" in page
