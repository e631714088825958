"""Where it happened: the learner's frame, the exact expression, its operands, the layer."""

from __future__ import annotations

import ast
import inspect
import linecache
import sysconfig
import traceback
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import FrameType

import executing
from torch import nn

from lens.doctor.layers import Layer, failing_layer
from lens.doctor.names import UNKNOWN, Reader, is_plain_tensor
from lens.doctor.shadows import shadow

LENS = str(Path(__file__).resolve().parents[1])
LIBRARIES = tuple({*(sysconfig.get_path(k) for k in ("stdlib", "purelib", "platlib")), LENS})


@dataclass(frozen=True)
class Seen:
    """One operand: its text, its node, its value; `real` is False where only a shadow is known."""

    name: str
    node: ast.AST | None
    value: object
    real: bool = True

    @property
    def is_tensor(self) -> bool:
        return is_plain_tensor(self.value)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.value.shape) if self.is_tensor else ()

    @property
    def atom(self) -> str:
        """The text, ready to have `.T` or `[0]` put after it."""
        simple = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)
        whole = self.node is None or isinstance(self.node, simple)
        return self.name if whole else f"({self.name})"


@dataclass
class Scene:
    """An error and all that can be read about it without running anything."""

    error: BaseException
    frame: FrameType | None
    line: int
    node: ast.AST | None = None
    statement: ast.stmt | None = None
    source: str = ""
    tree: ast.Module | None = None
    callees: tuple[FrameType, ...] = ()
    frames: tuple[FrameType, ...] = ()
    known: dict[str, object] = field(default_factory=dict)
    outer: Scene | None = None

    @property
    def message(self) -> str:
        return str(self.error)

    @cached_property
    def reader(self) -> Reader:
        return Reader(self.frame, self.known)

    @cached_property
    def layer(self) -> Layer | None:
        return failing_layer(self.frames, self.callees, self.called)

    @property
    def called(self) -> str:
        """What the expression calls: `torch.cat`, `x.view`, `net`."""
        return self.text(self.node.func) if isinstance(self.node, ast.Call) else ""

    def text(self, node: ast.AST | None) -> str:
        """The source of a node on one line: as it is written where that is one line."""
        if node is None:
            return ""
        source = getattr(node, "source", self.source if id(node) in self._own else "")
        written = ast.get_source_segment(source, node) if source else None
        return written if written and "\n" not in written else ast.unparse(node)

    @cached_property
    def _own(self) -> set[int]:
        return {id(node) for node in ast.walk(self.tree)} if self.tree else set()

    @cached_property
    def operands(self) -> tuple[Seen, ...]:
        """The operands of the expression that are tensors or other data, in order of appearance."""
        found: dict[str, Seen] = {}
        for node in operand_nodes(self.node, self.statement):
            for seen in self.look_at(node):
                found.setdefault(seen.name, seen)
        return tuple(found.values())

    @property
    def tensors(self) -> list[Seen]:
        return [seen for seen in self.operands if seen.is_tensor]

    def look_at(self, node: ast.AST) -> list[Seen]:
        """The value of a node, or of its elements where it is a list of tensors."""
        if isinstance(node, ast.List | ast.Tuple):
            return [seen for each in node.elts for seen in self.look_at(each)]
        value, real = self.reader.read(node), True
        if value is UNKNOWN:
            try:
                value, real = shadow(self.reader, node), False
            except Exception:
                return []
        if type(value) in (list, tuple) and value and all(is_plain_tensor(v) for v in value):
            name = self.text(node)
            return [Seen(f"{name}[{i}]", None, each, real) for i, each in enumerate(value[:6])]
        return [Seen(self.text(node), node, value, real)] if _is_data(value) else []


def _is_data(value: object) -> bool:
    callable_or_module = callable(value) or inspect.ismodule(value)
    return is_plain_tensor(value) or not (callable_or_module or isinstance(value, nn.Module))


def scene_of(error: BaseException) -> Scene:
    """The scene of an error: the innermost frame that is the learner's own."""
    steps = list(traceback.walk_tb(error.__traceback__))
    own = [i for i, (frame, _) in enumerate(steps) if is_own(frame.f_code.co_filename)]
    frames = tuple(frame for frame, _ in steps)
    if not own:
        return Scene(error, None, 0, frames=frames)
    tops = [i for i in own if frames[i].f_code.co_name == "<module>"] or own[:1]
    scenes = []
    for i in dict.fromkeys([tops[-1], own[-1]]):
        scene = Scene(error, *steps[i], callees=frames[i + 1 :], frames=frames[tops[-1] :])
        _find_node(scene, i)
        _learn_from_callee(scene)
        scenes.append(scene)
    first, *rest = scenes
    if not rest:
        return first
    rest[0].outer = first
    return rest[0]


