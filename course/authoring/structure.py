"""Faults that can be seen in the cells of one source file, before anything is made of them."""

import re
from collections import Counter
from collections.abc import Sequence

from authoring.notebooks import SETUP
from authoring.problems import Problem
from authoring.prose import twin_problems
from authoring.source import Cell

IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,57}")


def structure_problems(cells: Sequence[Cell]) -> list[Problem]:
    """All faults of a lesson or of an exercise file."""
    problems = [*_setup_problems(cells), *_grading_problems(cells)]
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


def _grading_problems(cells: Sequence[Cell]) -> list[Problem]:
    """Every exercise: one statement, at least one hint, one answer, one test with points."""
    problems = []
    named = {
        option: [cell for cell in cells if option in cell.options]
        for option in ("exercise", "answer", "test", "manual", "hint")
    }
    names = {option: [c.options[option] for c in found] for option, found in named.items()}
    for option in ("exercise", "answer", "test", "manual"):
        for name, count in Counter(names[option]).items():
            where = next(c.where for c in named[option] if c.options[option] == name)
            if count > 1:
                problems.append(
                    Problem(where, f"{option}={name!r} stands {count} times", "names are unique")
                )
            if not IDENTIFIER.fullmatch(str(name)):
                problems.append(Problem(where, f"not a name: {name!r}", "write an identifier"))
    for cell in named["exercise"]:
        name = cell.options["exercise"]
        missing = [o for o in ("hint", "answer", "test") if name not in names[o]]
        missing += [o for o in ("level", "minutes") if not isinstance(cell.options.get(o), int)]
        if missing:
            wrong = f"exercise {name!r} lacks: {', '.join(missing)}"
            problems.append(Problem(cell.where, wrong, "add the cells or options"))
    for option in ("answer", "test", "hint"):
        for cell in named[option]:
            if cell.options[option] not in names["exercise"]:
                wrong = f"{option}={cell.options[option]!r} belongs to no exercise="
                problems.append(Problem(cell.where, wrong, "give the statement its exercise="))
    for cell in named["test"]:
        # After the hidden tests: a learner's feedback must not say passed and failed at once.
        if not cell.sources["en"].strip().splitlines()[-1].startswith("lens.passed("):
            wrong = f"the test of {cell.options['test']!r} does not end with lens.passed(…)"
            problems.append(Problem(cell.where, wrong, "say there why the reference is as it is"))
    for cell in named["test"] + named["manual"]:
        if not isinstance(cell.options.get("points"), int):
            problems.append(Problem(cell.where, "no points=", "write points=0 to 3"))
    return problems
