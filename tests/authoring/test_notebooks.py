from pathlib import Path

from authoring.notebooks import lesson_notebook
from authoring.problems import Place
from authoring.source import Cell


def code(source, *tags):
    return Cell(
        "code", {"en": source, "zh": source}, Place(Path("lesson.py")), {"tags": list(tags)}
    )


def made(*cells):
    return lesson_notebook(cells, "03_views", "zh").cells


def test_the_output_that_answers_a_quiz_is_folded_until_its_cell_runs():
    hidden = [
        cell.metadata.get("jupyter", {}).get("outputs_hidden", False)
        for cell in made(code("1"), code("lens.quiz()", "quiz"), code("2"), code("3"))
    ]
    assert hidden == [False, False, True, False]


def test_a_quiz_is_folded_run_and_not_compared():
    (quiz,) = made(code("lens.quiz()", "quiz"))
    assert quiz.metadata.jupyter.source_hidden
    assert quiz.metadata.tags == ["nbval-ignore-output", "quiz"]
    assert quiz.source.splitlines()[0].startswith("# 轮到你了")


def test_equal_cells_get_different_ids_that_do_not_depend_on_the_language():
    twice = (code("x"), code("x"))
    chinese = [cell.id for cell in lesson_notebook(twice, "03_views", "zh").cells]
    english = [cell.id for cell in lesson_notebook(twice, "03_views", "en").cells]
    assert chinese == english
    assert len(set(chinese)) == 2


def test_an_error_that_is_meant_keeps_its_tag():
    (cell,) = made(code("1 / 0", "raises-exception"))
    assert cell.metadata.tags == ["raises-exception"]
