"""The learner's source as a syntax tree, and questions about it that a run cannot answer."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from functools import cached_property

ACCEPTED = re.compile(r"#.*\bwatch:\s*ok\b")
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Module)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Source:
    """One file or cell; without source at hand the tree is empty."""

    def __init__(self, filename: str):
        self.filename = filename
        self.lines = linecache.getlines(filename)
        self._found: dict[int, list[ast.stmt]] = {}

    @cached_property
    def tree(self) -> ast.Module:
        try:
            return ast.parse("".join(self.lines))
        except (SyntaxError, ValueError):
            return ast.Module([], [])

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        pairs = ((child, node) for node in ast.walk(self.tree) for child in _children(node))
        return dict(pairs)

    @cached_property
    def _statements(self) -> list[ast.stmt]:
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.stmt)]

    @cached_property
    def _by_position(self) -> dict[tuple, ast.AST]:
        found = {}
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.expr, ast.stmt)) and not isinstance(node, ast.Expr):
                found.setdefault(_position(node), node)
        return found

    def node_at(self, position: tuple | None) -> ast.AST | None:
        """The expression (or statement such as `x += 1`) at exactly this position."""
        return self._by_position.get(position)

    def text(self, line: int) -> str:
        """A line as it stands, without what surrounds it."""
        return self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""

    def accepted(self, line: int) -> bool:
        """Whether the line bears the comment `# watch: ok`."""
        return bool(ACCEPTED.search(self.text(line)))

    def statements_at(self, line: int) -> list[ast.stmt]:
        """The innermost statements that cover a line."""
        if line not in self._found:
            found = [n for n in self._statements if n.lineno <= line <= n.end_lineno]
            inner = {self.parents.get(n) for n in found}
            self._found[line] = [n for n in found if n not in inner]
        return self._found[line]

    def ancestors(self, node: ast.AST | None) -> Iterator[ast.AST]:
        """What a node stands in, from the inside out."""
        while (node := self.parents.get(node)) is not None:
            yield node

    def scope(self, node: ast.AST) -> ast.AST:
        """The function, or the module, that a node belongs to."""
        return next((a for a in self.ancestors(node) if isinstance(a, SCOPES)), self.tree)

    def loop(self, node: ast.AST) -> ast.AST | None:
        """The innermost loop around a node within its own function."""
        for each in self.ancestors(node):
            if isinstance(each, SCOPES):
                return None
            if isinstance(each, LOOPS + COMPREHENSIONS):
                return each
        return None

    def loop_at(self, line: int) -> ast.AST | None:
        """The innermost loop around the statements of a line."""
        loops = [self.loop(s) or _comprehension(s) for s in self.statements_at(line)]
        return next((each for each in loops if each is not None), None)

    def function_at(self, line: int) -> str:
        """The name of the function that a line stands in, "" at the top."""
        for statement in self.statements_at(line):
            scope = self.scope(statement)
            if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return scope.name
        return ""

    def assigned_at(self, line: int) -> list[str]:
        """The plain names that the statements of a line bind."""
        return [name for s in self.statements_at(line) for name in targets(s)]

    def read_after(self, name: str, line: int, scope: ast.AST | None = None) -> int | None:
        """The first line after `line` that reads a name which was not bound anew in between."""
        uses = [n for n in ast.walk(scope or self.tree) if isinstance(n, ast.Name) and n.id == name]
        for use in sorted(uses, key=lambda n: (n.lineno, not isinstance(n.ctx, ast.Load))):
            if use.lineno > line and not self._is_written(use):
                return use.lineno if isinstance(use.ctx, ast.Load) else None
        return None

    def _is_written(self, name: ast.Name) -> bool:
        """`x[0] = …` writes to x; it does not read it."""
        parent = self.parents.get(name)
        return isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Store)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    return ast.iter_child_nodes(node)


def _position(node: ast.AST) -> tuple:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _comprehension(statement: ast.stmt) -> ast.AST | None:
    inside = (n for n in ast.walk(statement) if isinstance(n, COMPREHENSIONS))
    return next(inside, None) if not hasattr(statement, "body") else None


def targets(statement: ast.stmt) -> list[str]:
    """The plain names that an assignment binds."""
    if isinstance(statement, ast.Assign):
        parts = [n for target in statement.targets for n in ast.walk(target)]
    elif isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
        parts = [statement.target]
    else:
        return []
    return [n.id for n in parts if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def calls(node: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """Every call inside a node, with the last name of what is called: `x.to(…)` gives "to"."""
    for each in ast.walk(node):
        if isinstance(each, ast.Call):
            yield each, called(each)


def called(call: ast.Call) -> str:
    """The last name of what is called."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
