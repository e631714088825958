"""Faults of what is graded: each exercise is complete, each grade id stands once."""

import re
from collections.abc import Iterator, Mapping, Sequence

from authoring.problems import Problem
from authoring.source import Cell

IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,57}")
Named = Mapping[str, Sequence[Cell]]  # option -> the cells that have it


def grading_problems(cells: Sequence[Cell]) -> list[Problem]:
    """All faults in the graded cells of an exercise file; none in a lesson."""
    options = ("exercise", "answer", "test", "manual", "hint")
    named = {option: [cell for cell in cells if option in cell.options] for option in options}
    return [
        *_name_problems(named),
        *_grade_id_problems(named),
        *_exercise_problems(named),
        *_test_problems(named),
    ]


def _names(named: Named, option: str) -> list[str]:
    return [cell.options[option] for cell in named[option]]


def _name_problems(named: Named) -> Iterator[Problem]:
    """Names are identifiers, and every cell of an exercise belongs to one that has a statement."""
    statements = _names(named, "exercise")
    for option, cells in named.items():
        for cell in cells:
            name = cell.options[option]
            if not IDENTIFIER.fullmatch(str(name)):
                yield Problem(cell.where, f"not a name: {name!r}", "write an identifier")
            elif option not in ("exercise", "manual") and name not in statements:
                wrong = f"{option}={name!r} belongs to no exercise="
                yield Problem(cell.where, wrong, "give the statement its exercise=")


def _grade_id_problems(named: Named) -> Iterator[Problem]:
    """nbgrader stops a whole class where two cells of a notebook share a grade id."""
    seen: set[str] = set()
    for option, prefix in (("exercise", "statement "), ("answer", ""), ("test", "test_")):
        for cell in named[option]:
            yield from _second(seen, f"{prefix}{cell.options[option]}", cell)
    for cell in named["manual"]:
        yield from _second(seen, cell.options["manual"], cell)


def _second(seen: set[str], grade_id: str, cell: Cell) -> Iterator[Problem]:
    if grade_id in seen:
        yield Problem(cell.where, f"{grade_id!r} stands more than once", "rename one of them")
    seen.add(grade_id)


def _exercise_problems(named: Named) -> Iterator[Problem]:
    """Every exercise has hints, an answer, a test, a difficulty and minutes."""
    for cell in named["exercise"]:
        name = cell.options["exercise"]
        missing = [o for o in ("hint", "answer", "test") if name not in _names(named, o)]
        missing += ["level=1 to 4"] * (cell.options.get("level") not in (1, 2, 3, 4))
        missing += ["minutes"] * (not isinstance(cell.options.get("minutes"), int))
        if missing:
            wrong = f"exercise {name!r} lacks: {', '.join(missing)}"
            yield Problem(cell.where, wrong, "add the cells or options")


def _test_problems(named: Named) -> Iterator[Problem]:
    """Tests and questions have points; a test ends with the reason, after the hidden tests."""
    for cell in named["test"]:
        # A learner's feedback must not say passed and failed at once.
        if not cell.sources["en"].strip().splitlines()[-1].startswith("lens.passed("):
            wrong = f"the test of {cell.options['test']!r} does not end with lens.passed(…)"
            yield Problem(cell.where, wrong, "say there why the reference is as it is")
    for cell in (*named["test"], *named["manual"]):
        if not isinstance(cell.options.get("points"), int):
            yield Problem(cell.where, "no points=", "write points=0 to 3")
