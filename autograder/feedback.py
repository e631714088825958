"""What a learner's feedback and the grading page leave out: hidden tests, and quizzes.

`autograder/jupyter/nbgrader_config.py` puts these steps among nbgrader's own.
"""

import json

from nbconvert.filters import strip_ansi
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearHiddenTests, NbGraderPreprocessor
from nbgrader.utils import is_grade, is_solution

from autograder.settings import course_language


def is_quiz(cell: NotebookNode) -> bool:
    """A cell that only asks: its output is JavaScript, which shows as text where it may not run."""
    return "lens.quiz(" in cell.source and "nbgrader" not in cell.metadata


class ClearQuizzes(NbGraderPreprocessor):
    """The grading page without the outputs of quizzes."""

    def preprocess_cell(self, cell, resources, index):
        if cell.cell_type == "code" and is_quiz(cell):
            cell.outputs = []
        return cell, resources


TELLING = 16  # characters: a shorter hidden line says little, and may be printed by chance
LEFT_OUT = {
    "en": "[left out: this shows lines of hidden tests]",
    "zh": "[已省略：这里显示了隐藏测试的内容]",
}


class HideTests(ClearHiddenTests):
    """Feedback without quizzes and hidden tests, also where an output quotes a hidden line.

    An answer can read the test that calls it, and print it. Only cells that nbgrader put back can
    hold hidden tests: the marks in a learner's own cell are text, and would end the whole run where
    one is missing.
    """

    def preprocess(self, nb, resources):
        nb.cells = [cell for cell in nb.cells if not is_quiz(cell)]
        tests = [cell for cell in nb.cells if is_grade(cell) and not is_solution(cell)]
        hidden = [line for cell in tests for line in hidden_lines(cell.source)]
        for cell in nb.cells:
            for output in cell.get("outputs", []):
                hide_lines(output, hidden)
        return super().preprocess(nb, resources)

    def preprocess_cell(self, cell, resources, index):
        if not is_grade(cell) or is_solution(cell):
            return cell, resources
        return super().preprocess_cell(cell, resources, index)


def hide_lines(output: NotebookNode, hidden: list[str]) -> None:
    """Take out of an output what quotes one of these lines of code."""
    if output.output_type == "error":
        if quotes("\n".join(output.traceback), hidden):
            output.traceback = [f"{output.ename}: {output.evalue}"]
        hidden = [line for line in hidden if len(line) >= TELLING]
        if quotes(f"{output.ename}: {output.evalue}", hidden):
            output.ename, output.evalue = "Error", LEFT_OUT[course_language()]
            output.traceback = [output.evalue]
        return
    hidden = [line for line in hidden if len(line) >= TELLING]
    if output.output_type == "stream" and quotes(output.text, hidden):
        lines = output.text.splitlines(keepends=True)
        shown = [line if not quotes(line, hidden) else "" for line in lines]
        output.text = "".join(shown) + LEFT_OUT[course_language()] + "\n"
    elif "data" in output and quotes(json.dumps(output.data, ensure_ascii=False), escaped(hidden)):
        output.data = {"text/plain": LEFT_OUT[course_language()]}


def escaped(lines: list[str]) -> list[str]:
    """The lines as they stand in JSON, and as a repr shows them."""
    return [json.dumps(line, ensure_ascii=False)[1:-1] for line in lines] + lines


def hidden_lines(source: str) -> list[str]:
    """The lines of a test cell that learners do not see."""
    cell = NotebookNode(source=source)
    ClearHiddenTests()._remove_hidden_test_region(cell)
    return lines_left_out(source, cell.source)


def lines_left_out(before: str, after: str) -> list[str]:
    shown = set(after.splitlines())
    return [line.strip() for line in before.splitlines() if line not in shown and line.strip()]


def quotes(text: str, lines: list[str]) -> bool:
    """Whether a text, colours aside, shows one of these lines of code."""
    text = strip_ansi(text)
    return any(line in text for line in lines)
