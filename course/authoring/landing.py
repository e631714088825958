"""The page on which JupyterLab opens: one a language, the chapters as links."""

import re
from pathlib import Path

from authoring.chapters import Chapter, find_chapters
from authoring.source import LESSON_OPTIONS, read_cells

CHAPTERS = "{chapters}"
HEAD = {"en": "| | Lesson | Exercises |", "zh": "| | 讲义 | 练习 |"}
EXERCISES = {"en": "do the exercises", "zh": "做练习"}


def landing_source(root: Path) -> Path:
    """Where an author writes the page."""
    return root / "course" / "chapters" / "landing.py"


def landing_path(root: Path, language: str) -> Path:
    """Where the page of a language stands."""
    return root / "course" / language / "index.md"


def landing_page(root: Path, language: str) -> str:
    """The page of a language: the author's prose with the list of chapters put in."""
    cells = read_cells(landing_source(root), {})
    text = "\n\n".join(cell.sources[language].strip() for cell in cells)
    rows = [HEAD[language], "|---|---|---|"]
    rows += [_row(chapter, language) for chapter in find_chapters(root)]
    return text.replace(CHAPTERS, "\n".join(rows)) + "\n"


def _row(chapter: Chapter, language: str) -> str:
    exercises = f"../../exercises/{language}/{chapter.name}/{chapter.name}.ipynb"
    return (
        f"| {chapter.name[:2]} | [{title(chapter, language)}]({chapter.name}.ipynb) "
        f"| [{EXERCISES[language]}]({exercises}) |"
    )


def title(chapter: Chapter, language: str) -> str:
    """The first heading of the lesson."""
    for cell in read_cells(chapter.lesson, LESSON_OPTIONS):
        heading = re.match(r"# (.+)", cell.sources[language])
        if cell.kind == "prose" and heading:
            return heading[1]
    return chapter.name
