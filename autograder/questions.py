"""What became of each question of a notebook that ran: points, status, what its test said."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from nbconvert.filters import strip_ansi
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.utils import determine_grade, has_failed, is_grade, is_solution, is_task

from autograder.engine.reasons import error_output
from autograder.feedback import hidden_lines, quotes
from autograder.settings import course_language
from autograder.verdicts import Question

MESSAGE_CHARACTERS = 4000
TRACEBACK = "Traceback (most recent call last)"
OWN_LINE = re.compile(
    r"^Cell In\[\d*\], line \d+[^\n]*\n(?:(?!-+>)[^\n]*\n)*?-+> *\d+ ([^\n]*)", re.MULTILINE
)
STUB = "raise NotImplementedError"
STUB_ERRORS = ("NotImplementedError", "NameError")  # what a test meets where nothing was written
FAILURES = ("CheckFailed", "AssertionError")

# What a test shows that ran, and that grading does not take for a pass. Learners read it.
REFUSED = {
    "TestSaidNothing": {
        "en": "this test ran to its end without a word, and a test that passes says so; it gives "
        "no points. Look for code that redirects or replaces what prints.",
        "zh": "这个测试运行结束却什么也没有显示，而通过的测试一定会显示结果，所以不得分。"
        "请找一找有没有改动输出或替换 print 的代码。",
    },
    "NoSuchPoints": {
        "en": "this test's last value cannot be read as its points; it gives no points. "
        "Return plain numbers and tensors.",
        "zh": "这个测试最后的值不能当作分数，所以不得分。请返回普通的数或张量。",
    },
}


@dataclass
class Part:
    """The answer cells of a notebook, by index, and the graded cells that belong to them."""

    answers: list[int] = field(default_factory=list)
    graded: list[int] = field(default_factory=list)


def mark_questions(
    notebook: NotebookNode,
    ends: Sequence[str],
    untouched: Collection[str] = (),
    speaks: Collection[str] = (),
) -> dict[str, Question]:
    """Grade id -> outcome. Puts an error on tests that did not run or kept silent.

    `ends` says how each cell ended (see `autograder.engine.run`), `untouched` names the answers as
    handed out, `speaks` the tests that print something where they pass.
    """
    forgive_stderr(notebook)
    questions = {}
    for part in parts(notebook):
        written = [notebook.cells[index] for index in part.answers]
        stub = bool(written) and all(
            grade_id(cell) in untouched or STUB in cell.source for cell in written
        )
        stopped = next((index for index in part.answers if ends[index] == "timeout"), None)
        for index in part.graded:
            cell = notebook.cells[index]
            if is_task(cell) or is_solution(cell) or cell.cell_type != "code":
                questions[grade_id(cell)] = _by_hand(cell)
                continue
            _fail_what_said_nothing(cell, ends[index], grade_id(cell) in speaks)
            question = _tested(cell, ends[index], stub)
            if question.points == 0 and stopped is not None and question.status != "not_attempted":
                message = said(notebook.cells[stopped]) or question.message
                question = Question(0.0, question.max_points, "timeout", message)
            questions[grade_id(cell)] = question
    return questions


def forgive_stderr(notebook: NotebookNode) -> None:
    """Show what went to stderr as ordinary output: nbgrader takes it for a failure.

    A right answer may warn. An error is an output of its own kind and still gives no points.
    """
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "stream":
                output.name = "stdout"


def grade_id(cell: NotebookNode) -> str:
    return cell.metadata["nbgrader"]["grade_id"]


def parts(notebook: NotebookNode) -> Iterator[Part]:
    """Answers with the graded cells that follow them, in the order of the notebook."""
    part = Part()
    for index, cell in enumerate(notebook.cells):
        graded = is_grade(cell) or is_task(cell)
        if is_solution(cell) and not graded and part.graded:
            yield part
            part = Part()
        if graded:
            part.graded.append(index)
        elif is_solution(cell):
            part.answers.append(index)
    yield part


def _by_hand(cell: NotebookNode) -> Question:
    """A question that a person grades; an answer as handed out gets its 0 points at once."""
    most = float(cell.metadata["nbgrader"]["points"])
    untouched = is_grade(cell) and determine_grade(cell)[0] == 0
    return Question(0.0, most, "not_attempted" if untouched else "needs_manual", "")


def _fail_what_said_nothing(cell: NotebookNode, end: str, speaks: bool) -> None:
    """nbgrader takes a cell without output for a pass."""
    if has_failed(cell):
        return
    if end == "not_run" or cell.execution_count is None:
        cell.outputs.append(error_output("CellNotRun"))
    elif speaks and not cell.outputs:
        cell.outputs.append(refused("TestSaidNothing"))


def refused(name: str) -> NotebookNode:
    reason = REFUSED[name][course_language()]
    return new_output("error", ename=name, evalue=reason, traceback=[f"{name}: {reason}"])


def _tested(cell: NotebookNode, end: str, stub: bool) -> Question:
    """The outcome of a test; `stub` where its answers are as they were handed out."""
    try:
        points, most = determine_grade(cell)
    except (KeyError, ValueError, TypeError):
        # nbgrader reads the test's last value as points, and an answer can make it anything.
        cell.outputs = [refused("NoSuchPoints")]
        points, most = determine_grade(cell)
    if not has_failed(cell):
        partly = f"{points:g} / {most:g}" if points < most else ""
        return Question(points, most, "failed" if partly else "passed", partly)
    ename = errors(cell)[-1].ename
    return Question(0.0, most, _status(ename, end, stub), said(cell))


def _status(ename: str, end: str, stub: bool) -> str:
    if end == "timeout":
        return "timeout"
    if ename == "CellNotRun" or end == "not_run":
        return "not_run"
    if ename == "NotAttempted" or (stub and ename in STUB_ERRORS):
        return "not_attempted"
    return "failed" if ename in (*FAILURES, "TestSaidNothing") else "raised"


def errors(cell: NotebookNode) -> list[NotebookNode]:
    return [output for output in cell.get("outputs", []) if output.output_type == "error"]


def said(cell: NotebookNode) -> str:
    """The last error of a cell as plain text, without hidden tests; "" where it has none.

    Of a traceback: the error, and the line of the notebook that met it.
    """
    found = errors(cell)
    if not found:
        return ""
    error = found[-1]
    is_test = is_grade(cell) and not is_solution(cell)
    hidden = hidden_lines(cell.source) if is_test else []
    short = f"{error.ename}: {error.evalue}".removesuffix(": ")
    text = strip_ansi("\n".join(error.traceback)) or short
    if TRACEBACK in text:
        line = OWN_LINE.search(text)
        text = f"{short}\n  {line[1].strip()}" if line else short
    fit = next((each for each in (text, short) if not quotes(each, hidden)), error.ename)
    return fit if len(fit) <= MESSAGE_CHARACTERS else fit[:MESSAGE_CHARACTERS] + "…"
