"""The values of expressions, read from a frame. Nothing runs: no call, no property, no operator."""

from __future__ import annotations

import ast
import builtins
import inspect
import types
from collections import ChainMap
from types import FrameType

import torch
from torch import nn

UNKNOWN = type("Unknown", (), {"__repr__": lambda self: "UNKNOWN"})()
TENSORS = (torch.Tensor, nn.Parameter, nn.Buffer)
FACTS = {
    "T",
    "mT",
    "H",
    "mH",
    "data",
    "grad",
    "shape",
    "dtype",
    "device",
    "ndim",
    "grad_fn",
    "real",
}
KEYS = (int, str, bool, float, bytes, type(None))


def is_plain_tensor(value: object) -> bool:
    """Whether it is a tensor of torch's own class, which no learner's code can have changed."""
    return type(value) in TENSORS


class Reader:
    """Reads expressions in the names of a frame; `known` has values for texts of expressions."""

    def __init__(self, frame: FrameType | None, known: dict[str, object] | None = None):
        spaces = [frame.f_locals, frame.f_globals] if frame else []
        self.names = ChainMap(*spaces, vars(builtins))
        self.known = known or {}

    def read(self, node: ast.AST | None) -> object:
        """The value, or UNKNOWN where code would have to run to tell."""
        try:
            text = ast.unparse(node) if self.known else ""
            if text in self.known:
                return self.known[text]
            reads = getattr(self, f"_read_{type(node).__name__.lower()}", None)
            return reads(node) if reads else UNKNOWN
        except Exception:
            return UNKNOWN

    def _read_constant(self, node: ast.Constant) -> object:
        return node.value

    def _read_name(self, node: ast.Name) -> object:
        return self.names.get(node.id, UNKNOWN)

    def _read_attribute(self, node: ast.Attribute) -> object:
        owner = self.read(node.value)
        return UNKNOWN if owner is UNKNOWN else attribute(owner, node.attr)

    def _read_subscript(self, node: ast.Subscript) -> object:
        owner, key = self.read(node.value), self.read(node.slice)
        if owner is UNKNOWN or key is UNKNOWN:
            return UNKNOWN
        return item(owner, key)

    def _read_slice(self, node: ast.Slice) -> object:
        ends = [None if n is None else self.read(n) for n in (node.lower, node.upper, node.step)]
        return UNKNOWN if UNKNOWN in ends else slice(*ends)

    def _read_tuple(self, node: ast.Tuple) -> object:
        parts = [self.read(each) for each in node.elts]
        return UNKNOWN if any(part is UNKNOWN for part in parts) else tuple(parts)

    def _read_list(self, node: ast.List) -> object:
        parts = self._read_tuple(node)
        return UNKNOWN if parts is UNKNOWN else list(parts)

    def _read_unaryop(self, node: ast.UnaryOp) -> object:
        value = self.read(node.operand)
        numeric = isinstance(node.op, ast.USub) and type(value) in (int, float)
        return -value if numeric else UNKNOWN

    def _read_binop(self, node: ast.BinOp) -> object:
        a, b = self.read(node.left), self.read(node.right)
        if not {type(a), type(b)} <= {int, float}:
            return UNKNOWN
        signs = {ast.Add: "__add__", ast.Sub: "__sub__", ast.Mult: "__mul__"}
        signs |= {ast.Div: "__truediv__", ast.FloorDiv: "__floordiv__"}
        name = signs.get(type(node.op))
        a, b = (float(a), float(b)) if float in (type(a), type(b)) else (a, b)
        return getattr(a, name)(b) if name else UNKNOWN


def attribute(owner: object, name: str) -> object:
    """An attribute that lies in plain sight; a property or another descriptor stays unknown."""
    if isinstance(owner, types.ModuleType):
        return vars(owner).get(name, UNKNOWN)
    if is_plain_tensor(owner):
        return getattr(owner, name) if name in FACTS else UNKNOWN
    if type(owner).__module__ == "torch.return_types":
        return getattr(owner, name)
    if isinstance(owner, nn.Module):
        own = vars(owner)
        for place in (own, *(own.get(k, {}) for k in ("_parameters", "_buffers", "_modules"))):
            if name in place:
                return place[name]
    value = inspect.getattr_static(owner, name, UNKNOWN)
    hidden = isinstance(value, staticmethod | classmethod) or hasattr(type(value), "__get__")
    return UNKNOWN if hidden and not isinstance(owner, type) else value


def item(owner: object, key: object) -> object:
    """An item of a plain container, a layer of a torch container, or a basic slice of a tensor."""
    if type(owner) in (list, tuple, torch.Size) and type(key) in (int, slice):
        return owner[key]
    if isinstance(owner, dict) and type(key) in KEYS:
        return dict.get(owner, key, UNKNOWN)
    if type(owner) in (nn.Sequential, nn.ModuleList) and type(key) is int:
        return list(owner._modules.values())[key]
    if type(owner) is nn.ModuleDict:
        return owner._modules.get(key, UNKNOWN)
    keys = key if type(key) is tuple else (key,)
    basic = all(type(k) in (int, slice, type(None), type(...)) for k in keys)
    return owner[key] if is_plain_tensor(owner) and basic else UNKNOWN
