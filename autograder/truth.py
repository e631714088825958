"""What the cells of the instructor's notebook are recognised by.

Nothing here parses what a learner wrote: a parser can be made to crash, and this runs outside the
sandbox.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from nbformat import NotebookNode

HIDDEN = ("HIDDEN TESTS", "MARK SCHEME")  # regions that nbgrader does not hand out
DEFINED = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
ALIKE = 0.7  # share of the lines that a changed copy of a check has in common with it


def as_released(source: str) -> str:
    """The text of a cell as learners get it: without hidden tests and mark schemes."""
    for region in HIDDEN:
        if region not in source:
            continue
        kept, inside = [], False
        for line in source.split("\n"):
            if f"BEGIN {region}" in line:
                inside = True
            elif f"END {region}" in line:
                inside = False
            elif not inside:
                kept.append(line)
        source = "\n".join(kept)
    return source


def tidy(source: str) -> str:
    """A text for comparing: without blanks at the ends of lines and blank lines around it."""
    return "\n".join(line.rstrip() for line in source.strip().split("\n"))


def defined(source: str) -> frozenset[str]:
    """The names of the functions and classes that a cell defines at its left margin."""
    return frozenset(DEFINED.findall(source))


def grade_id(cell: NotebookNode) -> str | None:
    return cell.metadata.get("nbgrader", {}).get("grade_id")


@dataclass(frozen=True)
class Truth:
    """The instructor's cells, and what they are recognised by."""

    cells: list[NotebookNode]

    @cached_property
    def answers(self) -> dict[int, str]:
        """Index -> grade id of the cells that learners write, in order."""
        return {
            index: cell.metadata["nbgrader"]["grade_id"]
            for index, cell in enumerate(self.cells)
            if cell.metadata.get("nbgrader", {}).get("solution")
        }

    @cached_property
    def locked(self) -> dict[int, str]:
        """Index -> grade id of the cells that are the instructor's: checks, tasks, read-only."""
        return {
            index: cell.metadata["nbgrader"]["grade_id"]
            for index, cell in enumerate(self.cells)
            if index not in self.answers
            and any(
                cell.metadata.get("nbgrader", {}).get(key) for key in ("grade", "locked", "task")
            )
        }

    @cached_property
    def texts(self) -> dict[str, list[int]]:
        """Tidy text -> indices of the cells that learners leave alone."""
        found = defaultdict(list)
        for index, cell in enumerate(self.cells):
            if index not in self.answers:
                text = tidy(as_released(cell.source))
                for each in {text, tidy(cell.source)} - {""}:
                    found[each].append(index)
        return found

    @cached_property
    def stubs(self) -> dict[int, str]:
        return {index: tidy(as_released(self.cells[index].source)) for index in self.answers}

    @cached_property
    def names(self) -> dict[int, frozenset[str]]:
        """What the stub of each answer defines."""
        return {index: defined(self.cells[index].source) for index in self.answers}

    @cached_property
    def locked_lines(self) -> list[set[str]]:
        return [_lines(as_released(self.cells[index].source)) for index in self.locked]

    def check_of(self, answer: int) -> int | None:
        """The first test after an answer."""
        tests = (index for index in self.locked if self.cells[index].metadata["nbgrader"]["grade"])
        return next((index for index in tests if index > answer), None)

    def copies_a_check(self, source: str) -> bool:
        """Whether a text is a locked cell, perhaps changed in places."""
        lines = _lines(source)
        return any(
            2 * len(lines & each) > ALIKE * (len(lines) + len(each)) for each in self.locked_lines
        )


def _lines(source: str) -> set[str]:
    lines = {line.strip() for line in source.split("\n")} - {""}
    return {line for line in lines if not line.startswith(("import ", "from "))}
