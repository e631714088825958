"""Submissions of a real assignment and of small ones, made as learners make them."""

import copy
import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.assignment import Assignment, load_assignment
from autograder.invented import read_answers, without_markers
from autograder.reader import read_notebook
from autograder.rebuild import Rebuilt, rebuild
from autograder.truth import as_released

ROOT = Path(__file__).resolve().parents[2]
NAME = "02_creation"
RIGHT_F = "def f(x):\n    return x"
RIGHT_G = "def g(x):\n    return x"


def graded(kind: str, grade_id: str, source: str, **flags) -> NotebookNode:
    """A cell of the instructor's: `kind` is "code" or "markdown"."""
    cell = (new_code_cell if kind == "code" else new_markdown_cell)(source, id=grade_id)
    plain = {"grade": False, "solution": False, "locked": False, "task": False}
    cell.metadata["nbgrader"] = {"schema_version": 3, "grade_id": grade_id} | plain | flags
    return cell


def answer(name: str) -> NotebookNode:
    reference = f"def {name}(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION"
    return graded("code", name, reference, solution=True)


def check(name: str) -> NotebookNode:
    lines = [f"assert {name}({each}) == {each}" for each in range(5)]
    hidden = f"### BEGIN HIDDEN TESTS\nassert {name}(99) == 99\n### END HIDDEN TESTS"
    source = "\n".join([f"# Check {name}", *lines, hidden])
    return graded("code", f"test_{name}", source, grade=True, locked=True, points=1)


def words(name: str) -> NotebookNode:
    return graded("markdown", name, "The model answer.", grade=True, solution=True, points=2)


def prose(text: str) -> NotebookNode:
    return new_markdown_cell(text, id=f"prose-{abs(hash(text)) % 10**8}")


def code(source: str) -> NotebookNode:
    return new_code_cell(source, id=f"code-{abs(hash(source)) % 10**8}")


def small_solution() -> NotebookNode:
    """Two functions, a question in words, and one in code that defines nothing."""
    free = graded("code", "free", "x = 1", solution=True, grade=True, points=1)
    cells = [prose("# Small"), code("import math"), prose("Write f."), answer("f"), check("f")]
    cells += [prose("Write g."), answer("g"), check("g")]
    cells += [prose("In words?"), words("say"), prose("Anything?"), free, prose("Done.")]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def write(notebook: NotebookNode, folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    return folder


def truth_of(notebook: NotebookNode, folder: Path) -> NotebookNode:
    return load_assignment(write(notebook, folder / "small", "small"), "en").notebooks["small"]


def released(truth: NotebookNode) -> NotebookNode:
    """What learners get of it."""
    made = copy.deepcopy(truth)
    for cell in made.cells:
        cell.source = as_released(cell.source)
    return made


@cache
def course(language: str) -> Assignment:
    return load_assignment(ROOT / "solutions" / language / NAME, language)


def submission(language: str, done: int | None = None) -> NotebookNode:
    """The released notebook with the first `done` answers right; all of them where None."""
    path = ROOT / "exercises" / language / NAME / f"{NAME}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    right = read_answers(ROOT / "solutions" / language / NAME / f"{NAME}.ipynb")
    chosen = list(right)[:done]
    for cell in notebook.cells:
        if grade_id_of(cell) in chosen:
            cell.source = without_markers(right[grade_id_of(cell)])
    return notebook


def grade_id_of(cell: NotebookNode) -> str | None:
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def find(notebook: NotebookNode, grade_id: str) -> NotebookNode:
    return next(cell for cell in notebook.cells if grade_id_of(cell) == grade_id)


def index_of(notebook: NotebookNode, grade_id: str) -> int:
    return notebook.cells.index(find(notebook, grade_id))


def stripped(notebook: NotebookNode) -> NotebookNode:
    """Saved by an editor that keeps no metadata at all, and makes cell ids of its own."""
    for number, cell in enumerate(notebook.cells):
        cell.metadata, cell.id = NotebookNode(), f"other-{number}"
    notebook.metadata = NotebookNode()
    return notebook


def to_bytes(notebook: NotebookNode) -> bytes:
    return json.dumps(notebook, ensure_ascii=False).encode()


@cache
def small_truth() -> NotebookNode:
    with TemporaryDirectory() as folder:
        return truth_of(small_solution(), Path(folder))


def small_submission() -> NotebookNode:
    """The small notebook with everything answered, to be changed as a learner changes it."""
    notebook = released(small_truth())
    texts = {"f": RIGHT_F, "g": RIGHT_G, "say": "Since.", "free": "x = 7"}
    for grade_id, source in texts.items():
        find(notebook, grade_id).source = source
    return notebook


def rebuilt(truth, notebook) -> Rebuilt:
    made = rebuild(truth, read_notebook(to_bytes(notebook)))
    nbformat.validate(made.notebook)
    assert [cell for cell in made.notebook.cells if not is_extra(cell)] == [
        {**cell, "source": find_like(made.notebook, cell).source} for cell in truth.cells
    ]
    return made


def find_like(notebook, cell):
    return next(each for each in notebook.cells if each.id == cell.id)


def is_extra(cell):
    return cell.metadata == {"extra": True}


def texts(notebook):
    return [cell.source for cell in notebook.cells]


def extras(notebook):
    return [cell.source for cell in notebook.cells if is_extra(cell)]


def insert(notebook, grade_id, *cells, after=False):
    place = index_of(notebook, grade_id) + after
    notebook.cells[place:place] = cells


def remove(notebook, *grade_ids):
    notebook.cells = [cell for cell in notebook.cells if grade_id_of(cell) not in grade_ids]


def twin(notebook, grade_id, source):
    made = copy.deepcopy(find(notebook, grade_id))
    made.id, made.source = f"{made.id}-{len(notebook.cells)}", source
    return made
