import io

import pytest
from rich.console import Console

from authoring.problems import SourceError
from authoring.prove import prove
from tests.authoring.conftest import replace

pytestmark = pytest.mark.slow


def proved(root):
    """The exit code and all that was printed."""
    console = Console(file=io.StringIO(), width=300)
    return prove(root, None, console), console.file.getvalue()


def spoil(root, file, old, new):
    replace(root / "course/chapters/03_views" / file, old, new)
    code, text = proved(root)
    assert code == 1
    return text


def test_the_skeleton_is_proven(built):
    code, text = proved(built)
    assert code == 0, text
    assert text.count("1 of 1 wrong answers caught, 1 with their own message (100%)") == 2
    assert text.count("0 ○") == 2


def test_a_wrong_reference_is_found(course):
    text = spoil(course, "exercises.py", "return 2 * x", "return 3 * x")
    assert "double, reference: expected full points, got 0 (CheckFailed)" in text


def test_a_wrong_answer_that_passes_is_found(course):
    text = spoil(course, "answers.py", "    return x\n", "    return 2.0 * x\n")
    assert "double, wrong: expected 0 points, got 1" in text
    assert "0 of 1 wrong answers caught" in text


def test_a_message_that_is_not_its_own_is_found(course):
    text = spoil(course, "answers.py", "    return x\n", "    return x + 1\n")
    assert "its message is not its own" in text


def test_a_right_answer_that_fails_is_found(course):
    text = spoil(course, "answers.py", "return x + x", "return x + x + 1")
    assert "double, right: expected full points" in text


def test_a_stub_that_gets_points_is_found(course):
    replace(
        course / "course/chapters/03_views/exercises.py",
        '\ndouble = lens.attempt("double")\nx =',
        "\nx =",
    )
    text = spoil(course, "exercises.py", "y = double(x)", "y = x * 2")
    assert "double, stub" in text


def test_an_exercise_without_wrong_answers_is_found(course):
    answers = course / "course/chapters/03_views/answers.py"
    text = answers.read_text(encoding="utf-8")
    answers.write_text(text[: text.index("# %% wrong=")], encoding="utf-8")
    code, said = proved(course)
    assert code == 1
    assert "double has no wrong answer" in said


def test_an_answer_to_no_exercise_is_refused_with_its_line(course):
    replace(course / "course/chapters/03_views/answers.py", 'right="double"', 'right="treble"')
    with pytest.raises(SourceError, match="answers.py:1: no exercise 'treble'"):
        proved(course)