def is_own(filename: str) -> bool:
    """Whether a file is the learner's: no library, not the lens, and its source is at hand."""
    inside = any(filename.startswith(place + "/") for place in LIBRARIES)
    return not inside and not filename.startswith("<frozen") and bool(linecache.getlines(filename))


def _find_node(scene: Scene, index: int) -> None:
    step = scene.error.__traceback__
    for _ in range(index):
        step = step.tb_next
    found = executing.Source.executing(step)
    scene.source, scene.tree = found.source.text, found.source.tree
    scene.node = found.node
    if found.statements:
        scene.statement = min(found.statements, key=lambda s: s.end_lineno - s.lineno)
    if scene.node is None or isinstance(scene.node, ast.Expr):
        scene.node = _by_place(step, scene.tree) or _main_expression(scene.statement)


def _by_place(step, tree: ast.Module | None) -> ast.expr | None:
    """The expression that covers just the characters of the failing instruction."""
    places = list(step.tb_frame.f_code.co_positions())
    place = places[step.tb_lasti // 2] if tree and step.tb_lasti // 2 < len(places) else None
    for node in ast.walk(tree) if place else ():
        if isinstance(node, ast.expr):
            here = (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)
            if here == place:
                return node
    return None


def _main_expression(statement: ast.stmt | None) -> ast.AST | None:
    """What a statement is about: the test of an `if`, what a `for` goes through, the value."""
    for field_name in ("value", "test", "iter", "exc"):
        if (node := getattr(statement, field_name, None)) is not None:
            return node
    return statement


def _learn_from_callee(scene: Scene) -> None:
    """Values of arguments, read from the library function that the expression called."""
    direct = scene.callees and not scene.callees[0].f_code.co_filename.startswith(LENS + "/")
    if not isinstance(scene.node, ast.Call) or not direct:
        return
    frame, node = scene.callees[0], scene.node
    if any(isinstance(each, ast.Starred) for each in node.args):
        return
    values = arguments(frame)
    positional, named = values
    for each, value in zip(node.args, positional, strict=False):
        scene.known.setdefault(ast.unparse(each), value)
    for each in node.keywords:
        if each.arg in named:
            scene.known.setdefault(ast.unparse(each.value), named[each.arg])


def arguments(frame: FrameType) -> tuple[list, dict]:
    """What a function was called with: (positional values, values by name), `self` left out."""
    code, local = frame.f_code, frame.f_locals
    names = code.co_varnames[: code.co_argcount]
    bound = bool(names) and names[0] in ("self", "cls")
    positional = [local[name] for name in names[bound:] if name in local]
    flags = code.co_flags
    total = code.co_argcount + code.co_kwonlyargcount
    if flags & inspect.CO_VARARGS:
        positional += list(local.get(code.co_varnames[total], ()))
    named = {name: local[name] for name in code.co_varnames[:total] if name in local}
    if flags & inspect.CO_VARKEYWORDS:
        named |= local.get(code.co_varnames[total + bool(flags & inspect.CO_VARARGS)], {})
    return positional, named


def operand_nodes(node: ast.AST | None, statement: ast.stmt | None) -> list[ast.AST]:
    """The nodes whose values decide about an expression."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.BoolOp):
        return list(node.values)
    if isinstance(node, ast.AugAssign):
        part = [node.target.value] if isinstance(node.target, ast.Subscript) else []
        return [*part, node.target, node.value]
    if isinstance(node, ast.Call):
        receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return [*receiver, *node.args, *(k.value for k in node.keywords)]
    if isinstance(node, ast.Subscript):
        index = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        assigned = isinstance(node.ctx, ast.Store) and getattr(statement, "value", None)
        return [node.value, *index, *([assigned] if assigned else [])]
    if isinstance(node, ast.Attribute):
        return [node.value]
    if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Store):
        return [getattr(statement, "value", None) or getattr(statement, "iter", node)]
    return [] if node is None or isinstance(node, ast.stmt) else [node]
