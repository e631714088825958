"""`autograder selfcheck`: one learner's notebook, graded on their own machine."""

import json
from pathlib import Path

from nbformat import NotebookNode
from rich.console import Console
from rich.text import Text

from autograder import report
from autograder.assignment import Assignment, AssignmentError, load_assignment, read_companions
from autograder.course import NotFound, class_language, did_you_mean, find_root
from autograder.engine.servers import close_own_servers
from autograder.errors import Told
from autograder.judge import Job, Result, judge
from autograder.limits import Limits
from autograder.reader import MAX_BYTES, Unreadable, read_notebook
from autograder.sandbox import best_level, describe
from autograder.settings import CODE_STUB, LANGUAGES, source_directory
from autograder.verdicts import Verdict

TOO_LARGE = f"{{path}} is larger than {MAX_BYTES >> 20} MiB. Clear all its outputs and save it."


def check_notebook(path: Path, json_file: Path | None) -> int:
    """Show what the grader would say of this file; the exit status. Raises Told."""
    console, raw = Console(), _read(path)
    language = path.resolve().parent.parent.name
    language = language if language in LANGUAGES else class_language()
    assignment = find_truth(path, raw, language)
    level = best_level()
    console.print(Text(describe(level).line, style="dim"), soft_wrap=True)
    truth = json.dumps(assignment.to_json())
    job = Job(truth, {path.stem: raw}, Limits(), str(level), language)
    try:
        with console.status("running the notebook"):
            result = Result.from_json(judge(job.to_json()))
    finally:
        close_own_servers()
    if result.fault:
        raise Told(f"The notebook could not be run: {result.fault}. See: autograder doctor")
    status = "rejected" if result.rejected else "graded"
    verdict = Verdict(status, result.rejected, result.questions, result.look, result.notes)
    if json_file:
        made = json.dumps({"notebook": str(path), **verdict.to_json()}, indent=1)
        json_file.write_text(made + "\n", encoding="utf-8")
    return _show(console, verdict)


def _show(console: Console, verdict: Verdict) -> int:
    if verdict.status == "rejected":
        console.print(Text(verdict.reason), soft_wrap=True)
        return 1
    report.show_questions(console, verdict.questions)
    console.print(f"{report.score(verdict)} points")
    for line in (*verdict.look, *verdict.notes):
        console.print(Text(f"• {report.one_line(line)}"), soft_wrap=True)
    return 0


def _read(path: Path) -> bytes:
    if not path.is_file():
        beside = [each.name for each in path.parent.glob("*.ipynb")]
        raise NotFound(f"No file {path}.{did_you_mean(path.name, beside)}")
    if path.stat().st_size > MAX_BYTES:
        raise NotFound(TOO_LARGE.format(path=path))
    return path.read_bytes()


def find_truth(path: Path, raw: bytes, language: str) -> Assignment:
    """The instructor's notebook where this machine has it, else the tests in the file itself."""
    name = path.stem
    for root in dict.fromkeys([find_root(path.resolve().parent), find_root()]):
        folder = root / source_directory(language) / name
        if (folder / f"{name}.ipynb").is_file():
            try:
                given = load_assignment(folder, language)
            except AssignmentError as error:
                raise Told(str(error)) from error
            return Assignment(name, {name: given.notebooks[name]}, given.speaks, given.files)
    return from_released(path, raw, language)


def from_released(path: Path, raw: bytes, language: str) -> Assignment:
    """An exercise that was handed out as its own truth: its tests, its answers as stubs."""
    import nbformat
    from nbgrader.utils import compute_checksum, is_grade, is_solution

    try:
        read_notebook(raw)  # in its own words where the file is no notebook
        notebook: NotebookNode = nbformat.reads(raw.decode(), as_version=4)
    except (Unreadable, ValueError) as error:
        raise Told(str(error)) from error
    answers = [cell for cell in notebook.cells if is_solution(cell)]
    if not any(is_grade(cell) for cell in notebook.cells):
        raise Told(f"{path.name} has no cells that give points: it is no notebook of exercises.")
    for cell in answers:
        if cell.metadata["nbgrader"].get("checksum") != compute_checksum(cell):
            cell.source = CODE_STUB[language]  # as was handed out: anything but this answer
    files = read_companions(path.resolve().parent)
    return Assignment(path.stem, {path.stem: notebook}, {}, files)
