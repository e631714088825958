"""Make every notebook of the chapters; run those whose code changed, leave the rest."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbclient.exceptions import CellExecutionError
from nbconvert.filters import strip_ansi
from nbformat import NotebookNode

from authoring.chapters import Chapter, find_chapters
from authoring.execute import carry_outputs, execute
from authoring.keep import keep_answers
from authoring.landing import landing_page, landing_path
from authoring.notebooks import lesson_notebook, solution_notebook, write_text
from authoring.outputs import output_problems
from authoring.problems import Place, Problem, SourceError
from authoring.release import release
from authoring.source import EXERCISE_OPTIONS, LESSON_OPTIONS, read_cells
from authoring.structure import structure_problems
from autograder.settings import LANGUAGES


@dataclass(frozen=True)
class Job:
    """One executed notebook to make: its path, and its cells without outputs."""

    path: Path
    source: Path
    notebook: NotebookNode


def jobs(chapter: Chapter) -> list[Job]:
    """The executed notebooks of a chapter. Raises SourceError with all that is wrong in them."""
    lesson = read_cells(chapter.lesson, LESSON_OPTIONS)
    exercises = read_cells(chapter.exercises, EXERCISE_OPTIONS)
    problems = structure_problems(lesson) + structure_problems(exercises)
    if problems:
        raise SourceError(problems)
    return [
        Job(path(language), source, make(cells, chapter.name, language))
        for cells, source, make, path in (
            (lesson, chapter.lesson, lesson_notebook, chapter.lesson_notebook),
            (exercises, chapter.exercises, solution_notebook, chapter.solution_notebook),
        )
        for language in LANGUAGES
    ]


def build(root: Path, chosen: str | None, rerun: bool, say: Callable[[str], None]) -> None:
    """Write the notebooks of the chosen chapters, and the landing pages.

    A notebook runs again where its code changed, or always with `rerun`.
    """
    chapters = find_chapters(root, chosen)
    work = [job for chapter in chapters for job in jobs(chapter)]
    with ThreadPoolExecutor(max_workers=2) as pool:
        for job, how in zip(work, pool.map(lambda job: _make(job, rerun), work), strict=True):
            say(f"{how:9} {job.path.relative_to(root)}")
    for path, text in derived_texts(root, chapters):
        if path.suffix == ".ipynb" and differs(path, text):
            kept = keep_answers(path, read_notebook(path))
            if kept:
                say(f"{'kept':9} {kept.relative_to(root)}: the answers that stood in the exercises")
        say(f"{_write(path, text):9} {path.relative_to(root)}")


def derived_texts(root: Path, chapters: list[Chapter]) -> Iterator[tuple[Path, str]]:
    """The files that follow from others without running anything: releases and landing pages."""
    for chapter in chapters:
        for language in LANGUAGES:
            solution = nbformat.read(chapter.solution_notebook(language), as_version=4)
            yield chapter.exercise_notebook(language), write_text(release(solution, language))
    for language in LANGUAGES:
        yield landing_path(root, language), landing_page(root, language)


def read_notebook(path: Path) -> NotebookNode | None:
    """The notebook of a file, or None where there is none that can be read."""
    try:
        return nbformat.read(path, as_version=4)
    except (OSError, ValueError, nbformat.reader.NotJSONError):
        return None


def _make(job: Job, rerun: bool) -> str:
    old = read_notebook(job.path)
    if rerun or old is None or not carry_outputs(job.notebook, old):
        _write(job.path, write_text(_run(job)))
        return "ran"
    return _write(job.path, write_text(job.notebook))


def _run(job: Job) -> NotebookNode:
    job.path.parent.mkdir(parents=True, exist_ok=True)  # the notebook runs where it will lie
    try:
        ran = execute(job.notebook, job.path.parent)
    except CellExecutionError as error:
        wrong = f"a cell fails ({job.path.name}, {job.path.parent.name}):\n{strip_ansi(str(error))}"
        remedy = "mend the cell, or tag it raises-exception where the error is the lesson"
        raise SourceError([Problem(Place(job.source), wrong, remedy)]) from error
    problems = output_problems(job.source, ran)
    if problems:
        raise SourceError(problems)
    return ran


def differs(path: Path, text: str) -> bool:
    """Whether a file is missing or holds another text."""
    return not path.exists() or path.read_text(encoding="utf-8", errors="replace") != text


def _write(path: Path, text: str) -> str:
    if not differs(path, text):
        return "unchanged"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return "written"
