"""Faults that can be seen in the cells of one source file, before anything is made of them."""

from collections.abc import Sequence

from authoring.grading import grading_problems
from authoring.notebooks import SETUP
from authoring.problems import Problem
from authoring.prose import twin_problems
from authoring.source import Cell


def structure_problems(cells: Sequence[Cell]) -> list[Problem]:
    """All faults of a lesson or of an exercise file."""
    problems = [*_setup_problems(cells), *grading_problems(cells)]
    for cell in cells:
        if cell.kind == "prose":
            problems += twin_problems(cell)
        else:
            problems += _code_problems(cell)
    return problems


def _setup_problems(cells: Sequence[Cell]) -> list[Problem]:
    first = next((cell for cell in cells if cell.kind == "code"), None)
    if first is None or first.sources["en"].strip() == SETUP:
        return []
    return [Problem(first.where, "the first code cell is not the set-up", f"write:\n{SETUP}")]


def _code_problems(cell: Cell) -> list[Problem]:
    """A solution cell has its markers, and only answer and test cells have any."""
    problems = []
    source = cell.sources["en"]
    for kind, option in (("SOLUTION", "answer"), ("HIDDEN TESTS", "test")):
        begins, ends = (source.count(f"### {edge} {kind}") for edge in ("BEGIN", "END"))
        needed = option == "answer" and option in cell.options
        if begins != ends or (needed and not begins):
            problems.append(
                Problem(
                    cell.where,
                    f"expected pairs of `### BEGIN {kind}` and `### END {kind}`, "
                    f"got {begins} and {ends}",
                    "mark the part that learners do not get; without marks the whole cell goes",
                )
            )
        if begins and option not in cell.options:
            problems.append(
                Problem(cell.where, f"{kind} in a cell without {option}=", f"add {option}=")
            )
    return problems
