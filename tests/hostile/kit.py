"""What the corpus is made of: attacks, the notebooks that they forge, and what is expected."""

import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.invented import Answers, read_answers, without_markers

ROOT = Path(__file__).resolve().parents[2]
ASSIGNMENT = "02_creation"
FIRST = "make_grid"  # the first question: what breaks it must not cost the others
REST = (
    "tensor_vs_Tensor",
    "share_or_copy",
    "like_this",
    "pad_border",
    "one_hot",
    "seeded_batch",
    "init_weights",
)
ALL = (FIRST, *REST)


@dataclass(frozen=True)
class Prey:
    """What lies outside the sandbox and must not be reached: see canaries.py."""

    token: str = "no-token-here"
    secret: str = "/nonexistent/secret.txt"
    course: str = "/nonexistent/course"
    other: str = "/nonexistent/other.ipynb"  # another student's submission
    port: int = 9
    socket: str = "no-such-abstract-socket"
    variable: str = "NO_SUCH_VARIABLE"
    marker: str = "no-marker"  # an argument of every process that an attack starts

    def fill(self, code: str) -> str:
        """The code with @SECRET@ and the like replaced by what is hunted."""
        for name, value in vars(self).items():
            code = code.replace(f"@{name.upper()}@", str(value))
        return code


@dataclass(frozen=True)
class Material:
    """An assignment as learners get it, and what the attacks are aimed at."""

    language: str
    release: str  # JSON of the notebook
    answers: Answers  # references, markers included
    prey: Prey

    def notebook(self) -> NotebookNode:
        return nbformat.reads(self.release, as_version=4)


Writer = Callable[[Path, Material], None]


@dataclass(frozen=True)
class Expect:
    """The verdict that is due.

    `earns` names the answers whose points it gets, no more and no less; those in `may_earn` it may
    get as well. `flagged` marks what can only be detected: a person is told to look, and the points
    may be any. `status` "either" is for files that a tolerant reader may mend or refuse.
    """

    status: str = "graded"  # graded, rejected, either, ignored (no submission at all)
    earns: tuple[str, ...] = ()
    may_earn: tuple[str, ...] = ()
    flagged: bool = False
    words: tuple[str, ...] = ()  # any of them, in reason, look, notes or a message
    statuses: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Attack:
    """One hostile or broken submission."""

    name: str  # of the student too, where the attack leaves names alone
    kind: str
    does: str
    write: Writer  # fills the submission's folder, which exists and is empty
    expect: Expect = Expect()
    folder: str = ""  # of the student, where it is not the name; surrogates stand for odd bytes

    def plant(self, submitted: Path, material: Material) -> None:
        folder = submitted / (self.folder or self.name) / ASSIGNMENT
        folder.mkdir(parents=True)
        self.write(folder, material)


def material(language: str, prey: Prey | None = None, root: Path = ROOT) -> Material:
    """The assignment in one language, with what the attacks hunt."""
    release = root / "exercises" / language / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    solution = root / "solutions" / language / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    text = release.read_text(encoding="utf-8")
    return Material(language, text, read_answers(solution), prey or Prey())


def grade_id_of(cell: NotebookNode) -> str | None:
    data = cell.metadata.get("nbgrader")
    return data.get("grade_id") if isinstance(data, dict) else None


def find(notebook: NotebookNode, grade_id: str) -> NotebookNode:
    """The graded cell of that id."""
    return next(cell for cell in notebook.cells if grade_id_of(cell) == grade_id)


def forge(
    given: Material,
    right: tuple[str, ...] = (),
    answers: Mapping[str, str] | None = None,
    extra: str = "",
    before: str = FIRST,
    change: Callable[[NotebookNode], object] = lambda notebook: None,
) -> NotebookNode:
    """The released notebook with right answers, other answers, an extra cell and a change."""
    notebook = given.notebook()
    for name in right:
        find(notebook, name).source = without_markers(given.answers[name])
    for name, source in (answers or {}).items():
        find(notebook, name).source = given.prey.fill(source)
    if extra:
        place = notebook.cells.index(find(notebook, before))
        notebook.cells.insert(place, new_code_cell(given.prey.fill(extra), id="extra"))
    change(notebook)
    return notebook


