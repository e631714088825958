"""Stated rules and known mistakes: no loop, no such operation, not this wrong answer, this error."""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType

import torch
from torch.overrides import TorchFunctionMode, resolve_name

from lens.attempts import Answer
from lens.compare import Rules, first_difference
from lens.language import say
from lens.outcomes import AnswerRaised, CheckFailed, Outcome, error_text, failed, pick
from lens.stubs import code_of, syntax_of
from lens.summary import summarise

_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS_IN_DISGUISE = {"map", "filter", "reduce", "vectorize", "apply_along_axis", "fromiter"}


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
def expect_raises(kind: type[BaseException] | tuple, why: str = "", text: str = "") -> Iterator[None]:
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
def on_error(kind: type[BaseException] | tuple, why: str, text: str = "") -> Iterator[None]:
    """Known mistakes that raise: an error of this kind (with `text` in it) is explained by `why`.

    The outcome stays AnswerRaised; other errors pass as they are.
    """
    try:
        yield
    except AnswerRaised as outcome:
        if not isinstance(outcome.error, kind) or text not in str(outcome.error):
            raise
        first, *rest = str(outcome).splitlines()
        message = "\n".join([f"{first.rstrip()}{say(' ', '')}{pick(why)}", *rest])
        told = AnswerRaised(message, outcome.error, outcome.where)
    else:
        return
    raise told from None


def expect_no_loop(answer: str | Callable, why: str | None = None) -> None:
    """The learner's function (or class, by name or itself) has no Python loop.

    `for`, `while`, comprehensions, `map` and its kin count, also in functions of their own that it
    calls. Read from the source; where there is none, from the bytecode.
    """
    if isinstance(answer, str):
        answer = sys._getframe(1).f_globals[answer]
    target = answer.target if isinstance(answer, Answer) else answer
    found = _loop_in(target, set())
    if found:
        raise failed(
            say("A rule of this exercise: no Python loop.", "本题的规则：不用 Python 循环。"),
            got=found,
            then=pick(why or "Let one tensor operation do the work for all elements at once. || "
            "让一次张量运算同时处理所有元素。"),
        )


def _loop_in(target: object, seen: set) -> str | None:
    """Where the first loop is, as text; None when there is none."""
    members = vars(target).values() if inspect.isclass(target) else [target]
    for member in members:
        code = code_of(member)
        if code is None or code in seen:
            continue
        seen.add(code)
        line = _loop_line(code)
        if line is not None:
            return _place(code, line)
        for helper in _helpers(member):
            if found := _loop_in(helper, seen):
                return found
    return None


def _helpers(member: object) -> Iterator[Callable]:
    """The functions of the same notebook that a function names."""
    function = inspect.unwrap(getattr(member, "__func__", member))
    names = getattr(function, "__globals__", {})
    for name in function.__code__.co_names if names else ():
        helper = names.get(name)
        helper = helper.target if isinstance(helper, Answer) else helper
        if isinstance(helper, FunctionType) and helper.__globals__ is names:
            yield helper


def _loop_line(code: CodeType) -> int | None:
    node = syntax_of(code)
    if node is None:
        return _loop_line_of_bytecode(code)
    loops = [each.lineno for each in ast.walk(node) if _is_loop(each)]
    return min(loops, default=None)


def _is_loop(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", None))
        plain = isinstance(node.func, ast.Name)
        return name in _LOOPS_IN_DISGUISE and (plain or name not in ("map", "filter"))
    return isinstance(node, _LOOPS)


def _loop_line_of_bytecode(code: CodeType) -> int | None:
    """`for` always; `while` only where no `try` or `with` could be what jumps back."""
    names = {"FOR_ITER"} if code.co_exceptiontable else {"FOR_ITER", "JUMP_BACKWARD"}
    for step in dis.get_instructions(code):
        back = "BACKWARD" in step.opname and not code.co_exceptiontable
        if step.opname in names or back:
            return step.positions.lineno or code.co_firstlineno
        if isinstance(step.argval, CodeType):
            inner = _loop_line_of_bytecode(step.argval)
            if inner is not None:
                return inner
    return None


def _place(code: CodeType, line: int) -> str:
    text = linecache.getline(code.co_filename, line).strip()
    place = say(f"line {line} of `{code.co_name}`'s cell", f"`{code.co_name}` 所在单元格第 {line} 行")
    return place + (say(": ", "：") + f"`{text}`" if text else "")


@contextmanager
def forbid(*operations: str, why: str | None = None) -> Iterator[None]:
    """Inside the block, none of these torch operations is called, in whatever form.

    `"softmax"`, `"torch.softmax"` and `"Tensor.softmax"` all forbid `torch.softmax(x)`,
    `x.softmax()`, `F.softmax(x)`, `nn.Softmax()(x)` and `x.softmax_()`; operators go by their names
    (`"matmul"` is also `@`, `"add"` also `+`), properties too (`"T"`). A name that ends in `_`
    forbids the in-place form only. Everything in the block counts, the test's own operations too:
    compute what is expected outside.
    """
    wanted = {_bare(each): each for each in operations}
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
    name = resolve_name(func) or getattr(func, "__qualname__", repr(func))
    return name.removesuffix(".__get__").replace("torch.Tensor.", "Tensor.")


def _bare(name: str) -> str:
    """`torch.softmax` → `softmax`, `Tensor.__matmul__` → `matmul`, `Tensor.__iadd__` → `add_`."""
    name = name.rsplit(".", 1)[-1]
    if not (name.startswith("__") and name.endswith("__")):
        return name
    name = name.strip("_")
    names = {"truediv": "div", "floordiv": "floor_divide", "mod": "remainder"}
    for prefix, suffix in (("", ""), ("i", "_"), ("r", "")):
        rest = name[len(prefix) :]
        if name.startswith(prefix) and rest in _OPERATORS:
            return names.get(rest, rest) + suffix
    return name


_OPERATORS = {"add", "sub", "mul", "matmul", "truediv", "div", "floordiv", "mod", "pow"}
_OPERATORS |= {"and", "or", "xor", "eq", "ne", "lt", "le", "gt", "ge", "neg"}
