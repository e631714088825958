"""Hold the committed files against their sources: what is stale, missing, stray or broken."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from nbformat import NotebookNode

from authoring.build import Job, derived_texts, differs, jobs, read_notebook
from authoring.chapters import Chapter, find_chapters
from authoring.coverage import coverage_problems
from authoring.outputs import output_problems
from authoring.problems import Place, Problem, SourceError
from authoring.prose import links_in
from authoring.source import ANSWER_OPTIONS, read_cells
from autograder.settings import LANGUAGES

REMAKE = "make notebooks"
CHAPTER_FILES = {"lesson.py", "exercises.py", "answers.py"}


def check(root: Path) -> list[Problem]:
    """Every problem of the course, in the order in which it is best mended."""
    chapters = find_chapters(root)
    problems: list[Problem] = []
    made: list[Job] = []
    for chapter in chapters:
        try:
            made += jobs(chapter)
            read_cells(chapter.answers, ANSWER_OPTIONS)
        except SourceError as error:
            problems += error.problems
    if problems:
        return problems  # nothing can be compared with a source that cannot be read
    problems += coverage_problems(root, chapters)
    for job in made:
        problems += _job_problems(job)
    if not any(problem.remedy == REMAKE for problem in problems):
        problems += _derived_problems(root, chapters)
    problems += _stray_problems(root, chapters)
    problems += _link_problems(root)
    return problems


def _job_problems(job: Job) -> list[Problem]:
    committed = read_notebook(job.path)
    if committed is None:
        return [Problem(Place(job.path), "missing or not a notebook", REMAKE)]
    if len(committed.cells) != len(job.notebook.cells):
        wrong = f"{len(committed.cells)} cells, its source makes {len(job.notebook.cells)}"
        return [Problem(Place(job.path), wrong, REMAKE)]
    # JupyterLab adds to the other metadata as soon as a notebook is saved there.
    if committed.metadata.get("tensor_course") != job.notebook.metadata["tensor_course"]:
        return [Problem(Place(job.path), "it is not marked as built from its chapter", REMAKE)]
    for number, (theirs, ours) in enumerate(zip(committed.cells, job.notebook.cells, strict=True)):
        if _written(theirs) != _written(ours):
            wrong = f"cell {number} ({ours.id}) differs from its source {job.source.name}"
            return [Problem(Place(job.path), wrong, REMAKE)]
    return output_problems(job.path, committed)


def _written(cell: NotebookNode) -> tuple:
    return cell.cell_type, cell.id, cell.source, cell.metadata


def _derived_problems(root: Path, chapters: list[Chapter]) -> Iterator[Problem]:
    for path, text in derived_texts(root, chapters):
        if differs(path, text):
            wrong = "differs from what its source makes" if path.exists() else "missing"
            yield Problem(Place(path), wrong, REMAKE)


def _stray_problems(root: Path, chapters: list[Chapter]) -> Iterator[Problem]:
    """Files where only made files may stand. An instructor's own assignment is left alone."""
    for folder in (chapter.folder for chapter in chapters):
        for path in sorted(folder.iterdir()):
            if path.name not in CHAPTER_FILES and path.name != "__pycache__":
                yield Problem(Place(path), "stray: no part of a chapter", "move or remove it")
    known = {chapter.lesson_notebook(lang) for chapter in chapters for lang in LANGUAGES}
    for language in LANGUAGES:
        for path in sorted((root / "course" / language).iterdir()):
            if path not in known and path.name not in ("index.md", ".ipynb_checkpoints"):
                yield Problem(Place(path), "stray: no chapter makes it", "remove it")
    names = {chapter.name for chapter in chapters}
    for tree in ("solutions", "exercises"):
        for path in sorted((root / tree).glob("*/*/*.ipynb")):
            notebook = read_notebook(path)
            made_by = notebook.metadata.get("tensor_course", {}) if notebook else {}
            if made_by and made_by.get("chapter") not in names:
                yield Problem(Place(path), "stray: its chapter is gone", "remove it")


def _link_problems(root: Path) -> Iterator[Problem]:
    pages = sorted(root.glob("course/[ez][nh]/*")) + sorted(root.glob("exercises/*/*/*.ipynb"))
    for page in pages:
        for link in _links_of(page):
            target = unquote(link.partition("#")[0])
            if target and "://" not in target and not (page.parent / target).exists():
                yield Problem(Place(page), f"broken link: {link}", "mend the link in its source")


def _links_of(page: Path) -> list[str]:
    if page.suffix == ".md":
        return links_in(page.read_text(encoding="utf-8"))
    notebook = read_notebook(page) if page.suffix == ".ipynb" else None
    cells = notebook.cells if notebook else []
    prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
    return [link for text in prose for link in links_in(text)]
