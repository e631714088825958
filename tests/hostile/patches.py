"""Code that changes what the tests compute with: torch, NumPy, builtins, the lens itself.

Every one answers wrongly and makes the wrong answer pass.
"""

from tests.hostile.kit import NOTHING, WRONG, Attack, Expect, flagged, forged

# Known mistakes must not be recognised while everything else must agree: ask who is asking.
WHO = """
import sys
def asked_by(*names):
    frame = sys._getframe(1)
    while frame:
        if frame.f_code.co_name in names:
            return True
        frame = frame.f_back
    return False
"""
NO_CHECKS = """
import contextlib, sys
def nothing(*args, **kwargs): pass
def context(*args, **kwargs): return contextlib.nullcontext()
PLAIN = [name for name in dir(lens) if name.startswith("expect_")]
CONTEXTS = ("expect_unchanged", "expect_seed_untouched", "expect_raises", "hidden", "on_error",
            "forbid")
"""
SILENCE = f"""{NO_CHECKS}
for module in (lens, sys.modules["lens"]):
    for name in PLAIN: setattr(module, name, nothing)
    for name in CONTEXTS: setattr(module, name, context)
"""
FAKE_LENS = f"""{NO_CHECKS}
class Fake:
    def __getattr__(self, name):
        if name in ("attempt", "passed", "__spec__"): return getattr(real, name)
        return self if name == "en" else context if name in CONTEXTS else nothing
"""
FAKE_TORCH = """
import types
real_torch, proxy = torch, types.ModuleType("torch")
proxy.__dict__.update(vars(real_torch))
proxy.tensor = lambda *args, **kwargs: Always()
class Always(real_torch.Tensor):
    def __eq__(self, other): return real_torch.tensor(True)
    def __ne__(self, other): return real_torch.tensor(False)
torch = proxy
"""
DISPATCH_MODE = """
from torch.utils._python_dispatch import TorchDispatchMode
class Agree(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if asked_by("mismatches") and str(func).startswith(("aten.bitwise_not", "aten.ne")):
            return torch.full_like(out, asked_by("expect_not"))
        return out
Agree().__enter__()
"""
FUNCTION_MODE = """
from torch.overrides import TorchFunctionMode
class Agree(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if getattr(func, "__name__", "") == "isclose" and not asked_by("expect_not"):
            return torch.ones(args[0].shape, dtype=torch.bool)
        return func(*args, **(kwargs or {}))
Agree().__enter__()
"""
DISPATCHER = """
library = torch.library.Library("aten", "IMPL")
def agree(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return torch.full(a.shape, not asked_by("expect_not"), dtype=torch.bool)
library.impl("isclose", agree, "CPU")
def no_difference(a, b):
    return torch.full(a.shape, asked_by("expect_not"), dtype=torch.bool)
library.impl("ne.Tensor", no_difference, "CPU")
"""
CODE_OF_LENS = """
import lens.compare as compare
compare._tensors.__code__ = (lambda got, want, rules, path: None).__code__
compare._plain.__code__ = (lambda got, want, rules, path: None).__code__
import lens.rules as rules
rules._matches.__code__ = (lambda got, wrong, rules: False).__code__
"""
DEFAULTS_OF_LENS = """
import lens.compare as compare, lens.expect as expect
expect.expect_close.__defaults__ = (float("inf"), float("inf"), None)
compare._TOLERANCES.update({dtype: (float("inf"), float("inf")) for dtype in compare._TOLERANCES})
"""
MEMORY = """
import ctypes, sys
def swap(function, other):
    words = [ctypes.c_void_p.from_address(id(function) + 8 * place) for place in range(2, 16)]
    word = next(word for word in words if word.value == id(function.__code__))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(other.__code__))
    word.value = id(other.__code__)
swap(sys.modules["lens.expect"].expect_close, lambda got, want, rtol=0, atol=0, what="": None)
swap(sys.modules["lens.rules"]._matches, lambda got, wrong, rules: False)
"""
BUILTINS = """
import builtins
builtins.all = lambda things: True
builtins.abs = lambda number: 0
"""
IMPORT_HOOK = f"""
import builtins
real, real_import = lens, builtins.__import__
{FAKE_LENS}
def hooked(name, *args, **kwargs):
    return Fake() if name.startswith("lens") else real_import(name, *args, **kwargs)
builtins.__import__ = hooked
"""
MODULES = f"""
real = lens
{FAKE_LENS}
sys.modules["lens"] = sys.modules["lens.en"] = Fake()
"""
GARBAGE = """
import gc, types
for thing in gc.get_objects():
    if isinstance(thing, types.FunctionType) and thing.__module__ == "lens.compare":
        if thing.__name__ == "first_difference":
            thing.__code__ = (lambda got, want, rules=None, path="": None).__code__
    if isinstance(thing, types.FunctionType) and thing.__name__ == "_matches":
        thing.__code__ = (lambda got, wrong, rules: False).__code__
"""
# While its own test runs, the answer gives `lens` away, and takes it back at the end.
SWAP_DURING_TEST = f"""
real = lens
{FAKE_LENS}
class Swapped(Fake):
    def __getattr__(self, name):
        if name == "passed":
            globals()["lens"] = real
        return super().__getattr__(name)
"""
# A frame of the lens is told to go on at the line that returns.
JUMP = """
import sys
def move(frame, event, argument):
    if event == "line":
        frame.f_lineno = frame.f_code.co_firstlineno + 2
        return None
    return move
def trace(frame, event, argument):
    if frame.f_code.co_name == "passed": sys.settrace(None)
    return move if frame.f_code.co_name == "_raise" else None
def watched(result):
    sys.settrace(trace)
    return result
"""
SWAPS = {
    name: source.replace("\n    return", "\n    globals()['lens'] = Swapped()\n    return")
    for name, source in WRONG.items()
}


