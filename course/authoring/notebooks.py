"""Cells of a chapter to a notebook of one language, without outputs."""

import hashlib
from collections import Counter
from collections.abc import Sequence

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from authoring.source import Cell

SETUP = "import numpy as np, torch\nimport lens.en as lens"

# The first line of a folded cell is what a learner sees of it.
FOLDED = {
    "quiz": {
        "en": "# Your turn: run this cell (Shift+Enter), then choose an answer.",
        "zh": "# 轮到你了：运行本单元格（Shift+Enter），然后选出答案。",
    },
    "test": {
        "en": "# Check {name}: run this cell (Shift+Enter).",
        "zh": "# 检查 {name}：运行本单元格（Shift+Enter）。",
    },
}
HINT = {"en": "Hint {number}", "zh": "提示 {number}"}
LABEL = {
    "en": "*Difficulty {stars} · stuck for {minutes} minutes? Stop and take a hint.*",
    "zh": "**难度** {stars} · 卡住 {minutes} 分钟了？停下来，看一条提示。",
}


def lesson_notebook(cells: Sequence[Cell], chapter: str, language: str) -> NotebookNode:
    """The lesson of one language."""
    made = [_plain(cell, language) for cell in cells]
    _hide_revelations(made)
    return _notebook(made, chapter, language)


def solution_notebook(cells: Sequence[Cell], chapter: str, language: str) -> NotebookNode:
    """The instructor's notebook of one language: nbgrader's source."""
    hints: Counter[str] = Counter()
    made = []
    for cell in cells:
        options = cell.options
        if "hint" in options:
            hints[options["hint"]] += 1
            made.append(_hint(cell, language, hints[options["hint"]]))
        elif "exercise" in options:
            made.append(_statement(cell, language))
        elif "answer" in options:
            made.append(_graded(cell, language, options["answer"], grade=False, solution=True))
        elif "test" in options:
            made.append(_test(cell, language))
        elif "manual" in options:
            made.append(_graded(cell, language, options["manual"], grade=True, solution=True))
        else:
            made.append(_plain(cell, language))
    return _notebook(made, chapter, language)


def _plain(cell: Cell, language: str) -> NotebookNode:
    source = cell.sources[language]
    identity = _hash(cell.kind, cell.sources["en"])
    if cell.kind == "prose":
        return new_markdown_cell(source, id=identity)
    made = new_code_cell(_set_up(source, language), id=identity)
    tags = [tag for tag in cell.tags if tag == "raises-exception"]
    if {"quiz", "varies"} & set(cell.tags):
        tags.append("nbval-ignore-output")
    if "quiz" in cell.tags:
        tags.append("quiz")
        _fold(made, FOLDED["quiz"][language])
    if tags:
        made.metadata["tags"] = tags
    return made


def _set_up(source: str, language: str) -> str:
    return source.replace("import lens.en as lens", f"import lens.{language} as lens")


def _hint(cell: Cell, language: str, number: int) -> NotebookNode:
    summary = HINT[language].format(number=number)
    text = cell.sources[language]
    source = f"<details>\n<summary>{summary}</summary>\n\n{text}\n\n</details>"
    return new_markdown_cell(source, id=_hash("hint", cell.sources["en"]))


def _statement(cell: Cell, language: str) -> NotebookNode:
    made = _plain(cell, language)
    level = cell.options["level"]
    stars = "●" * level + "○" * (4 - level)
    label = LABEL[language].format(stars=stars, minutes=cell.options["minutes"])
    heading, _, rest = made.source.partition("\n")
    made.source = f"{heading}\n\n{label}\n{rest}"
    return made


def _test(cell: Cell, language: str) -> NotebookNode:
    """A check brings the set-up with it: it works before the first cell ran, and after a learner
    gave a name of the set-up to something else."""
    name = cell.options["test"]
    made = _graded(cell, language, f"test_{name}", grade=True, solution=False)
    made.source = f"{_set_up(SETUP, language)}\n\n{made.source}"
    _fold(made, FOLDED["test"][language].format(name=name))
    return made


def _graded(cell, language, grade_id, *, grade: bool, solution: bool) -> NotebookNode:
    new_cell = new_code_cell if cell.kind == "code" else new_markdown_cell
    made = new_cell(cell.sources[language], id=grade_id)
    made.metadata["nbgrader"] = {
        "grade": grade,
        "grade_id": grade_id,
        "locked": not solution,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    if grade:
        made.metadata["nbgrader"]["points"] = cell.options["points"]
    if cell.kind == "code":
        # So that *Run All* goes on to the next exercise; an error gives no points all the same.
        made.metadata["tags"] = ["raises-exception"]
    return made


def _fold(cell: NotebookNode, first_line: str) -> None:
    cell.source = f"{first_line}\n{cell.source}"
    cell.metadata["jupyter"] = {"source_hidden": True}


def _hide_revelations(cells: list[NotebookNode]) -> None:
    """Fold the stored output of the first code after a quiz: it is the answer.

    JupyterLab unfolds an output when its cell runs.
    """
    asked = False
    for cell in cells:
        if cell.cell_type == "code":
            quiz = "quiz" in cell.metadata.get("tags", [])
            if asked and not quiz:
                cell.metadata["jupyter"] = {"outputs_hidden": True}
            asked = quiz


def _hash(kind: str, source: str) -> str:
    return hashlib.sha256(f"{kind}\0{source}".encode()).hexdigest()[:12]


def _notebook(cells: list[NotebookNode], chapter: str, language: str) -> NotebookNode:
    seen: Counter[str] = Counter()
    for cell in cells:
        seen[cell.id] += 1
        if seen[cell.id] > 1 and "nbgrader" not in cell.metadata:
            cell.id += f"-{seen[cell.id]}"
    notebook = new_notebook(cells=cells)
    notebook.nbformat_minor = 5
    notebook.metadata = NotebookNode(
        kernelspec={
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        language_info={"name": "python"},
        tensor_course={"chapter": chapter, "language": language},
    )
    return notebook


def write_text(notebook: NotebookNode) -> str:
    """The notebook as the text of its file: the same bytes for the same notebook."""
    return nbformat.writes(notebook, nbformat.NO_CONVERT, indent=1) + "\n"
