"""Corrected code: the learner's own statement with a part of it replaced."""

from __future__ import annotations

import ast
import textwrap

from lens.doctor.scene import Scene
from lens.language import say

LONGEST_FUNCTION = 20  # lines; a longer function is not written out again


def span(source: str, node: ast.AST) -> tuple[int, int]:
    """The bytes of the source that a node covers, as (start, end)."""
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    start = starts[node.lineno - 1] + node.col_offset
    return start, starts[node.end_lineno - 1] + node.end_col_offset


def rewrite(source: str, whole: ast.AST, edits: dict[ast.AST, str]) -> str:
    """The text of `whole` with the texts of some nodes inside it replaced.

    Nodes of another cell carry their own source.
    """
    source = getattr(whole, "source", source)
    text, (begin, end) = source.encode(), span(source, whole)
    for node, new in sorted(edits.items(), key=lambda e: -span(source, e[0])[0]):
        start, stop = span(source, node)
        text = text[:start] + new.encode() + text[stop:]
        end += len(new.encode()) - (stop - start)
    indent = " " * whole.col_offset
    return textwrap.dedent(indent + text[begin:end].decode()).strip()


def header_only(statement: ast.stmt) -> bool:
    """Whether it is an `if`, a loop or another statement with a body of its own."""
    return hasattr(statement, "body")


def statement_with(scene: Scene, edits: dict[ast.AST, str]) -> str:
    """The failing statement with these replacements; of a compound one, the head."""
    statement = scene.statement
    if not header_only(statement):
        return rewrite(scene.source, statement, edits)
    whole = rewrite(scene.source, statement, edits)
    first = statement.body[0]
    lines = first.lineno - statement.lineno
    if lines == 0:
        return whole.splitlines()[0]
    head = whole.splitlines()[: lines + sum(new.count("\n") for new in edits.values())]
    while head and head[-1].strip().startswith(("#", "@")):
        head.pop()
    return "\n".join([*head, "    ..."])


def runnable(scene: Scene, code: str) -> str:
    """Code that can be run after the failure: inside a function, the function with the line mended.

    The outermost statement of the learner's is then run again.
    """
    function = enclosing_function(scene)
    if function is None:
        return code
    name, line = function.name, scene.line
    plain = say(f"# in `{name}`, line {line}", f"# `{name}` 第 {line} 行") + f"\n{code}"
    again = _outermost_statement(scene)
    if not again or not _can_be_repeated(scene, function):
        return plain
    body = _function_with(scene, function, code)
    rebound = _rebinding(scene, function)
    return "\n".join(filter(None, [body, rebound, again]))


def enclosing_function(scene: Scene) -> ast.FunctionDef | None:
    """The innermost `def` around the failing statement."""
    found = None
    for node in ast.walk(scene.tree) if scene.tree else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _holds(node, scene):
            found = node if found is None or node.lineno >= found.lineno else found
    return found


def _holds(node: ast.stmt, scene: Scene) -> bool:
    return any(each is scene.statement for each in ast.walk(node)) and node is not scene.statement


def _class_of(scene: Scene, function: ast.FunctionDef) -> ast.ClassDef | None:
    for node in scene.tree.body:
        if isinstance(node, ast.ClassDef) and function in node.body:
            return node
    return None


def _can_be_repeated(scene: Scene, function: ast.FunctionDef) -> bool:
    text = ast.get_source_segment(scene.source, function) or ""
    short = len(text.splitlines()) <= LONGEST_FUNCTION
    known = function in scene.tree.body or _class_of(scene, function) is not None
    plain = not function.decorator_list or all(
        isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list
    )
    return short and known and plain and "super(" not in text and "yield" not in text


def _function_with(scene: Scene, function: ast.FunctionDef, code: str) -> str:
    pad = " " * scene.statement.col_offset
    one_line = function.body[0].lineno == function.lineno
    if one_line:
        head = rewrite(scene.source, function, {}).split(":")[0]
        start = span(scene.source, function)[0]
        stop = span(scene.source, function.body[0])[0]
        head = scene.source.encode()[start:stop].decode().rstrip()
        lines = [rewrite(scene.source, each, {}) for each in function.body]
        at = [i for i, each in enumerate(function.body) if each is scene.statement]
        if at:
            lines[at[0]] = code
        return head + "\n" + textwrap.indent("\n".join(lines), "    ")
    new = code.replace("\n", "\n" + pad) + say("  # ← changed", "  # ← 改了这里")
    return rewrite(scene.source, function, {scene.statement: new})


def _rebinding(scene: Scene, function: ast.FunctionDef) -> str:
    home = _class_of(scene, function)
    if home is None:
        return ""
    static = any(isinstance(d, ast.Name) for d in function.decorator_list)
    value = f"staticmethod({function.name})" if static else function.name
    return f"{home.name}.{function.name} = {value}"


def _outermost_statement(scene: Scene) -> str:
    """The learner's statement at the top of the program that led to the failure."""
    outer = scene.outer
    if outer is None or header_only(outer.statement):
        return ""
    return rewrite(outer.source, outer.statement, {})
