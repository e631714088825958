import pytest

from authoring.problems import Place
from authoring.prose import links_in, twin_problems
from authoring.source import Cell


def faults(english, chinese, tmp_path):
    cell = Cell("prose", {"en": english, "zh": chinese}, Place(tmp_path / "lesson.py", 3))
    return [problem.wrong for problem in twin_problems(cell)]


def test_twins_that_agree_have_no_fault(tmp_path):
    english = "## Size\n\n`x.shape` is $n$; see [here](../en/a.ipynb). **Bold.**"
    chinese = "## 大小\n\n`x.shape` 是 $n$；见[这里](../zh/a.ipynb)。**粗体。**"
    assert faults(english, chinese, tmp_path) == []


@pytest.mark.parametrize(
    ("english", "chinese", "says"),
    [
        ("`a`", "`b`", "different code"),
        ("```\nx = 1\n```", "```\nx = 2\n```", "different code"),
        ("$a$", "$b$", "different formulas"),
        ("[x](a.md)", "[x](b.md)", "different links"),
        ("## A", "### 甲", "different headings"),
    ],
)
def test_twins_that_differ_are_named(english, chinese, says, tmp_path):
    (fault,) = faults(english, chinese, tmp_path)
    assert says in fault


def test_bold_chinese_that_commonmark_does_not_render_is_found(tmp_path):
    (fault,) = faults("the **stride** is", "**步长（stride）**是", tmp_path)
    assert "not as bold" in fault


def test_bold_inside_code_is_no_fault(tmp_path):
    assert faults("`2 ** 3`", "`2 ** 3`", tmp_path) == []


def test_links_and_pictures_are_found_outside_code_only():
    assert links_in("[a](x.md) ![b](y.png) `[c](z.md)`") == ["x.md", "y.png"]
