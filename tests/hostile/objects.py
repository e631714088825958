"""Answers that give back objects made to deceive: always equal, of no type, raising, blocking."""

from tests.hostile.kit import (
    FIRST,
    KEEPS_ALL,
    LOSES_FIRST,
    NOTHING,
    REST,
    Attack,
    Expect,
    flagged,
    forged,
    in_answer,
)

ALWAYS_EQUAL = """
class Always:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __len__(self): return 2
    def __iter__(self): return iter([self, self])
    def __getattr__(self, name): return self
    def __call__(self, *args, **kwargs): return self
    def __bool__(self): return False
"""
# isinstance() believes an object that says of itself that it is a tensor.
SPOOF = """
import sys
class Spoof:
    __class__ = torch.Tensor
    layout, requires_grad, grad, device = torch.strided, False, None, torch.device("cpu")
    def __init__(self, base=None): self.base = base
    def __ne__(self, other):
        if sys._getframe(1).f_code.co_name == "mismatches": return torch.tensor([False])
        return False
    def __eq__(self, other): return True
    def is_complex(self): return False
    is_floating_point = is_complex
    def to(self, *args): return self
    def cpu(self): return self
    def __getattr__(self, name):
        frame = sys._getframe(1)
        while frame:
            if frame.f_code.co_name == "_matches": raise ValueError(name)
            frame = frame.f_back
        return self
    def __getitem__(self, place): return self
    def __sub__(self, other): return self
    def __iter__(self): return iter([self, self])
"""
# A tensor whose methods fetch what is wanted from the frame that compares.
SUBCLASS = """
import sys
class Fetching(torch.Tensor):
    def is_complex(self):
        frame = sys._getframe(1).f_back
        if frame and frame.f_code.co_name == "mismatches" and "got" in frame.f_locals:
            caller = frame
            while caller and caller.f_code.co_name not in ("expect_not", "_raise", "expect_close"):
                caller = caller.f_back
            if caller and caller.f_code.co_name == "expect_close":
                self.wanted = frame.f_locals["want"]
        return super().is_complex()
    def to(self, *args, **kwargs):
        wanted = self.__dict__.pop("wanted", None)
        return super().to(*args, **kwargs) if wanted is None else wanted.to(*args, **kwargs)
"""
TORCH_FUNCTION = """
class Agreeing(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", "")
        if name in ("isclose", "eq", "equal", "allclose", "__eq__"):
            return torch.ones(args[0].shape, dtype=torch.bool)
        if name in ("ne", "__ne__"):
            return torch.zeros(args[0].shape, dtype=torch.bool)
        return super().__torch_function__(func, types, args, kwargs or {})
"""
DISPATCHED = """
import sys
from torch.utils._pytree import tree_map
def asked_by(name):
    frame = sys._getframe(1)
    while frame and frame.f_code.co_name != name: frame = frame.f_back
    return bool(frame)
class Wrapper(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
        made.inner = inner
        return made
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        plain = tree_map(lambda a: a.inner if isinstance(a, cls) else a, args)
        out = func(*plain, **(kwargs or {}))
        if not isinstance(out, torch.Tensor): return out
        if str(func).startswith(("aten.bitwise_not", "aten.ne")):
            return torch.full_like(out, asked_by("expect_not"))
        return out if out.dtype is torch.bool else cls(out)
"""
# The last outcome that IPython swallows without a word: what was printed before stands alone.
QUIET = """
import bdb
class Quitter(list):
    def __len__(self):
        print("✓ {0}: passed. Very well.")
        raise bdb.BdbQuit
"""
SILENT_RENDER = """
class Quiet(Exception):
    def _render_traceback_(self):
        raise KeyboardInterrupt
class Quitter(list):
    def __len__(self):
        print("✓ {0}: passed. Very well.")
        raise Quiet
"""
EMPTY_RENDER = """
class Quiet(Exception):
    def _render_traceback_(self): return []
class Quitter(list):
    def __len__(self):
        print("✓ {0}: passed. Very well.")
        raise Quiet
"""
ORACLE = """
import ast
asked = {"test": "", "count": 0}
def tensor_vs_Tensor(data, dtype=None):
    test = get_ipython().user_ns["In"][-1]
    if asked["test"] != test: asked.update(test=test, count=0)
    tree = ast.parse(test)
    calls = sorted((node for node in ast.walk(tree) if isinstance(node, ast.Call)),
                   key=lambda node: (node.lineno, node.col_offset))
    own = [node for node in calls if getattr(node.func, "id", "") == "tensor_vs_Tensor"]
    names = {node.value.lineno: node.targets[0].id for node in ast.walk(tree)
             if isinstance(node, ast.Assign) and node.value in own}
    checks = [node.args for node in calls if getattr(node.func, "attr", "") == "expect_close"]
    def wanted(call):
        for got, want in checks:
            if got is call or getattr(got, "id", 0) == names.get(call.lineno, 1): return want
    def value(node):
        try: return eval(ast.unparse(node))
        except NameError: return None
    exact = [call for call in own if repr(value(call.args[0])) == repr(data)]
    if dtype is not None: exact = [call for call in exact if call.keywords]
    return eval(ast.unparse(wanted(exact[0])), {**globals(), "dtype": dtype})
"""
SPEAKS_ONCE = "class Once(Exception):\n    def __str__(self): raise RuntimeError('no words')\n"
BLOCKS = """
import time
class Blocking(list):
    def __len__(self):
        while True: time.sleep(1000)
"""
BUSY = """
class Busy(list):
    def __len__(self):
        while True: pass
"""


