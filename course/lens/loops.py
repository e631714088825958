"""The rule "no Python loop", read from the learner's source, else from the bytecode."""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType

from lens.attempts import Answer
from lens.language import say
from lens.outcomes import NO_CALL, failed, pick
from lens.stubs import code_of, syntax_of

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.AsyncFor, ast.While, *_COMPREHENSIONS)
_DISGUISED_NAMES = {"map", "filter", "reduce"}  # as `map(…)`
_DISGUISED_ATTRIBUTES = {"vectorize", "apply_along_axis", "fromiter", "reduce", "map_", "apply_"}


def expect_no_loop(answer: str | Callable, why: str | None = None) -> None:
    """The learner's function (or class, by name or itself) has no Python loop.

    `for`, `while`, comprehensions, `map` and its kin count, also in functions of their own that it
    calls. Read from the source; where there is none, from the bytecode.
    """
    if isinstance(answer, str):
        answer = sys._getframe(1).f_globals[answer]
    target = answer.target if isinstance(answer, Answer) else answer
    if found := loop_in(target):
        step = say(
            "Let one tensor operation work on all elements at once.",
            "让一次张量运算同时处理所有元素。",
        )
        raise failed(
            say("A rule of this exercise: no Python loop.", "本题的规则：不用 Python 循环。"),
            got=found,
            then=pick(why) if why else step,
            about=NO_CALL,
        )


def loop_in(target: object, seen: set | None = None) -> str | None:
    """Where the first loop of a function or class is, as text; None when there is none."""
    seen = set() if seen is None else seen
    members = vars(target).values() if inspect.isclass(target) else [target]
    for member in members:
        code = code_of(member)
        if code is None or code in seen:
            continue
        seen.add(code)
        line = _line_of_loop(code)
        if line is not None:
            return _place(code, line)
        for helper in _helpers(member):
            if found := loop_in(helper, seen):
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


def _line_of_loop(code: CodeType) -> int | None:
    node = syntax_of(code)
    if node is None:
        return _line_of_loop_in_bytecode(code)
    return min((each.lineno for each in ast.walk(node) if _is_loop(each)), default=None)


def _is_loop(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in _DISGUISED_NAMES | _DISGUISED_ATTRIBUTES
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in _DISGUISED_ATTRIBUTES
    return isinstance(node, _LOOPS)


def _line_of_loop_in_bytecode(code: CodeType) -> int | None:
    """`for` always; `while` only where no `try` or `with` could be what jumps back."""
    for step in dis.get_instructions(code):
        back = "BACKWARD" in step.opname and not code.co_exceptiontable
        if step.opname == "FOR_ITER" or back:
            return step.positions.lineno or code.co_firstlineno
        if isinstance(step.argval, CodeType):
            inner = _line_of_loop_in_bytecode(step.argval)
            if inner is not None:
                return inner
    return None


def _place(code: CodeType, line: int) -> str:
    text = linecache.getline(code.co_filename, line).strip()
    name = code.co_name
    place = say(f"line {line} of the cell of `{name}`", f"`{name}` 所在单元格第 {line} 行")
    return place + (say(": ", "：") + f"`{text}`" if text else "")
