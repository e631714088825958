"""What the sources of a submission reach for, and what they may well need."""

import re
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.sources import reached, signs_in_sources
from tests.autograder.conftest import graded_cell

CHAPTERS = Path(__file__).resolve().parents[2] / "course" / "chapters"
TRICKS = {
    "import sys; sys._getframe(1).f_back": "_getframe",
    "try: 1/0\nexcept Exception as e: f = e.__traceback__.tb_frame": "tb_frame",
    "def f(x):\n    globals()['lens'] = None": "globals",
    "def f(x):\n    global lens\n    lens = None": "global lens",
    "def f(x):\n    global len\n    len = lambda y: 2": "global len",
    "import lens.compare as c": "lens.compare",
    "from lens import compare": "lens.compare",
    "import sys\nsys.modules['lens']": "sys.modules",
    "torch.sys.modules['lens']": "torch.sys.modules",
    "lens.expect_close = print": "lens.expect_close = …",
    "torch.Tensor.__ne__ = None": "torch.Tensor.__ne__ = …",
    "setattr(torch, 'isclose', print)": "setattr",
    "getattr(f, 'f_' + 'back')": "getattr",
    "import operator; operator.attrgetter('f_back')": "attrgetter",
    "'{0.f_back}'.format(frame)": "f_back",
    "exec('x = 1')": "exec",
    "import ctypes": "ctypes",
    "torch.library.Library('aten', 'IMPL')": "torch.library.Library",
    "class T:\n    def __torch_function__(cls, *a): pass": "__torch_function__",
    "class T:\n    __class__ = torch.Tensor": "__class__ = …",
    "print(In[-1])": "In",
    "get_ipython().user_ns": "get_ipython",
    "%%writefile x.py\nimport ctypes": "ctypes",
    "open('/proc/self/mem', 'wb')": "/proc/self/mem",
    "import bdb": "bdb",
}
HONEST = (
    "%matplotlib inline\n%timeit torch.zeros(3)\n!ls",
    "%%time\nx = torch.zeros(3)",
    "import os, sys, math, time, random, pathlib, warnings, functools, itertools, collections",
    "import matplotlib.pyplot as plt\nfrom IPython.display import display",
    "from torch.utils.data import DataLoader\nimport torch.nn.functional as F",
    "model.eval()\ntorch.compile(model)\ntorch.backends.cudnn.deterministic = True",
    "x.grad = None\nmodel.weight.data = x\nx.requires_grad = True\nself.shape = 3",
    "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "    def __getattr__(self, name): return super().__getattr__(name)",
    "getattr(torch, 'float32'); hasattr(x, 'grad'); isinstance(x, torch.Tensor)",
    "for _i in range(3): print(_i)\nlist = [1]\nmax = 2\nsum = max",
    "import lens.en as lens\nlens.show_tensor(x)",
    "with open('data.csv') as file: print(file.read())",
    "def f(n):\n    '''Calls model.eval(), then draws.'''\n    return f(n - 1) if n else 0",
    "def broken(:\n    globals()",
)


@pytest.mark.parametrize(("source", "name"), TRICKS.items())
def test_what_an_answer_does_not_need_is_named(source, name):
    assert name in list(reached(source))


@pytest.mark.parametrize("source", HONEST)
def test_ordinary_code_is_no_sign(source):
    assert list(reached(source)) == []


@pytest.mark.parametrize("path", sorted(CHAPTERS.glob("*/answers.py")), ids=str)
def test_no_right_or_wrong_answer_of_the_course_is_a_sign(path):
    for cell in re.split(r"(?m)^# %%.*$", path.read_text(encoding="utf-8")):
        assert list(reached(cell)) == []


def test_one_sentence_names_a_few_and_counts_the_rest():
    sources = "\n".join(TRICKS).replace("%%writefile x.py", "")
    cells = [new_code_cell(line) for line in sources.splitlines() if "class" not in line]
    for cell in cells:
        cell.metadata["extra"] = True
    (sign,) = signs_in_sources(new_notebook(cells=cells))
    assert re.search(r"`_getframe`.* and \d+ more\.$", sign)


def test_only_the_learners_cells_are_read():
    test = graded_cell("globals()", "test_x", grade=True, locked=True, points=1)
    given = new_code_cell("globals()")
    assert signs_in_sources(new_notebook(cells=[test, given])) == []
    answer = graded_cell("globals()", "x", solution=True)
    assert signs_in_sources(new_notebook(cells=[answer])) != []


def test_deep_nesting_is_a_sign_and_no_error():
    assert list(reached("x = " + "[" * 150 + "]" * 150)) == []
    assert isinstance(list(reached("-" * 100_000 + "1")), list)