def put(folder: Path, content: NotebookNode | str | bytes) -> None:
    """Write the submitted file: a notebook, or whatever is handed in for one."""
    if isinstance(content, dict):
        content = json.dumps(content, ensure_ascii=False)
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    (folder / f"{ASSIGNMENT}.ipynb").write_bytes(content)


def forged(**options) -> Writer:
    """A writer of one forged notebook; the options are those of `forge`."""
    return lambda folder, given: put(folder, forge(given, **options))


def raw(content: Callable[[Material], str | bytes]) -> Writer:
    """A writer of one file that need not be a notebook."""
    return lambda folder, given: put(folder, content(given))


def with_files(writer: Writer, **files: str | bytes) -> Writer:
    """The same with further files beside the notebook; `__` in a name stands for the dot."""

    def write(folder: Path, given: Material) -> None:
        writer(folder, given)
        for name, content in files.items():
            content = content.encode() if isinstance(content, str) else content
            (folder / name.replace("__", ".")).write_bytes(content)

    return write


def in_answer(statements: str, name: str = FIRST) -> dict[str, str]:
    """An answer of that name whose body is these statements; it takes whatever it is given."""
    body = "\n".join("    " + line for line in statements.strip("\n").splitlines())
    return {name: f"def {name}(*args, **kwargs):\n{body}"}


def everything_but_first(statements: str) -> Writer:
    """All answers right, but the body of the first is these statements."""
    return forged(right=REST, answers=in_answer(statements))


# Wrong answers of the right shape: a patched comparison would let them pass.
WRONG = {
    "make_grid": "def make_grid(start, stop, cells):\n"
    "    return torch.zeros(cells, dtype=torch.int64), torch.zeros(cells + 1)",
    "tensor_vs_Tensor": "def tensor_vs_Tensor(data, dtype=None):\n"
    "    return torch.zeros_like(torch.tensor(data, dtype=dtype))",
    "share_or_copy": "def share_or_copy(array, share):\n"
    "    return torch.from_numpy(array.copy()) * 0",
    "like_this": "def like_this(x, n):\n"
    "    return torch.empty_like(x), x.new_empty((n, *x.shape[1:]))",
    "pad_border": "def pad_border(x, value):\n"
    "    return x.new_zeros(x.shape[0] + 2, x.shape[1] + 2)",
    "one_hot": "def one_hot(labels, classes):\n    return torch.zeros(*labels.shape, classes)",
    "seeded_batch": "def seeded_batch(data, size, seed):\n    return data[:size].clone()",
    "init_weights": "def init_weights(n_in, n_out, generator):\n"
    "    return torch.zeros(n_out, n_in, requires_grad=True)",
}
NOTHING = Expect()  # graded, no points: what the untouched notebook gets
LOSES_FIRST = Expect(earns=REST)
KEEPS_ALL = Expect(earns=ALL)


def rejected(*words: str) -> Expect:
    return Expect(status="rejected", words=words)


def flagged(*earns: str, words: tuple[str, ...] = ()) -> Expect:
    return Expect(earns=earns, flagged=True, words=words)


def each_cell(change: Callable[[NotebookNode], object]) -> Callable[[NotebookNode], None]:
    def apply(notebook: NotebookNode) -> None:
        for cell in notebook.cells:
            change(cell)

    return apply


def each_graded(change: Callable[[dict], object]) -> Callable[[NotebookNode], None]:
    """Apply a change to the nbgrader metadata of every cell that has it."""

    def apply(notebook: NotebookNode) -> None:
        for cell in notebook.cells:
            if "nbgrader" in cell.metadata:
                change(cell.metadata["nbgrader"])

    return apply


def twin(cell: NotebookNode, **changes) -> NotebookNode:
    """A copy of a cell with another cell id."""
    made = copy.deepcopy(cell)
    made["id"] = f"{cell.get('id', 'cell')}-twin"
    made.update(changes)
    return made
