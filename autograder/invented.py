"""An invented class: what each of its learners makes of a fetched assignment."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

Answers = dict[str, str]  # grade id of an answer -> its reference, markers included

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


@dataclass(frozen=True)
class Learner:
    """A learner of the invented class."""

    name: str
    does: str
    edit: Callable[[Path, Answers], None]


def read_answers(solution: Path) -> Answers:
    """The reference answers of an assignment, in the order of the notebook."""
    cells = nbformat.read(solution, as_version=4).cells
    graded = [cell for cell in cells if cell.metadata.get("nbgrader", {}).get("solution")]
    return {cell.metadata["nbgrader"]["grade_id"]: cell.source for cell in graded}


def without_markers(source: str) -> str:
    """An answer as a learner writes it."""
    lines = source.splitlines()
    return "\n".join(line for line in lines if BEGIN not in line and END not in line)


def with_statement(source: str, statement: str) -> str:
    """An answer that runs `statement` first, in the body of its function: where its marker is."""
    lines = [
        line[: line.index(BEGIN)] + statement if BEGIN in line else line
        for line in source.splitlines()
    ]
    return without_markers("\n".join(lines))


def edit_notebook(path: Path, change: Callable[[NotebookNode], None]) -> None:
    notebook = nbformat.read(path, as_version=4)
    change(notebook)
    nbformat.write(notebook, path)


def fill_in(path: Path, sources: Answers) -> None:
    """Write these answers into the notebook; leave the other answers as they are."""

    def change(notebook: NotebookNode) -> None:
        for cell in notebook.cells:
            grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
            if grade_id in sources:
                cell.source = sources[grade_id]

    edit_notebook(path, change)


def answer_all(path: Path, answers: Answers) -> None:
    fill_in(path, {name: without_markers(source) for name, source in answers.items()})


def answer_half(path: Path, answers: Answers) -> None:
    first = list(answers)[: len(answers) // 2]
    fill_in(path, {name: without_markers(answers[name]) for name in first})


def answer_nothing(path: Path, answers: Answers) -> None:
    pass


def answer_with_warnings(path: Path, answers: Answers) -> None:
    warn = "import warnings; warnings.warn('right, if not in the best way')"
    fill_in(path, {name: with_statement(source, warn) for name, source in answers.items()})


def answer_with(statement: str) -> Callable[[Path, Answers], None]:
    """All answers right but the first, which runs `statement`."""

    def edit(path: Path, answers: Answers) -> None:
        answer_all(path, answers)
        first = next(iter(answers))
        fill_in(path, {first: with_statement(answers[first], statement)})

    return edit


def skip_every_cell(path: Path, answers: Answers) -> None:
    def change(notebook: NotebookNode) -> None:
        for cell in notebook.cells:
            cell.metadata["tags"] = ["skip-execution"]

    edit_notebook(path, change)


def spoil_file(path: Path, answers: Answers) -> None:
    path.write_text("I could not save my notebook, sorry.\n")


LEARNERS = (
    Learner("ada", "answers everything right", answer_all),
    Learner("bo", "answers the first half, leaves the rest", answer_half),
    Learner("chen", "hands in the untouched notebook", answer_nothing),
    Learner("dana", "right, but every answer warns", answer_with_warnings),
    Learner("emil", "right, but the first answer never ends", answer_with("while True: pass")),
    Learner("fei", "right, but the first answer exits", answer_with("__import__('os')._exit(1)")),
    Learner("gus", "hands in a file that is no notebook", spoil_file),
    Learner("hana", "no answers, every cell tagged skip-execution", skip_every_cell),
)
