import pytest

from authoring.problems import SourceError
from authoring.source import EXERCISE_OPTIONS, LESSON_OPTIONS, read_cells

PAIR = '# %% [markdown]\n# Hello\n# %% [markdown] lang="zh"\n# 你好\n'


def read(tmp_path, text, allowed=LESSON_OPTIONS):
    file = tmp_path / "lesson.py"
    file.write_text(text, encoding="utf-8")
    return read_cells(file, allowed)


def problems(tmp_path, text, allowed=LESSON_OPTIONS):
    with pytest.raises(SourceError) as caught:
        read(tmp_path, text, allowed)
    return caught.value.problems


def test_prose_is_paired_and_code_stands_once(tmp_path):
    cells = read(tmp_path, PAIR + '# %% claims="S2.1-a"\nx = 1  # one || 一\n')
    assert [cell.kind for cell in cells] == ["prose", "code"]
    assert cells[0].sources == {"en": "Hello", "zh": "你好"}
    assert cells[1].sources == {"en": "x = 1  # one", "zh": "x = 1  # 一"}
    assert cells[1].options == {"claims": "S2.1-a"}
    assert cells[1].where.line == 5


def test_options_keep_their_types(tmp_path):
    text = '# %% test="f" points=2 tags=["varies"]\n1\n'
    options = read(tmp_path, text, EXERCISE_OPTIONS)[0].options
    assert options == {"test": "f", "points": 2, "tags": ["varies"]}


def test_english_without_its_twin_is_named_with_its_line(tmp_path):
    (problem,) = problems(tmp_path, PAIR + "# %% [markdown]\n# Alone\n# %%\n1\n")
    assert problem.place.line == 5
    assert "no twin" in problem.wrong


def test_chinese_without_english_is_named(tmp_path):
    (problem,) = problems(tmp_path, '# %% [markdown] lang="zh"\n# 你好\n')
    assert "an English cell before it" in problem.wrong


def test_an_unknown_option_is_named_with_those_that_are_known(tmp_path):
    (problem,) = problems(tmp_path, "# %% point=2\n1\n")
    assert "point=2" in problem.wrong
    assert "claims" in problem.remedy


def test_an_unknown_tag_and_a_misplaced_option_are_named(tmp_path):
    text = '# %% tags=["skip-execution"]\n1\n# %% hint="f"\n2\n'
    found = problems(tmp_path, text, EXERCISE_OPTIONS)
    assert "unknown tag" in found[0].wrong
    assert "stands on a code cell" in found[1].wrong


def test_every_problem_is_told_at_once(tmp_path):
    text = '# %% [markdown]\n# A\n# %%\n"x || y || z"\n# %%\nf(\n'
    assert len(problems(tmp_path, text)) == 3


def test_the_line_of_a_text_that_cannot_be_parted(tmp_path):
    (problem,) = problems(tmp_path, PAIR + '# %%\nx = 1\ny = "a || b || c"\n')
    assert problem.place.line == 7


def test_text_before_the_first_cell_is_refused(tmp_path):
    (problem,) = problems(tmp_path, "x = 1\n" + PAIR)
    assert "before the first" in problem.wrong
