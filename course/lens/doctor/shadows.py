"""What an expression would give: shapes and dtypes worked out on tensors without memory.

Every tensor is replaced by a copy on the "meta" device, which has a shape and no numbers; layers
get such parameters. Only torch's own functions are called, on these copies: nothing of the
learner's runs, nothing of theirs changes, no random number is drawn.
"""

from __future__ import annotations

import ast
import operator
import warnings

import numpy as np
import torch
from torch import nn

from lens.doctor.names import UNKNOWN, Reader, is_plain_tensor

NOT_ON_SHADOWS = {
    "item",
    "tolist",
    "numpy",
    "backward",
    "register_hook",
    "share_memory_",
    "pin_memory",
}
STAYS = {"cpu", "cuda", "contiguous"}
FUNCTIONS = set(dir(torch._C._VariableFunctions)) | {
    "tensor",
    "einsum",
    "from_numpy",
    "stft",
    "norm",
}
PLAIN = (int, float, complex, str, bool, type(None), slice, type(...), torch.dtype, torch.Size)
OPERATORS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.MatMult: operator.matmul, ast.Pow: operator.pow, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
    ast.BitXor: operator.xor, ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt,
    ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.USub: operator.neg,
    ast.Invert: operator.invert,
}  # fmt: skip


class Unclear(Exception):
    """Code of the learner's, or the numbers themselves, would be needed to tell."""


def shadow(reader: Reader, node: ast.AST) -> object:
    """What `node` would give, on shadows. Raises Unclear, or torch's own error if it fails."""
    with warnings.catch_warnings(), torch.device("meta"):
        warnings.simplefilter("ignore")
        return _Shadows(reader).of(node)


def shadow_of(value: object) -> object:
    """A value without its memory."""
    if is_plain_tensor(value):
        if value.layout != torch.strided:
            raise Unclear
        size, stride = value.size(), value.stride()
        copy = torch.empty_strided(size, stride, dtype=value.dtype, device="meta")
        return copy.requires_grad_(value.requires_grad)
    if isinstance(value, nn.Module):
        return _layer(value)
    if type(value) in (list, tuple):
        return type(value)(shadow_of(each) for each in value)
    if type(value).__module__ == "torch.return_types":
        return type(value)(shadow_of(each) for each in value)
    if isinstance(value, torch.device):
        return torch.device("meta")
    if isinstance(value, PLAIN) or type(value) is np.ndarray or isinstance(value, np.generic):
        return value
    raise Unclear


def _layer(layer: nn.Module) -> nn.Module:
    if not type(layer).__module__.startswith("torch.nn.") or "forward" in vars(layer):
        raise Unclear
    copy = object.__new__(type(layer))
    quiet = {k: type(v)() for k, v in vars(layer).items() if k.endswith("_hooks")}
    parts = {
        "_parameters": {k: v if v is None else shadow_of(v) for k, v in layer._parameters.items()},
        "_buffers": {k: v if v is None else shadow_of(v) for k, v in layer._buffers.items()},
        "_modules": {k: v if v is None else _layer(v) for k, v in layer._modules.items()},
    }
    vars(copy).update({**vars(layer), **quiet, **parts})
    if isinstance(layer, nn.RNNBase):
        vars(copy)["_flat_weights"] = [parts["_parameters"][n] for n in layer._flat_weights_names]
    return copy


class _Shadows:
    def __init__(self, reader: Reader):
        self.reader = reader

    def of(self, node: ast.AST) -> object:
        value = self.reader.read(node)
        if value is not UNKNOWN:
            return shadow_of(value)
        works = getattr(self, f"_{type(node).__name__.lower()}", None)
        if works is None:
            raise Unclear
        return works(node)

    def _binop(self, node: ast.BinOp) -> object:
        return self._apply(node.op, self.of(node.left), self.of(node.right))

    def _unaryop(self, node: ast.UnaryOp) -> object:
        return self._apply(node.op, self.of(node.operand))

    def _compare(self, node: ast.Compare) -> object:
        if len(node.ops) > 1:
            raise Unclear
        return self._apply(node.ops[0], self.of(node.left), self.of(node.comparators[0]))

    def _apply(self, op: ast.AST, *values: object) -> object:
        if type(op) not in OPERATORS or not any(is_plain_tensor(v) for v in values):
            raise Unclear
        return OPERATORS[type(op)](*values)

    def _tuple(self, node: ast.Tuple) -> tuple:
        return tuple(self.of(each) for each in node.elts)

    def _list(self, node: ast.List) -> list:
        return [self.of(each) for each in node.elts]

    def _slice(self, node: ast.Slice) -> slice:
        parts = (node.lower, node.upper, node.step)
        return slice(*(None if part is None else self.of(part) for part in parts))

    def _subscript(self, node: ast.Subscript) -> object:
        owner, key = self.of(node.value), self.of(node.slice)
        if not (is_plain_tensor(owner) or type(owner) in (tuple, list, torch.Size)):
            raise Unclear
        return owner[key]

    def _attribute(self, node: ast.Attribute) -> object:
        owner = self.of(node.value)
        known = is_plain_tensor(owner) or type(owner).__module__ == "torch.return_types"
        if not known or node.attr in ("grad", "device", "is_meta"):
            raise Unclear
        return getattr(owner, node.attr)

    def _call(self, node: ast.Call) -> object:
        function = self._function(node.func)
        args = [self.of(each) for each in node.args]
        named = {each.arg: self.of(each.value) for each in node.keywords}
        if None in named:
            raise Unclear
        if function is torch.from_numpy:
            return torch.from_numpy(*args).to("meta")
        if "device" in named:
            named["device"] = torch.device("meta")
        return function(*args, **named)

    def _function(self, node: ast.expr) -> object:
        function = self.reader.read(node)
        if isinstance(function, nn.Module):
            return _layer(function)
        if function is not UNKNOWN:
            if _is_torch_function(function):
                return function
            raise Unclear
        if isinstance(node, ast.Attribute):
            owner = self.of(node.value)
            if is_plain_tensor(owner):
                return _method(owner, node.attr)
            raise Unclear
        called = self.of(node)
        if isinstance(called, nn.Module):
            return called
        raise Unclear


def _method(tensor: torch.Tensor, name: str):
    if name in NOT_ON_SHADOWS:
        raise Unclear
    if name in STAYS and name != "contiguous":
        return lambda *args, **named: tensor
    if name == "to":
        return lambda *args, **named: _to(tensor, *args, **named)
    return getattr(tensor, name)


def _to(tensor: torch.Tensor, *args: object, **named: object) -> torch.Tensor:
    for each in (*args, *named.values()):
        dtype = each.dtype if is_plain_tensor(each) else each
        if isinstance(dtype, torch.dtype):
            return tensor.to(dtype)
    return tensor


def _is_torch_function(function: object) -> bool:
    name = getattr(function, "__name__", "")
    if isinstance(function, type):
        return issubclass(function, nn.Module) and function.__module__.startswith("torch.nn.")
    home = getattr(function, "__module__", None) or ""
    if home.startswith("torch.nn.") and "init" not in home:
        return not name.endswith("_")
    spaces = (torch, torch.linalg, torch.special, torch.nn.functional)
    return any(getattr(space, name, None) is function for space in spaces) and (
        name in FUNCTIONS or home.startswith("torch.functional") or name.startswith("linalg_")
    )
