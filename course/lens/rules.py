"""Known mistakes and stated rules: not this wrong answer, this error, no such operation."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch.overrides import TorchFunctionMode, resolve_name

from lens import calls
from lens.compare import Rules, first_difference
from lens.frames import own_frames, where
from lens.language import say
from lens.outcomes import (
    AnswerRaised,
    CheckFailed,
    Outcome,
    error_rows,
    error_text,
    explained,
    failed,
    pick,
    raised,
)
from lens.summary import summarise


def expect_not(got: object, wrong: object, why: str, same_dtype: bool = True) -> None:
    """`got` is not this known wrong answer; else CheckFailed says `why` it is wrong.

    `wrong` is what the mistake produces for these inputs: a tensor (same shape, dtype and close
    values), or a plain value or a container, compared as `expect_close` does; or a function of
    `got` that recognises the mistake, where an error counts as no; or a bool, the condition itself.
    A `got` of another type never matches. The author must choose inputs for which the wrong and the
    right answer differ: where they coincide, a right answer would be refused. `same_dtype=False`
    recognises the wrong values in any dtype.
    """
    if _matches(got, wrong, Rules(dtype=same_dtype)):
        raise failed(pick(why), got=summarise(got), about=got)


def _matches(got: object, wrong: object, rules: Rules) -> bool:
    if isinstance(wrong, bool):
        return wrong
    try:
        if isinstance(wrong, torch.Tensor):
            condition = wrong.dtype is torch.bool and wrong.ndim == 0
            if condition and not (isinstance(got, torch.Tensor) and got.dtype is torch.bool):
                return bool(wrong)
        elif callable(wrong) and not isinstance(wrong, type):
            return bool(wrong(got))
        return first_difference(got, wrong, rules) is None
    except Exception:
        return False


@contextmanager
def expect_raises(kind: type | tuple, why: str = "", text: str = "") -> Iterator[None]:
    """Inside the block, the answer must raise this kind of error (with `text` in its message)."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    error = None
    try:
        yield
    except AnswerRaised as outcome:
        if outcome.error is None:
            raise
        error = outcome.error
    except Outcome:
        raise
    except Exception as plain:
        error = plain
    if isinstance(error, kinds) and text in str(error):
        return
    names = say(" or ", " 或 ").join(f"`{each.__name__}`" for each in kinds)
    raise failed(
        say("An error was due here.", "这里应当报错。"),
        expected=names + (f": {text}" if text else ""),
        got=error_text(error) if error else say("no error", "没有报错"),
        then=pick(why)
        or say("Check the inputs first, and `raise`.", "先检查输入，不合要求就 `raise`。"),
    ) from None


@contextmanager
def on_error(kind: type | tuple, why: str, text: str = "") -> Iterator[None]:
    """Known mistakes that raise: an error of this kind (with `text` in it) is explained by `why`.

    The outcome stays AnswerRaised; other errors pass as they are.
    """
    namespace, cell = sys._getframe(2).f_globals, sys._getframe(2)
    try:
        yield
        return
    except Outcome as outcome:
        error = getattr(outcome, "error", None)
        if not isinstance(error, kind) or text not in str(error):
            raise
        told = AnswerRaised(explained(str(outcome), pick(why)), error, outcome.where)
    except Exception as error:
        if not isinstance(error, kind) or text not in str(error):
            raise
        own = [step for step in own_frames(error, namespace) if step[0] is not cell]
        rows = error_rows("", error, where(*own[-1]) if own else "", "")
        told = raised(calls.current(), pick(why), rows, error)
    raise told from None


@contextmanager
def forbid(*operations: str, why: str | None = None) -> Iterator[None]:
    """Inside the block, none of these torch operations is called, in whatever form.

    `"softmax"`, `"torch.softmax"` and `"Tensor.softmax"` all forbid `torch.softmax(x)`,
    `x.softmax()`, `F.softmax(x)`, `nn.Softmax()(x)` and `x.softmax_()`. Operators go by their names
    (`"matmul"` is also `@`, `"add"` also `+`), so do properties (`"T"`) and `"__getitem__"`. A name
    that ends in `_` forbids the in-place form only. Everything in the block counts, the test's own
    operations too: compute what is expected outside. ValueError for a name that torch lacks.
    """
    wanted = {_bare(each): each for each in map(_must_exist, operations)}
    log = _Log(wanted, why)
    with log:
        yield
    if log.broken:  # the learner's code swallowed the first report
        raise log.report()


class _Log(TorchFunctionMode):
    def __init__(self, wanted: dict[str, str], why: str | None):
        super().__init__()
        self.wanted, self.why, self.broken = wanted, why, ""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        name = public_name(func)
        bare = _bare(name)
        if bare in self.wanted or bare.rstrip("_") in self.wanted:
            self.broken = self.broken or name
            raise self.report()
        return func(*args, **(kwargs or {}))

    def report(self) -> CheckFailed:
        names = say(", ", "、").join(f"`{each}`" for each in self.wanted.values())
        return failed(
            say(f"A rule of this exercise: without {names}.", f"本题的规则：不用 {names}。"),
            got=say(f"a call of `{self.broken}`", f"调用了 `{self.broken}`"),
            then=pick(self.why or "Build it from other operations. || 请用别的运算来实现。"),
        )


def public_name(func: Callable) -> str:
    """The name a reader knows a torch function by: `torch.softmax`, `Tensor.view`."""
    plain = f"{getattr(func, '__module__', '')}.{getattr(func, '__qualname__', func)}"
    name = resolve_name(func) or plain
    return name.removesuffix(".__get__").replace("torch.Tensor.", "Tensor.")


_NAMES = {  # of operators: as methods are called
    "truediv": "div",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "invert": "bitwise_not",
}
_TWO_SIDED = {
    "add",
    "sub",
    "mul",
    "matmul",
    "pow",
    "truediv",
    "floordiv",
    "mod",
    "and",
    "or",
    "xor",
}
_HOMES = (torch, torch.Tensor, torch.nn.functional, torch.linalg, torch.special, torch.fft)


def _bare(name: str) -> str:
    """`torch.softmax` → `softmax`, `Tensor.__matmul__` → `matmul`, `Tensor.__ipow__` → `pow_`."""
    if "autograd." in name:
        return name  # `torch.autograd.grad` is not `Tensor.grad`
    name = name.rsplit(".", 1)[-1]
    if not name.startswith("__"):
        return _NAMES.get(name, name)
    name = name.strip("_")
    if name[1:] in _TWO_SIDED and name[0] in "ir":
        return _NAMES.get(name[1:], name[1:]) + ("_" if name[0] == "i" else "")
    return _NAMES.get(name, name)


def _must_exist(operation: str) -> str:
    """The operation; ValueError for one that torch does not have: it would forbid nothing."""
    bare = _bare(operation)
    names = (bare, f"__{bare}__")
    if "autograd." in bare or any(hasattr(home, name) for home in _HOMES for name in names):
        return operation
    raise ValueError(f"forbid: expected names of torch operations, got {operation!r}")
