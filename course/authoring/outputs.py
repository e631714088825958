"""What may not stand in a stored output: errors nobody meant, traces of a machine; nor nothing."""

import re
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

from authoring.execute import tags_of, text_of
from authoring.problems import Place, Problem

MACHINE = re.compile(
    r"(?P<path>(?<![\w.:/])/(?:home|root|Users|tmp|var|usr|opt|private|work|mnt)/[\w./-]+"
    r"|\b[A-Z]:\\\w[\w\\.-]+)"
    r"|(?P<address>\b0x[0-9a-f]{6,}\b)"
)


def output_problems(path: Path, notebook: NotebookNode) -> list[Problem]:
    """Faults of the stored outputs of an executed notebook."""
    problems = []
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(code, 1):
        for wrong, remedy in _faults(cell):
            first = cell.source.strip().partition("\n")[0][:60]
            problems.append(Problem(Place(path), f"code cell {number} ({first}): {wrong}", remedy))
    if code and not any(cell.outputs for cell in code):
        wrong = "no output is stored: nbval would pass whatever the cells do"
        problems.append(Problem(Place(path), wrong, "make notebooks"))
    return problems


def _faults(cell: NotebookNode) -> Iterator[tuple[str, str]]:
    meant = "raises-exception" in tags_of(cell) and "nbgrader" not in cell.metadata
    if cell.execution_count is None:
        yield "it was never run", "make notebooks"
    errors = [text_of(output) for output in cell.outputs if output.output_type == "error"]
    if errors and not meant:
        yield f"it ends in an error:\n{errors[0]}", "mend the cell, or tag it raises-exception"
    if not errors and meant and cell.execution_count is not None:
        yield "it is tagged raises-exception but raises nothing", "drop the tag or mend the cell"
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stderr":
            yield f"it writes to stderr: {output.text[:80]!r}", "catch the warning and print it"
        found = MACHINE.search(text_of(output))
        if found:
            kind = "a path of this machine" if found["path"] else "a memory address"
            yield f"its output holds {kind}: {found[0]}", "print something that is equal everywhere"
