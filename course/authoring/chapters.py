"""Where a chapter's files lie, and what is made of them."""

import re
from dataclasses import dataclass
from pathlib import Path

from autograder.settings import release_directory, source_directory

NAME = re.compile(r"\d\d_[a-z][a-z0-9_]*")


def find_root(start: Path | None = None) -> Path:
    """The course's folder: the one that holds course/chapters, from `start` upwards."""
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / "course" / "chapters").is_dir():
            return folder
    raise SystemExit(f"Expected to run inside the course's folder, got {start}. Go there first.")


@dataclass(frozen=True)
class Chapter:
    """One folder under course/chapters, and the paths of the notebooks made from it."""

    root: Path
    name: str

    @property
    def folder(self) -> Path:
        return self.root / "course" / "chapters" / self.name

    @property
    def lesson(self) -> Path:
        return self.folder / "lesson.py"

    @property
    def exercises(self) -> Path:
        return self.folder / "exercises.py"

    @property
    def answers(self) -> Path:
        return self.folder / "answers.py"

    def lesson_notebook(self, language: str) -> Path:
        return self.root / "course" / language / f"{self.name}.ipynb"

    def solution_notebook(self, language: str) -> Path:
        return self.root / source_directory(language) / self.name / f"{self.name}.ipynb"

    def exercise_notebook(self, language: str) -> Path:
        return self.root / release_directory(language) / self.name / f"{self.name}.ipynb"


def find_chapters(root: Path, chosen: str | None = None) -> list[Chapter]:
    """The chapters in order; `chosen` narrows to those whose name starts with it ("02")."""
    folders = sorted(path for path in (root / "course" / "chapters").iterdir() if path.is_dir())
    names = [path.name for path in folders if NAME.fullmatch(path.name)]
    wanted = [name for name in names if name.startswith(chosen or "")]
    if not wanted:
        raise SystemExit(
            f"Expected a chapter's number or name, got {chosen!r}. There are: {', '.join(names)}"
        )
    return [Chapter(root, name) for name in wanted]