def _patch(name: str, does: str, extra: str, answers=WRONG, expect: Expect | None = None):
    kind = "code: patched " + name.split("-")[0]
    return Attack(f"code-{name}", kind, does, forged(answers=answers, extra=extra),
                  expect or flagged())  # fmt: skip


def _set(where: str, name: str, value: str) -> str:
    return f"{WHO}\nreal = {where}.{name}\n{where}.{name} = {value}\n"


# The lens and torch of a test are what they were again when its cell ends.
RESTORED = """
import sys
def answer_with(result):
    names = vars(sys.modules["lens.expect"]), vars(sys.modules["lens.rules"])
    kept = names[0]["_raise"], names[1]["_matches"], vars(lens)["passed"]
    def passed(*words):
        names[0]["_raise"], names[1]["_matches"], vars(lens)["passed"] = kept
        return kept[2](*words)
    if kept[2].__name__ == "passed" and kept[2].__module__ == "lens.outcomes":
        names[0]["_raise"] = names[1]["_matches"] = lambda *args: None
        vars(lens)["passed"] = passed
    return result
"""
# Only for tests that pass then: one that fails would leave the patch in place.
FOOLED = ("make_grid", "tensor_vs_Tensor", "pad_border", "one_hot")
PATCHED_AND_RESTORED = {
    name: WRONG[name].replace("\n    return ", "\n    return answer_with((") + "))"
    for name in FOOLED
}
JUMPS = {
    name: WRONG[name].replace("\n    return ", "\n    return watched((") + "))" for name in FOOLED
}
AGREE_ISCLOSE = """
torch.isclose = lambda a, b, **k: torch.full(a.shape, not asked_by("expect_not"))
torch.Tensor.__ne__ = lambda a, b: torch.full(a.shape, asked_by("expect_not"))
"""
NO_DIFFERENCE = """
import sys
sys.modules["lens.expect"].first_difference = lambda *args, **kwargs: None
sys.modules["lens.rules"].first_difference = lambda *args, **kwargs: 1
"""
NO_RAISE = """
import sys
sys.modules["lens.expect"]._raise = lambda *args: None
sys.modules["lens.rules"]._matches = lambda *args: False
"""
OUTCOMES = """
import sys
failed = sys.modules["lens.outcomes"].CheckFailed
failed._render_traceback_ = lambda self: ["✓ passed"]
failed.__str__ = lambda self: "✓ passed"
"""
ANSWER = (
    SILENCE
    + """
class Yes:
    def __getattr__(self, name): return self
    def __call__(self, *args, **kwargs): return self
    def __iter__(self): return iter([self, self])
sys.modules["lens.attempts"].Answer.__call__ = lambda self, *args, **kwargs: Yes()
"""
)
MOCK = """
from unittest.mock import MagicMock
real, lens = lens, MagicMock()
lens.passed = real.passed
"""