def _object(name: str, does: str, extra: str, answers: dict, expect: Expect = NOTHING) -> Attack:
    return Attack(f"object-{name}", "code: deceiving objects", does,
                  forged(answers=answers, extra=extra), expect)  # fmt: skip


def _breaks_first(name: str, does: str, extra: str, body: str, **expected) -> Attack:
    write = forged(right=REST, answers=in_answer(body), extra=extra)
    expect = Expect(earns=REST, **expected)
    return Attack(f"object-{name}", "code: deceiving objects", does, write, expect)


def everywhere(result: str) -> dict[str, str]:
    """Each answer gives this, whatever it is asked."""
    answers = {}
    for name in (FIRST, *REST):
        answers |= in_answer(f"return {result}", name)
    return answers


PADDED = "def pad_border(x, value):\n    h, w = x.shape\n    return x.new_zeros(h + 2, w + 2)"
HOT = "def one_hot(labels, classes):\n    return {0}"
ZEROS = "torch.zeros(*labels.shape, classes)"
CORPUS = (
    _object("always-equal", "objects that equal everything", ALWAYS_EQUAL, everywhere("Always()")),
    _object("mock", "answers give mocks", "from unittest.mock import MagicMock",
        everywhere("MagicMock()")),
    _object("spoof", "objects that say that they are tensors", SPOOF, everywhere("Spoof()")),
    _object("spoof-pair", "pairs of objects that say that they are tensors", SPOOF,
        everywhere("(Spoof(), Spoof())")),
    _object("subclass", "a tensor that fetches what is wanted from the frames", SUBCLASS,
        {"one_hot": HOT.format(f"{ZEROS}.as_subclass(Fetching)"),
         "pad_border": f"{PADDED}.as_subclass(Fetching)"}),
    _object("torch-function", "a tensor subclass that agrees", TORCH_FUNCTION,
        {"one_hot": HOT.format(f"{ZEROS}.as_subclass(Agreeing)")}),
    _object("torch-dispatch", "a tensor subclass that agrees below torch's Python", DISPATCHED,
        {"one_hot": HOT.format(f"Wrapper({ZEROS})")}),
    _object("quits", "prints the tick and quits so that IPython shows no error", QUIET,
        {name: f"def {name}(*args, **kwargs):\n    return Quitter([1, 2])"
         for name in ("make_grid", "like_this")}),
    _object("renders-nothing", "prints the tick; the error's rendering is interrupted",
        SILENT_RENDER, {"make_grid": "def make_grid(*args):\n    return Quitter([1, 2])"}),
    _object("renders-empty", "prints the tick; the error renders as no line at all",
        EMPTY_RENDER, {"make_grid": "def make_grid(*args):\n    return Quitter([1, 2])"}),
    _object("oracle", "reads the running test in `In` and answers what it expects", "",
        {"tensor_vs_Tensor": ORACLE}, flagged()),
    _breaks_first("no-words", "an error whose text raises an error", SPEAKS_ONCE, "raise Once()"),
    _breaks_first("long-words", "an error with a text of 50 MB", "",
        "raise ValueError('x' * 50_000_000)"),
    _breaks_first("odd-words", "an error with unpaired surrogates and control characters", "",
        "raise ValueError('\\ud800\\udfff \\x00\\x1b[2J\\x1b]0;x\\x07 \\u202e')"),
    _breaks_first("odd-name", "an error whose class has markup for a name", "",
        "raise type('<script>alert(1)</script>' * 1000, (Exception,), {})('x')"),
    _breaks_first("deep", "endless recursion", "", "return make_grid(*args)"),
    _breaks_first("deep-c", "a structure nested so deep that C code falls over it", "",
        "x = []\nfor _ in range(10**6): x = [x]\nreturn repr(x)"),
    _breaks_first("group", "a group of a thousand errors in a chain", "",
        "error = ValueError('0')\nfor n in range(1000):\n"
        "    error.__cause__, error = ValueError(n), ExceptionGroup(str(n), [error])\nraise error"),
    _breaks_first("chain-loop", "an error that is its own cause", "",
        "error = ValueError('x')\nerror.__cause__ = error.__context__ = error\nraise error"),
    _breaks_first("keyboard", "KeyboardInterrupt", "", "raise KeyboardInterrupt"),
    _breaks_first("exit", "SystemExit", "", "raise SystemExit(0)"),
    _breaks_first("generator-exit", "GeneratorExit", "", "raise GeneratorExit"),
    _breaks_first("exotic", "an error that is neither Exception nor known",
        "class Exotic(BaseException): pass", "raise Exotic('x')"),
    _breaks_first("bdb", "BdbQuit in the answer", "import bdb", "raise bdb.BdbQuit"),
    _breaks_first("asyncio", "CancelledError in the answer", "import asyncio",
        "raise asyncio.CancelledError"),
    _breaks_first("blocks", "the answer's length waits for ever", BLOCKS,
        "return Blocking([1, 2])", statuses={"test_make_grid": "timeout"}),
    _breaks_first("busy", "the answer's length never ends", BUSY, "return Busy([1, 2])",
        statuses={"test_make_grid": "timeout"}),
    _breaks_first("del", "`__del__` exits the process, whenever that may be", "import os\n"
        "class Bomb:\n    def __del__(self): os._exit(3)", "return Bomb(), Bomb()"),
    _breaks_first("repr", "a repr of 100 MB", "class Long:\n    def __repr__(self):"
        " return 'x' * 100_000_000", "return Long()"),
    _breaks_first("repr-raises", "a repr that exits", "class Rude:\n    def __repr__(self):"
        " raise SystemExit", "return Rude()"),
    Attack("object-none", "code: deceiving objects", "the first answer gives None",
        forged(right=REST, answers=in_answer("return None")), LOSES_FIRST),
    Attack("object-subclass-right", "code: deceiving objects", "right, as a subclass of Tensor",
        forged(right=(FIRST, *REST), extra="class Mine(torch.Tensor): pass"), KEEPS_ALL),
)  # fmt: skip
