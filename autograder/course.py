"""The course that a command is about: its folder, and its settings as nbgrader reads them."""

import difflib
import os
from collections.abc import Collection, Iterable
from pathlib import Path

from autograder.errors import Told
from autograder.settings import course_language, source_directory

HERE = Path(__file__).resolve().parents[1]
ASSIGNMENT_SUFFIX = ".ipynb"


class NotFound(Told):
    """What was asked for is not there; the message says what is."""


def find_root(start: Path | None = None) -> Path:
    """The nearest folder from `start` upwards that is a course with grading, else this one's."""
    start = (start or Path.cwd()).resolve()
    for folder in (start, *start.parents):
        if (folder / "autograder" / "jupyter" / "nbgrader_config.py").is_file():
            return folder
    return HERE


def class_language() -> str:
    """The language of the class, "en" or "zh"; raises Told."""
    try:
        return course_language()
    except ValueError as error:
        raise Told(str(error)) from None


def find_assignment(root: Path, language: str, name: str) -> Path:
    """The folder with the answers of an assignment. Raises NotFound with the names that exist."""
    sources = root / source_directory(language)
    folders = sorted(sources.iterdir()) if sources.is_dir() else []
    names = [folder.name for folder in folders if any(folder.glob(f"*{ASSIGNMENT_SUFFIX}"))]
    if name in names:
        return sources / name
    if not names:
        raise NotFound(f"No assignments in {sources}. Make the notebooks: make notebooks")
    raise NotFound(
        f"No assignment {name!r} in {sources.relative_to(root)}.{did_you_mean(name, names)}"
    )


def choose_students(found: Collection[str], wanted: Iterable[str], assignment: str) -> list[str]:
    """The wanted ones of the students who have a submission, all where none is named."""
    wanted = list(dict.fromkeys(wanted))
    for student in wanted:
        if student not in found:
            raise NotFound(
                f"No submission of {assignment} by {student!r} in autograder/submitted."
                f"{did_you_mean(student, found)}"
            )
    return wanted or list(found)


def did_you_mean(name: str, names: Collection[str]) -> str:
    """ " Did you mean …?", or the names where few are there, else ""."""
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    if close:
        return f" Did you mean {' or '.join(close)}?"
    return f" There are: {', '.join(sorted(names))}." if 0 < len(names) <= 20 else ""


def open_converter(root: Path, log_level: str = "ERROR"):
    """nbgrader's converter with the settings of the course in `root`; changes to that folder."""
    os.chdir(root)  # nbgrader reads its settings from the folder that it runs in
    from nbgrader.apps import AutogradeApp
    from nbgrader.converters import Autograde

    app = AutogradeApp()
    app.initialize([f"--Application.log_level={log_level}"])
    return Autograde(coursedir=app.coursedir, parent=app)