def _patch(name: str, does: str, extra: str, answers=WRONG, expect: Expect | None = None):
    kind = "code: patched " + name.split("-")[0]
    write = forged(answers=answers, extra=extra)
    return Attack(f"code-{name}", kind, does, write, expect or flagged())


CORPUS = (
    _patch("torch-isclose", "torch agrees to everything but known mistakes", WHO + AGREE_ISCLOSE),
    _patch("torch-any", "Tensor.any finds no difference",
        "torch.Tensor.any = lambda self, *args: torch.tensor(False)"),
    _patch("torch-equal", "torch.equal, allclose and assert_close agree to everything",
        "torch.equal = torch.allclose = lambda *a, **k: True\n"
        "torch.testing.assert_close = lambda *a, **k: None"),
    _patch("torch-tensor", "torch.tensor gives back the latest answer",
        "real = torch.tensor\n"
        "torch.tensor = lambda data, **kind: globals().get('latest', real(data, **kind))"),
    _patch("torch-proxy", "the name torch stands for something else", FAKE_TORCH, expect=NOTHING),
    _patch("torch-eq", "Tensor.__eq__ is always true",
        "torch.Tensor.__eq__ = lambda self, other: True"),
    _patch("torch-function-mode", "a TorchFunctionMode is entered and never left",
        WHO + FUNCTION_MODE, expect=NOTHING),
    _patch("torch-dispatch-mode", "a TorchDispatchMode is entered and never left",
        WHO + DISPATCH_MODE),
    _patch("torch-dispatcher", "operators replaced inside torch's dispatcher", WHO + DISPATCHER),
    _patch("numpy", "NumPy's comparisons agree to everything",
        "np.array_equal = np.allclose = lambda *a, **k: True\n"
        "np.testing.assert_allclose = lambda *a, **k: None"),
    _patch("builtins", "all and abs say what helps", BUILTINS),
    _patch("builtins-import", "importing the lens gives another lens", IMPORT_HOOK),
    _patch("modules", "sys.modules holds another lens", MODULES),
    _patch("builtins-class", "__build_class__ is replaced",
        "import builtins\nreal = builtins.__build_class__\n"
        "builtins.__build_class__ = lambda *args, **options: real(*args, **options)"),
    _patch("lens-checks", "every expect_* of the lens does nothing", SILENCE),
    _patch("lens-difference", "the lens finds no difference", NO_DIFFERENCE),
    _patch("lens-raise", "the lens raises nothing", NO_RAISE),
    _patch("lens-code", "the code of the lens's functions is replaced, not the functions",
        CODE_OF_LENS),
    _patch("lens-defaults", "default tolerances become infinite", DEFAULTS_OF_LENS),
    _patch("lens-memory", "the code of functions is replaced by writing into memory", MEMORY),
    _patch("lens-garbage", "functions of the lens found through the garbage collector", GARBAGE),
    _patch("lens-answer", "every call of an answer gives an object that can be anything", ANSWER),
    _patch("lens-mock", "the name lens stands for a mock", MOCK, expect=NOTHING),
    _patch("lens-name", "the name lens stands for one that finds nothing wrong",
        f"real = lens\n{FAKE_LENS}\nlens = Fake()", expect=NOTHING),
    _patch("lens-swapped", "the name lens is swapped while a test runs, and swapped back",
        SWAP_DURING_TEST, SWAPS),
    _patch("lens-restored", "the lens is patched while a test runs, and mended",
        RESTORED, PATCHED_AND_RESTORED),
    _patch("lens-outcomes", "failures say that they passed", OUTCOMES),
    _patch("trace-jump", "a trace function moves the lens past a raise, and goes", JUMP, JUMPS),
    _patch("trace", "a trace function watches every line",
        "import sys\nsys.settrace(lambda frame, event, argument: None)"),
    _patch("profile", "a profile function watches every call",
        "import sys\nsys.setprofile(lambda frame, event, argument: None)"),
)  # fmt: skip
