"""Questions to answer before running the next cell: `quiz(ask(…, right(…), wrong(…)))`.

jupyterquiz draws them and needs no kernel once its cell has run.
"""

import html
import random
import re
from dataclasses import dataclass
from textwrap import dedent

from IPython.display import HTML, Javascript, display
from jupyterquiz import display_quiz

from lens.language import say

# Right is blue-green and wrong is vermilion: told apart without red and green, and seen beside the
# white page of the light theme and the near-black page of the dark one.
COLOURS = {
    "--jq-multiple-choice-bg": "#26456b",
    "--jq-many-choice-bg": "#26456b",
    "--jq-mc-button-bg": "#fafafa",
    "--jq-mc-button-border": "#9aa5b1",
    "--jq-text-color": "#ffffff",
    "--jq-correct-color": "#008262",
    "--jq-incorrect-color": "#c8500a",
}

# JupyterLab colours code as on its page, which cannot be read on a button or in the other theme;
# and jupyterquiz writes at the size of a heading.
STYLE = """<style>
div.Quiz { font-size: 12pt; line-height: 1.4 }
div.Quiz code, div.Quiz pre { background: #8883 !important; color: inherit !important }
div.Quiz pre code { background: none !important }
div.Quiz .QuizCode, div.Quiz pre, div.Quiz pre code { font-size: 11pt; padding: 2px 6px }
div.Quiz > div.Feedback { font-size: 12pt; text-align: left; padding-left: 10px }
div.Quiz > div.correct { color: inherit; border-left: 5px solid var(--jq-correct-color) }
div.Quiz > div.incorrect { color: inherit; border-left: 5px solid var(--jq-incorrect-color) }
</style>"""

# Where JupyterLab has typeset a formula, a MathJax without `typeset` stands on the page, and
# jupyterquiz would fetch a full one from the network. Questions hold no formulas: nothing to do.
NO_MATHJAX_FETCH = """
if (typeof MathJax !== "undefined" && !MathJax.typeset) { MathJax.typeset = () => {}; }
"""


@dataclass(frozen=True)
class Choice:
    """One answer to choose, and what the learner is told who chose it."""

    text: str
    feedback: str
    correct: bool


@dataclass(frozen=True)
class Question:
    """A question, the code it is about, and its answers in the order in which they are shown."""

    text: str
    choices: tuple[Choice, ...]
    code: str | None = None


def right(choice: str, feedback: str) -> Choice:
    """A right answer; `feedback` says why it is right. Backticks make code."""
    return _choice("right", choice, feedback, True)


def wrong(choice: str, feedback: str) -> Choice:
    """A wrong answer; `feedback` says what was overlooked. Backticks make code."""
    return _choice("wrong", choice, feedback, False)


def ask(question: str, *choices: Choice, code: str | None = None) -> Question:
    """A question with its answers; `code` is shown below it as a block."""
    _check_text("ask", "question", question)
    strangers = [type(choice).__name__ for choice in choices if not isinstance(choice, Choice)]
    if strangers:
        raise TypeError(
            say(
                f"ask: expected right(…) and wrong(…), got {strangers[0]}. Wrap each choice.",
                f"ask：需要 right(…) 和 wrong(…)，得到 {strangers[0]}。请把每个选项包起来。",
            )
        )
    if len(choices) < 2:
        raise ValueError(
            say(
                f"ask: expected two choices or more, got {len(choices)}: {question!r}",
                f"ask：至少需要两个选项，得到 {len(choices)} 个：{question!r}",
            )
        )
    if not any(choice.correct for choice in choices):
        raise ValueError(
            say(
                f"ask: no choice is right: {question!r}. Make one of them right(…).",
                f"ask：没有正确的选项：{question!r}。请把其中一个写成 right(…)。",
            )
        )
    texts = [choice.text for choice in choices]
    twice = [text for text in texts if texts.count(text) > 1]
    if twice:
        raise ValueError(
            say(
                f"ask: the choice {twice[0]!r} stands twice: {question!r}. Remove one.",
                f"ask：选项 {twice[0]!r} 重复出现：{question!r}。请删去一个。",
            )
        )
    return Question(question, choices, None if code is None else dedent(code).strip())


def quiz(*questions: Question) -> None:
    """Show questions below the cell; each answer gets its feedback at once."""
    strangers = [type(item).__name__ for item in questions if not isinstance(item, Question)]
    if strangers or not questions:
        got = strangers[0] if strangers else say("nothing", "空")
        raise TypeError(
            say(
                f"quiz: expected ask(…), once or more, got {got}.",
                f"quiz：需要一个或多个 ask(…)，得到 {got}。",
            )
        )
    state = random.getstate()
    random.seed()  # jupyterquiz draws its ids here: restored alone, every quiz would get the same
    try:
        display(HTML(STYLE), Javascript(NO_MATHJAX_FETCH))
        display_quiz(
            [as_jupyterquiz(question) for question in questions],
            shuffle_answers=False,
            border_radius=6,
            max_width=720,
            colors=COLOURS,
        )
    finally:
        random.setstate(state)


def as_jupyterquiz(question: Question) -> dict:
    """The question as jupyterquiz wants it: HTML in a dictionary."""
    several = sum(choice.correct for choice in question.choices) > 1
    # jupyterquiz clears all the right choices at one wrong click; nobody would expect it.
    rule = say(" A wrong choice clears the others.", "选错一个，已选的就全部清空。")
    entry = {
        "type": "many_choice" if several else "multiple_choice",
        "question": as_html(question.text + rule * several),
        "answers": [
            {
                "answer": as_html(choice.text),
                "correct": choice.correct,
                "feedback": as_html(choice.feedback),
            }
            for choice in question.choices
        ],
    }
    if max(len(choice.text) for choice in question.choices) > 40:
        entry["answer_cols"] = 1
    if question.code is not None:
        entry["code"] = html.escape(question.code)
    return entry


def as_html(text: str) -> str:
    """Plain text with `code` between backticks, as HTML that jupyterquiz leaves as it is."""
    escaped = html.escape(text).replace("[", "&#91;")  # or [a](b) would become a link
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped)


def _choice(maker: str, text: str, feedback: str, correct: bool) -> Choice:
    _check_text(maker, "choice", text)
    _check_text(maker, "feedback", feedback)
    return Choice(text, feedback, correct)


def _check_text(maker: str, what: str, text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(
            say(
                f"{maker}: {what}: expected a string, got {text!r}. Put it in quotes.",
                f"{maker}：{what} 应为字符串，得到 {text!r}。请加上引号。",
            )
        )
    if not text.strip():
        raise ValueError(
            say(
                f"{maker}: {what}: expected a text, got an empty one. Write a sentence.",
                f"{maker}：{what} 应有文字，得到空字符串。请写一句话。",
            )
        )
    if text.count("`") % 2:
        raise ValueError(
            say(
                f"{maker}: a backtick without its partner in {text!r}. Add the missing one.",
                f"{maker}：{text!r} 中有一个反引号没有配对。请补上。",
            )
        )
    if "$" in text:
        raise ValueError(
            say(
                f"{maker}: no formulas in a quiz, but {text!r} has a $. Write it as code.",
                f"{maker}：测验中不写公式，但 {text!r} 含有 $。请改写成代码。",
            )
        )
