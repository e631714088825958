"""Is an answer still the stub that was handed out? Read from the source, else from the bytecode."""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
from functools import lru_cache
from types import CodeType, FunctionType

_SILENT = {"RESUME", "PRECALL", "CACHE", "NOP", "PUSH_NULL", "COPY_FREE_VARS", "MAKE_CELL"}


def untouched(target: object) -> list[str]:
    """The names of the functions in an answer (a function or a class) that are still stubs."""
    if inspect.isclass(target):
        return [
            f"{target.__name__}.{name}"
            for name, member in vars(target).items()
            if (code := code_of(member)) and is_stub(code)
        ]
    code = code_of(target)
    return [target.__name__] if code and is_stub(code) else []


def code_of(member: object) -> CodeType | None:
    """The code of a function, also of a decorated one, a method, a property; None for the rest."""
    if isinstance(member, property):
        member = member.fget
    member = getattr(member, "__func__", member)
    if not callable(member) or inspect.isclass(member):
        return None
    member = inspect.unwrap(member)
    return member.__code__ if isinstance(member, FunctionType) else None


def is_stub(code: CodeType) -> bool:
    """Whether `raise NotImplementedError()` is all that it does, besides a docstring."""
    node = syntax_of(code)
    if node is None:
        return _is_stub_bytecode(code)
    if isinstance(node, ast.Lambda):
        return False
    body = node.body
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    return len(body) == 1 and _raises_not_implemented(body[0])


def _raises_not_implemented(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Raise):
        return False
    raised = statement.exc
    if isinstance(raised, ast.Call):
        raised = raised.func
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _is_stub_bytecode(code: CodeType) -> bool:
    steps = [step for step in dis.get_instructions(code) if step.opname not in _SILENT]
    names = [step.opname for step in steps if step.opname not in ("LOAD_CONST", "CALL")]
    return names == ["LOAD_GLOBAL", "RAISE_VARARGS"] and steps[0].argval == "NotImplementedError"


def syntax_of(code: CodeType) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
    """The syntax tree of a function's own definition; None when its source is not to be had."""
    tree = _parse("".join(linecache.getlines(code.co_filename)))
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Lambda):
            name, first = "<lambda>", node.lineno
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            name = node.name
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        else:
            continue
        if name == code.co_name and first == code.co_firstlineno:
            return node
    return None


@lru_cache(maxsize=64)
def _parse(source: str) -> ast.Module | None:
    try:
        return ast.parse(source) if source else None
    except (SyntaxError, ValueError):
        return None
