"""Read a chapter's py:percent file into cells, prose paired with its Chinese twin."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jupytext

from authoring.halves import NotParted, half
from authoring.problems import Place, Problem, SourceError
from autograder.settings import LANGUAGES

# Each option, and the kind of cell that it belongs to.
LESSON_OPTIONS = {"claims": "any", "tags": "code"}
EXERCISE_OPTIONS = {
    "exercise": "prose",
    "level": "prose",
    "minutes": "prose",
    "hint": "prose",
    "manual": "prose",
    "points": "any",
    "answer": "code",
    "test": "code",
    "tags": "code",
}
ANSWER_OPTIONS = {"right": "code", "wrong": "code", "says": "code"}
TAGS = {"raises-exception", "quiz", "varies"}


@dataclass(frozen=True)
class Cell:
    """One cell of a chapter: code, or prose in two languages."""

    kind: str  # "code" or "prose"
    sources: Mapping[str, str]  # language -> source
    where: Place
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def tags(self) -> list[str]:
        return list(self.options.get("tags", []))


def read_cells(file: Path, allowed: Mapping[str, str]) -> list[Cell]:
    """The cells of a py:percent file.

    Raises SourceError with every problem: a prose cell without its twin, an unknown option, text
    that cannot be parted into two languages.
    """
    raw = _raw_cells(file)
    problems: list[Problem] = []
    cells: list[Cell] = []
    position = 0
    while position < len(raw):
        kind, source, options, where = raw[position]
        twin = raw[position + 1] if position + 1 < len(raw) else None
        problems += _option_problems(kind, options, where, allowed)
        if kind == "code":
            position += 1
            cells += _code_cell(source, options, where, problems)
        elif options.get("lang") == "zh":
            position += 1
            problems.append(_unpaired(where, "a Chinese cell", "an English cell before it"))
        elif twin is None or twin[0] != "prose" or twin[2].get("lang") != "zh":
            position += 1
            problems.append(_unpaired(where, "an English cell", 'a cell with lang="zh" after it'))
        else:
            position += 2
            both = {"en": source, "zh": twin[1]}
            cells.append(Cell("prose", both, where, options))
    if problems:
        raise SourceError(problems)
    return cells


def _raw_cells(file: Path) -> list[tuple[str, str, dict, Place]]:
    """(kind, source, options, place) of each cell, as jupytext reads it."""
    text = file.read_text(encoding="utf-8")
    starts = [n for n, line in enumerate(text.splitlines(), 1) if re.match(r"# %%( |$)", line)]
    cells = jupytext.reads(text, fmt="py:percent").cells
    if len(cells) != len(starts):
        before = "text stands before the first `# %%`" if len(cells) > len(starts) else "odd cells"
        raise SourceError(
            [Problem(Place(file, 1), before, "start every cell, the first too, with `# %%`")]
        )
    kinds = {"markdown": "prose", "code": "code"}
    return [
        (kinds.get(cell.cell_type, "raw"), cell.source, _options(cell.metadata), Place(file, line))
        for cell, line in zip(cells, starts, strict=True)
    ]


def _options(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What the author wrote; jupytext adds notes on blank lines, for its own way back."""
    return {name: value for name, value in metadata.items() if not name.startswith("lines_to_")}


def _code_cell(source, options, where, problems) -> list[Cell]:
    try:
        both = {language: half(source, language) for language in LANGUAGES}
    except NotParted as error:
        place = Place(where.file, where.line + error.line)
        problems.append(Problem(place, str(error), "write both halves: `English || 中文`"))
        return []
    except Exception as error:  # tokenize raises several kinds
        problems.append(Problem(where, f"not Python: {error}", "mend the code"))
        return []
    return [Cell("code", both, where, options)]


def _option_problems(kind, options, where, allowed) -> list[Problem]:
    problems = []
    for name, value in options.items():
        place = allowed.get(name)
        if name == "lang" and kind == "prose" and value == "zh":
            continue
        if place is None:
            known = ", ".join(sorted([*allowed, "lang"]))
            problems.append(
                Problem(where, f"unknown option {name}={value!r}", f"known here: {known}")
            )
        elif place not in ("any", kind):
            problems.append(
                Problem(where, f"{name}= stands on a {kind} cell", f"put it on a {place} cell")
            )
        elif name == "tags" and not set(value) <= TAGS:
            problems.append(
                Problem(where, f"unknown tag in {value}", f"known: {', '.join(sorted(TAGS))}")
            )
    return problems


def _unpaired(where: Place, what: str, missing: str) -> Problem:
    return Problem(where, f"{what} has no twin: expected {missing}", "write the twin beside it")
