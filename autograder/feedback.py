"""What a learner's feedback and the grading page leave out: hidden tests, and quizzes.

`autograder/jupyter/nbgrader_config.py` puts these steps among nbgrader's own.
"""

from nbconvert.filters import strip_ansi
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearHiddenTests, NbGraderPreprocessor
from nbgrader.utils import is_grade, is_solution


def is_quiz(cell: NotebookNode) -> bool:
    """A cell that only asks: its output is JavaScript, which shows as text where it may not run."""
    return "lens.quiz(" in cell.source and "nbgrader" not in cell.metadata


class ClearQuizzes(NbGraderPreprocessor):
    """The grading page without the outputs of quizzes."""

    def preprocess_cell(self, cell, resources, index):
        if cell.cell_type == "code" and is_quiz(cell):
            cell.outputs = []
        return cell, resources


class HideTests(ClearHiddenTests):
    """Feedback without quizzes and hidden tests, also where an error quotes a hidden line.

    Only cells that nbgrader put back can hold hidden tests: the marks in a learner's own cell are
    text, and would end the whole run where one is missing.
    """

    def preprocess(self, nb, resources):
        nb.cells = [cell for cell in nb.cells if not is_quiz(cell)]
        return super().preprocess(nb, resources)

    def preprocess_cell(self, cell, resources, index):
        if not is_grade(cell) or is_solution(cell):
            return cell, resources
        before = cell.source
        cell, resources = super().preprocess_cell(cell, resources, index)
        hidden = lines_left_out(before, cell.source)
        for output in cell.get("outputs", []):
            if output.output_type == "error" and quotes("\n".join(output.traceback), hidden):
                output.traceback = [f"{output.ename}: {output.evalue}"]
        return cell, resources


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
