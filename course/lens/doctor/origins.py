"""Where a name got its value: the assignment in the learner's own code, found by reading it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache

from lens.doctor.rewriting import enclosing_function
from lens.doctor.scene import Scene


@dataclass(frozen=True)
class Origin:
    """The statement that gave a name its value; `line` is 0 where it stands in another cell."""

    name: str
    statement: ast.stmt
    value: ast.expr
    line: int
    here: bool = True

    @property
    def text(self) -> str:
        return ast.unparse(self.statement)

    @property
    def calls(self) -> set[str]:
        """Names of functions and methods that the statement calls."""
        calls = [n.func for n in ast.walk(self.value) if isinstance(n, ast.Call)]
        return {f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "") for f in calls}


def origin(scene: Scene, name: str, before: int | None = None) -> Origin | None:
    """The last assignment to a name before the failing line, in its function or at the top."""
    if scene.tree is None:
        return None
    home = enclosing_function(scene) or scene.tree
    before = before or scene.statement.lineno
    found = _last(home, name, before)
    if found is None and home is not scene.tree and name not in _parameters(home):
        found = _last(scene.tree, name, 10**9)
    return found or _in_other_cells(scene, name)


def chain(scene: Scene, name: str, depth: int = 6) -> list[Origin]:
    """The assignments behind a name, each followed through the names that it uses."""
    found, waiting, done = [], [(name, None)], set()
    while waiting and len(found) < depth:
        each, before = waiting.pop(0)
        step = None if each in done else origin(scene, each, before)
        done.add(each)
        if step is None:
            continue
        found.append(step)
        used = [n.id for n in ast.walk(step.value) if isinstance(n, ast.Name)]
        waiting += [(n, step.statement.lineno if step.here else None) for n in used]
    return found


def _parameters(function: ast.FunctionDef) -> set[str]:
    return {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}


def _last(home: ast.AST, name: str, before: int, here: bool = True) -> Origin | None:
    found = None
    for node in _walk_scope(home):
        if isinstance(node, ast.Assign) and node.lineno < before:
            value = _value_for(node, name)
            if value is not None and (found is None or node.lineno > found.statement.lineno):
                found = Origin(name, node, value, node.lineno if here else 0, here)
    return found


def _walk_scope(home: ast.AST):
    waiting = list(ast.iter_child_nodes(home))
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def _value_for(node: ast.Assign, name: str) -> ast.expr | None:
    for target in node.targets:
        if isinstance(target, ast.Name) and target.id == name:
            return node.value
        if isinstance(target, ast.Attribute) and ast.unparse(target) == name:
            return node.value
        if isinstance(target, ast.Tuple):
            names = [getattr(each, "id", "") for each in target.elts]
            if name in names:
                pairs = isinstance(node.value, ast.Tuple) and len(node.value.elts) == len(names)
                return node.value.elts[names.index(name)] if pairs else node.value
    return None


def _in_other_cells(scene: Scene, name: str) -> Origin | None:
    cells = scene.frame.f_globals.get("In")
    for source in reversed(cells) if type(cells) is list else ():
        tree = None if source.strip() == scene.source.strip() else _tree(source)
        if tree and (found := _last(tree, name, 10**9, here=False)):
            return found
    return None


@lru_cache(maxsize=200)
def _tree(source: str) -> ast.Module | None:
    """A cell, each node of which carries the cell's source; None where it is not plain Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        node.source = source
    return tree
