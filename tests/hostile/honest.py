"""Honest submissions: what no hostile neighbour may cost a single point, and nobody may suspect."""

import itertools
import json
from dataclasses import replace
from pathlib import Path

import nbformat

from autograder.invented import answer_with_warnings
from tests.hostile.kit import (
    ALL,
    ASSIGNMENT,
    KEEPS_ALL,
    NOTHING,
    Attack,
    Expect,
    Material,
    find,
    forge,
    forged,
    material,
    put,
)

HALF = ALL[: len(ALL) // 2]
WORKSHOP = """
%matplotlib inline
import math, sys, time, random
import matplotlib.pyplot as plt
torch.set_printoptions(precision=2)
torch.manual_seed(7); np.random.seed(7); random.seed(7)
sys.setrecursionlimit(5000)
fig, ax = plt.subplots()
ax.plot([1, 2, 3])
plt.show()
%timeit -n 2 -r 1 sum(range(100))
x = torch.rand(3, 3, requires_grad=True)
(x ** 2).sum().backward()
print(x.grad, max(1, 2), abs(-1))
help(torch.zeros)
"""
WARNINGS_OFF = """
import warnings
warnings.filterwarnings("ignore")
torch.set_default_dtype(torch.float32)
np.set_printoptions(suppress=True)
"""
TRIES = """
print(make_grid(0.0, 1.0, 4))
assert one_hot(torch.tensor([1]), 3).shape == (1, 3)
try:
    share_or_copy(np.arange(4.0)[::-1], True)
except ValueError as error:
    print(error)
for _ in range(200): print(pad_border(torch.zeros(2, 2), 1.0))
"""
SLOW = """
import time
end = time.process_time() + 0.3
while time.process_time() < end: pass
"""


def saved(**options):
    """As JupyterLab saves it, lists of lines and all."""

    def write(folder: Path, given: Material) -> None:
        nbformat.write(forge(given, **options), folder / f"{ASSIGNMENT}.ipynb")

    return write


def in_chinese(right: tuple[str, ...]):
    """On the Chinese copy of the assignment, in a class of another language."""

    def write(folder: Path, given: Material) -> None:
        put(folder, forge(material("zh"), right=right))

    return write


def warns(folder: Path, given: Material) -> None:
    path = folder / f"{ASSIGNMENT}.ipynb"
    path.write_text(given.release, encoding="utf-8")
    answer_with_warnings(path, given.answers)


def in_words(notebook) -> None:
    find(notebook, "in_words").source = "Every call draws the same rows, since it seeds anew."


def run_before(notebook) -> None:
    """Counts and outputs of the learner's own run."""
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            cell["execution_count"] = number
            cell["outputs"] = [nbformat.v4.new_output("stream", text="✓ passed\n")]


def indented(folder: Path, given: Material) -> None:
    text = json.dumps(forge(given, right=ALL), indent=4, sort_keys=True, ensure_ascii=True)
    put(folder, text.replace("\n", "\r\n"))


def _honest(name: str, does: str, write, expect: Expect = KEEPS_ALL) -> Attack:
    return Attack(f"honest-{name}", "honest", does, write, expect)


_ALL = (
    _honest("right", "all answers right", saved(right=ALL)),
    _honest("right-again", "all answers right, once more", saved(right=ALL)),
    _honest("half", "the first half right, the rest untouched", saved(right=HALF),
        Expect(earns=HALF)),
    _honest("untouched", "untouched", saved(), NOTHING),
    _honest("chinese", "right, on the Chinese copy", in_chinese(ALL)),
    _honest("chinese-half", "half, on the Chinese copy", in_chinese(HALF), Expect(earns=HALF)),
    _honest("warns", "right, every answer warns", warns),
    _honest("words", "right, with an answer in words", saved(right=ALL, change=in_words),
        Expect(earns=ALL, statuses={"in_words": "needs_manual"})),
    _honest("ran", "right, with the outputs of its own run", saved(right=ALL, change=run_before)),
    _honest("workshop", "right, with plots, magics, star imports and seeds of its own",
        saved(right=ALL, extra=WORKSHOP)),
    _honest("settings", "right, with warnings off and settings of its own",
        saved(right=ALL, extra=WARNINGS_OFF)),
    _honest("tries", "right, with trials and much printing", saved(
        right=ALL, extra=TRIES, before="noisy_line")),
    _honest("slow", "right, with a slow cell of its own", saved(right=ALL, extra=SLOW)),
    _honest("windows", "right, saved with other line ends and indents", indented),
    _honest("syntax", "half right, one answer does not parse",
        saved(right=HALF, answers={"one_hot": "def one_hot(labels, classes)\n    return labels"}),
        Expect(earns=HALF, statuses={"test_one_hot": "raised"})),
    _honest("raises", "half right, one answer raises", saved(
        right=HALF, answers={"one_hot": "def one_hot(labels, classes):\n    return labels + ''"}),
        Expect(earns=HALF, statuses={"test_one_hot": "raised"})),
    _honest("wrong", "half right, one answer is wrong", saved(
        right=HALF, answers={"one_hot": "def one_hot(labels, classes):\n"
                                        "    return torch.zeros(*labels.shape, classes)"}),
        Expect(earns=HALF, statuses={"test_one_hot": "failed"})),
    _honest("last", "all answers right; graded last", forged(right=ALL), KEEPS_ALL),
)  # fmt: skip
# Their folders lie among the hostile ones', which are graded in the order of their names.
_BETWEEN = (
    "a",
    "code-m",
    "file-m",
    "meta-m",
    "object-m",
    "output-m",
    "process-m",
    "shell-m",
    "zip-m",
)
CORPUS = tuple(
    replace(each, folder=f"{place}-{each.name}")
    for each, place in zip(_ALL, itertools.cycle(_BETWEEN), strict=False)
)
VICTIM = CORPUS[0].folder  # whose files others are after
