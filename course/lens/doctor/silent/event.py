"""One operation that the watch saw: what went in, what came out, where it stands."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import cached_property
from types import FrameType

import torch

from lens.doctor.silent.facts import Fact
from lens.doctor.silent.places import LENS, names_of, own_frame, position
from lens.doctor.silent.source import Source

PLAIN = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)


class Event:
    """One call of a torch function. `result` is None until it ran."""

    def __init__(self, session, name: str, args: tuple, kwargs: dict):
        self.session = session
        self.name = name
        self.args = args
        self.kwargs = kwargs
        self.result: object = None
        self.memory: dict[str, object] = {}
        self.tensors = _tensors(args, kwargs)
        self.frame: FrameType | None = own_frame(2)
        frame = self.frame  # (file, line) in the learner's code
        self.place = (frame.f_code.co_filename, frame.f_lineno or 0) if frame else ("", 0)

    @property
    def direct(self) -> bool:
        """Whether the learner's own line called this, not a library on its behalf."""
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(LENS):
            frame = frame.f_back
        return frame is self.frame

    @property
    def source(self) -> Source:
        return self.session.source(self.place[0])

    @cached_property
    def node(self) -> ast.AST | None:
        """The expression that is running."""
        return self.source.node_at(position(self.frame)) if self.frame else None

    @property
    def x(self) -> torch.Tensor | None:
        """The first tensor that went in."""
        return self.tensors[0] if self.tensors else None

    @property
    def plain(self) -> bool:
        """Whether values may be looked at: torch's own class, in memory, dense."""
        return all(is_plain(t) for t in self.tensors)

    def argument(self, index: int, *names: str, default: object = None) -> object:
        """An argument by its place or by one of its names."""
        for name in names:
            if name in self.kwargs:
                return self.kwargs[name]
        return self.args[index] if index < len(self.args) else default

    def fact(self, tensor: object) -> Fact | None:
        return self.session.facts.of(tensor)

    @cached_property
    def expression(self) -> str:
        """The source of what ran: the expression itself where it is found, else its line."""
        return ast.unparse(self.node) if self.node is not None else self.source.text(self.place[1])

    def call_it(self, tensor: torch.Tensor, fallback: str = "x") -> str:
        """How the learner's code calls a tensor: a name, else the sub-expression, else a letter."""
        names = names_of(self.frame, tensor) if self.frame else []
        nodes = operand_nodes(self.node)
        if len(nodes) == len(self.tensors):
            texts = dict(zip(map(id, self.tensors), map(ast.unparse, nodes), strict=True))
            if id(tensor) in texts and len(texts[id(tensor)]) <= 60:
                return texts[id(tensor)]
        return names[0] if names else fallback

    def report(self, fault: str, *tensors: torch.Tensor, at: tuple | None = None, **blanks) -> None:
        """A finding at this operation, or `at` another (file, line)."""
        named = [(self.call_it(t, letter), t) for t, letter in zip(tensors, "xyz", strict=False)]
        file, line = at or self.place
        text = self.expression if at is None else ""
        self.session.report(fault, file, line, text, named, blanks)


def _tensors(args: tuple, kwargs: dict) -> list[torch.Tensor]:
    """Tensors among the arguments, one level into lists."""
    found = []
    for each in (*args, *kwargs.values()) if kwargs else args:
        if isinstance(each, torch.Tensor):
            found.append(each)
        elif type(each) in (list, tuple):
            found += [part for part in each if isinstance(part, torch.Tensor)]
    return found


def is_plain(tensor: object) -> bool:
    """A tensor of torch's own class whose numbers lie in memory."""
    return type(tensor) in PLAIN and tensor.layout is torch.strided and not tensor.is_meta


def operand_nodes(node: ast.AST | None) -> list[ast.AST]:
    """The nodes of the operands of an expression that is one operation."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.AugAssign):
        return [node.target, node.value]
    if isinstance(node, ast.Compare) and len(node.comparators) == 1:
        return [node.left, node.comparators[0]]
    if isinstance(node, ast.Call):
        receiver = []
        if isinstance(node.func, ast.Attribute) and not is_module_name(node.func.value):
            receiver = [node.func.value]
        given = [n for n in node.args if not isinstance(n, (ast.Constant, ast.Starred))]
        return receiver + given
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return [node.value]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    return []


def is_module_name(node: ast.AST) -> bool:
    """`torch`, `F`, `nn.functional`, …: what stands before a function, not a tensor."""
    text = ast.unparse(node)
    return text in ("torch", "F", "nn.functional", "torch.nn.functional", "torch.linalg")


Detector = Callable[[Event], None]
