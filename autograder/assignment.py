"""What the instructor gives: the notebooks as the truth of grading, and the files beside them."""

import base64
import fnmatch
import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.limits import MIB
from autograder.settings import CODE_STUB, TEXT_STUB

# nbgrader hands out neither of these; see CourseDirectory.ignore.
NOT_HANDED_OUT = ("*.ipynb", ".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback")
MAX_FILES_BYTES = 64 * MIB  # they travel with every submission
AUTOTEST = re.compile(r"^\s*#.*AUTOTEST", re.MULTILINE)
REMEDY = "Mend the instructor's notebook and generate the assignment again."


class AssignmentError(Exception):
    """The instructor's folder cannot be graded with; the message says what to do."""


@dataclass(frozen=True)
class Assignment:
    """An assignment ready for grading; travels as JSON.

    `notebooks`: by notebook id, the instructor's notebooks with stubs in the answer cells and the
    hidden tests in place. `speaks`: the tests, by grade id, that print something where the
    reference answer passes. `files`: companion files by relative path.
    """

    name: str
    notebooks: dict[str, NotebookNode]
    speaks: dict[str, frozenset[str]]
    files: dict[str, bytes]

    def to_json(self) -> dict:
        return {
            "name": self.name,
            "notebooks": self.notebooks,
            "speaks": {name: sorted(ids) for name, ids in self.speaks.items()},
            "files": {path: base64.b64encode(data).decode() for path, data in self.files.items()},
        }

    @classmethod
    def from_json(cls, values: dict) -> "Assignment":
        notebooks = {name: nbformat.from_dict(each) for name, each in values["notebooks"].items()}
        speaks = {name: frozenset(ids) for name, ids in values["speaks"].items()}
        files = {path: base64.b64decode(data) for path, data in values["files"].items()}
        return cls(values["name"], notebooks, speaks, files)


def load_assignment(folder: Path, language: str) -> Assignment:
    """The assignment in solutions/<language>/<name>. Raises AssignmentError.

    The truth is made by nbgrader's own steps, up to where it would take the hidden tests out.
    """
    paths = sorted(folder.glob("*.ipynb")) if folder.is_dir() else []
    if not paths:
        raise AssignmentError(f"{folder}: expected the instructor's notebooks, found none.")
    read = {path.stem: _read(path) for path in paths}
    for path in paths:
        _check(path, read[path.stem])
    if not any(_is_graded(cell) for notebook in read.values() for cell in notebook.cells):
        raise AssignmentError(f"{folder}: no cell gives points. {REMEDY}")
    return Assignment(
        name=folder.name,
        notebooks={path.stem: _prepare(path, read[path.stem], language) for path in paths},
        speaks={name: _speaking(notebook) for name, notebook in read.items()},
        files=read_companions(folder),
    )


def _read(path: Path) -> NotebookNode:
    """The notebook in nbformat 4.5, with ids that are the same at every reading."""
    try:
        found = nbformat.reader.reads(path.read_text(encoding="utf-8"))
        has_ids = (found.get("nbformat"), found.get("nbformat_minor", 0)) >= (4, 5)
        notebook = nbformat.convert(found, 4)
        ids = [cell.get("id") for cell in notebook.cells]
        if not has_ids or None in ids or len(set(ids)) < len(ids):
            for number, cell in enumerate(notebook.cells):
                cell["id"] = f"cell-{number}"
            notebook["nbformat_minor"] = max(5, notebook.nbformat_minor)
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        raise AssignmentError(f"{path}: not a notebook ({error.message}). {REMEDY}") from error
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        reason = str(error).strip().splitlines()[0]
        raise AssignmentError(f"{path}: not a notebook ({reason}). {REMEDY}") from error
    notebook.metadata.pop("orig_nbformat_minor", None)
    return notebook


def _check(path: Path, notebook: NotebookNode) -> None:
    """Raise AssignmentError for what would stop the grading of a whole class."""
    seen = set()
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code" and AUTOTEST.search(cell.source):
            raise AssignmentError(
                f"{path}, cell {number}: nbgrader's AUTOTEST is not supported, and would be a "
                f"comment that tests nothing. Write the tests as code."
            )
        data = cell.metadata.get("nbgrader", {})
        if not any(data.get(key) for key in ("grade", "solution", "locked", "task")):
            continue
        grade_id = data.get("grade_id")
        if grade_id in seen:
            raise AssignmentError(f"{path}: the grade id {grade_id!r} is there twice. {REMEDY}")
        seen.add(grade_id)
        if _is_graded(cell) and not _are_points(data.get("points")):
            raise AssignmentError(
                f"{path}, {grade_id!r}: expected points, 0 or more, got {data.get('points')!r}. "
                f"{REMEDY}"
            )


def _is_graded(cell: NotebookNode) -> bool:
    data = cell.metadata.get("nbgrader", {})
    return bool(data.get("grade") or data.get("task"))


def _are_points(points: object) -> bool:
    is_number = isinstance(points, (int, float)) and not isinstance(points, bool)
    return is_number and math.isfinite(points) and points >= 0


def _prepare(path: Path, notebook: NotebookNode, language: str) -> NotebookNode:
    """The truth, by the steps of nbgrader that precede the removal of the hidden tests."""
    from nbgrader import preprocessors as steps  # heavy, and a worker does without
    from traitlets.config import Config

    config = Config()
    config.ClearSolutions.code_stub = {"python": CODE_STUB[language]}
    config.ClearSolutions.text_stub = TEXT_STUB[language]
    truth, resources = nbformat.from_dict(notebook), {}
    try:
        _check_schema(truth)
        for step in (steps.LockCells, steps.ClearSolutions, steps.ClearOutput):
            truth, resources = step(config=config).preprocess(truth, resources)
        truth, resources = steps.ComputeChecksums(config=config).preprocess(truth, resources)
    except Exception as error:  # nbgrader raises what comes: RuntimeError, ValueError, its own
        reason = str(error).strip().splitlines()[0]
        raise AssignmentError(f"{path}: {reason} {REMEDY}") from error
    return truth


def _check_schema(notebook: NotebookNode) -> None:
    """nbgrader's CheckCellMetadata, which hides the reason behind a general sentence."""
    from nbgrader.nbgraderformat import MetadataValidator

    MetadataValidator().validate_nb(notebook)


def _speaking(notebook: NotebookNode) -> frozenset[str]:
    """The tests whose stored outputs show that passing prints something."""
    speaking = set()
    for cell in notebook.cells:
        data = cell.metadata.get("nbgrader", {})
        outputs = [each.output_type for each in cell.get("outputs", [])]
        if data.get("grade") and not data.get("solution") and outputs and "error" not in outputs:
            speaking.add(data["grade_id"])
    return frozenset(speaking)


def read_companions(folder: Path) -> dict[str, bytes]:
    """The files beside the notebooks that learners get too, at any depth."""
    files, size = {}, 0
    for path in _walk(folder):
        size += path.stat().st_size
        if size > MAX_FILES_BYTES:
            raise AssignmentError(
                f"{folder}: expected at most {MAX_FILES_BYTES // MIB} MiB of files beside the "
                "notebooks, found more. Move what grading does not need out of the folder."
            )
        files[path.relative_to(folder).as_posix()] = path.read_bytes()
    return files


def _walk(folder: Path) -> Iterator[Path]:
    def handed_out(name: str) -> bool:
        return not any(fnmatch.fnmatch(name, pattern) for pattern in NOT_HANDED_OUT)

    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(filter(handed_out, folders))
        yield from (Path(parent, name) for name in sorted(filter(handed_out, names)))
