"""Quizzes: what the learner reads, and what authors are told who got one wrong."""

import random
import re

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from lens import questions
from lens.language import speak
from lens.questions import COLOURS, as_html, as_jupyterquiz, ask, quiz, right, wrong

QUESTION = ask("Which?", right("`(2, 3)`", "Yes."), wrong("an error", "No."), code="x.shape")


@pytest.fixture
def pages():
    """Run quizzes in a live IPython; each gives the HTML and the script of its output."""
    InteractiveShell.instance()

    def run(*asked):
        with capture_output() as captured:
            assert quiz(*asked) is None
        return "\n".join(str(list(output.data.values())) for output in captured.outputs)

    yield run
    InteractiveShell.clear_instance()


def test_backticks_become_code_and_everything_else_is_escaped():
    assert as_html("`a < b` & <b>") == "<code>a &lt; b</code> &amp; &lt;b&gt;"


def test_brackets_are_not_taken_for_a_link():
    assert as_html("`x[0](1)`") == "<code>x&#91;0](1)</code>"


def test_a_question_becomes_what_jupyterquiz_reads():
    assert as_jupyterquiz(QUESTION) == {
        "type": "multiple_choice",
        "question": "Which?",
        "code": "x.shape",
        "answers": [
            {"answer": "<code>(2, 3)</code>", "correct": True, "feedback": "Yes."},
            {"answer": "an error", "correct": False, "feedback": "No."},
        ],
    }


def test_code_is_escaped_and_dedented():
    asked = ask("?", right("a", "b"), wrong("c", "d"), code="  if x < 3:\n      y\n  ")
    assert as_jupyterquiz(asked)["code"] == "if x &lt; 3:\n    y"


def test_several_right_choices_make_a_many_choice_question():
    asked = ask("?", right("a", "b"), right("c", "d"), wrong("e", "f"))
    assert as_jupyterquiz(asked)["type"] == "many_choice"


def test_only_a_question_with_several_right_choices_says_that_a_wrong_one_clears_them():
    several = ask("Which?", right("a", "b"), right("c", "d"), wrong("e", "f"))
    assert as_jupyterquiz(several)["question"] == "Which? A wrong choice clears the others."
    assert as_jupyterquiz(QUESTION)["question"] == "Which?"
    speak("zh")
    try:
        assert as_jupyterquiz(several)["question"].endswith("选错一个，已选的就全部清空。")
    finally:
        speak("en")


def test_long_choices_stand_below_each_other():
    asked = ask("?", right("a" * 50, "b"), wrong("c", "d"))
    assert as_jupyterquiz(asked)["answer_cols"] == 1
    assert "answer_cols" not in as_jupyterquiz(QUESTION)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: ask("?", right("a", "b")), ValueError, "two choices or more, got 1"),
        (lambda: ask("?", wrong("a", "b"), wrong("c", "d")), ValueError, "no choice is right"),
        (lambda: ask("?", right("a", "b"), wrong("a", "d")), ValueError, "'a' stands twice"),
        (lambda: ask("?", "a", "b"), TypeError, r"right\(…\) and wrong\(…\), got str"),
        (lambda: ask("", right("a", "b"), wrong("c", "d")), ValueError, "ask: question"),
        (lambda: right("a", " "), ValueError, "right: feedback: expected a text"),
        (lambda: wrong(3, "b"), TypeError, "wrong: choice: expected a string, got 3"),
        (lambda: wrong("`a", "b"), ValueError, "a backtick without its partner"),
        (lambda: wrong("$a$", "b"), ValueError, "no formulas in a quiz"),
        (lambda: quiz(), TypeError, r"expected ask\(…\), once or more, got nothing"),
        (lambda: quiz("?"), TypeError, r"expected ask\(…\), once or more, got str"),
    ],
)
def test_a_mistake_of_the_author_is_named(make, kind, message):
    with pytest.raises(kind, match=message):
        make()


def test_mistakes_are_named_in_chinese_too():
    speak("zh")
    try:
        with pytest.raises(ValueError, match="没有正确的选项"):
            ask("?", wrong("a", "b"), wrong("c", "d"))
    finally:
        speak("en")


def test_feedback_is_required():
    with pytest.raises(TypeError):
        right("a")


def test_a_quiz_leaves_the_random_state_as_it_was(pages):
    random.seed(1)
    before = random.getstate()
    pages(QUESTION)
    assert random.getstate() == before


def test_two_quizzes_after_the_same_seed_have_different_places(pages):
    places = []
    for _ in range(2):
        random.seed(1)
        places += re.findall(r'<div id="(\w+)"', pages(QUESTION))
    assert len(set(places)) == 2


def test_the_random_state_is_restored_where_drawing_fails(monkeypatch):
    monkeypatch.setattr(questions, "display_quiz", lambda *_, **__: random.random() / 0)
    before = random.getstate()
    with pytest.raises(ZeroDivisionError):
        quiz(QUESTION)
    assert random.getstate() == before


def test_the_page_holds_every_question_and_no_fetch_of_mathjax_without_typeset(pages):
    page = pages(QUESTION, ask("And?", right("`a`", "b"), wrong("c", "d")))
    assert "Which?" in page and "And?" in page
    assert page.index("MathJax.typeset = ") < page.index("cdn.jsdelivr.net")


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("mark", ["correct", "incorrect"])
def test_the_chosen_answer_is_readable_and_seen_in_both_themes(mark):
    colour = COLOURS[f"--jq-{mark}-color"]
    assert contrast(colour, COLOURS["--jq-text-color"]) >= 4.5
    assert min(contrast(colour, page) for page in ("#ffffff", "#111111")) >= 3


def test_the_question_is_readable_on_its_own_ground():
    for ground in ("--jq-multiple-choice-bg", "--jq-many-choice-bg"):
        assert contrast(COLOURS[ground], COLOURS["--jq-text-color"]) >= 7
