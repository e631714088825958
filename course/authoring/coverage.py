"""Every item of the article has its place: the checklist against what the lessons teach."""

import tomllib
from pathlib import Path

from authoring.chapters import Chapter
from authoring.problems import Place, Problem
from authoring.source import LESSON_OPTIONS, read_cells

VERDICTS = {"TRUE", "IMPRECISE", "FALSE", "OUTDATED", "advice", "topic"}
NEEDS_CODE = {"IMPRECISE", "FALSE", "OUTDATED"}


def items_file(root: Path) -> Path:
    """The checklist: id -> chapter, verdict, statement."""
    return root / "course" / "chapters" / "items.toml"


def coverage_problems(root: Path, chapters: list[Chapter]) -> list[Problem]:
    """Items taught nowhere, unknown items, and wrong statements that no code cell shows."""
    file = items_file(root)
    items = tomllib.loads(file.read_text(encoding="utf-8"))
    problems = [
        Problem(Place(file), f"{name}: unknown verdict {item['verdict']!r}", "see CONTRIBUTING.md")
        for name, item in items.items()
        if item["verdict"] not in VERDICTS
    ]
    for chapter in chapters:
        taught: dict[str, set[str]] = {}
        for cell in read_cells(chapter.lesson, LESSON_OPTIONS):
            for name in cell.options.get("claims", "").split():
                taught.setdefault(name, set()).add(cell.kind)
                if name not in items:
                    problems.append(Problem(cell.where, f"unknown item {name}", f"see {file.name}"))
        for name, item in items.items():
            if item["chapter"] != chapter.name:
                continue
            if name not in taught:
                wrong = f"{name} is taught nowhere: {item['statement']}"
                problems.append(Problem(Place(chapter.lesson), wrong, f'claims="{name}" on a cell'))
            elif item["verdict"] in NEEDS_CODE and "code" not in taught[name]:
                wrong = f"{name} is {item['verdict']} and only prose says so"
                problems.append(Problem(Place(chapter.lesson), wrong, "show it in a code cell"))
    return problems
