"""create-convert: NumPy, lists and strings where tensors are expected; habits from NumPy."""

from __future__ import annotations

import ast
import re

import numpy as np
import torch

from lens.doctor.names import UNKNOWN
from lens.doctor.repairs import fix_with
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import torch_name
from lens.doctor.scene import Scene, Seen

HABITS = {
    "astype": "to", "copy": "clone()", "append": "torch.cat", "concatenate": "torch.cat",
    "ravel_": "flatten()", "swapaxis": "swapaxes", "fillna": "nan_to_num()", "len": "numel()",
}  # fmt: skip


def look_at_habit(scene: Scene, found: re.Match) -> Told | None:
    """Methods that NumPy and lists have, and tensors have under another name."""
    node, name = scene.node, found["a"]
    if not isinstance(node, ast.Attribute):
        return None
    owner = scene.text(node.value)
    call = next(
        (n for n in ast.walk(scene.statement) if isinstance(n, ast.Call) and n.func is node), None
    )
    blanks = {"x": owner, "a": name}
    if call is None:
        return told("near", near=_near(name), **blanks)
    args = [scene.text(a) for a in call.args]
    if name == "astype" and args:
        dtype = _dtype(scene, call.args[0])
        return told(
            "habit", fix_with(scene, {call: f"{owner}.to({dtype})"}), new=f"to({dtype})", **blanks
        )
    if name == "copy":
        return told("habit", fix_with(scene, {call: f"{owner}.clone()"}), new="clone()", **blanks)
    if name in ("append", "extend") and args:
        name = torch_name(scene)
        code = f"{owner} = {name}.cat([{owner}, {name}.as_tensor({args[0]}).reshape(-1)])"
        simple = isinstance(scene.statement, ast.Expr) and isinstance(node.value, ast.Name)
        return told("grow", code if simple else "", **blanks)
    if near := _near(name):
        return told("near", fix_with(scene, {node: f"{owner}.{near}"}), near=near, **blanks)
    return told("plain")


def _near(name: str) -> str:
    import difflib

    names = [n for n in dir(torch.Tensor) if not n.startswith("_")]
    return next(iter(difflib.get_close_matches(name, names, 1, 0.7)), "")


def _dtype(scene: Scene, node: ast.AST) -> str:
    value = scene.reader.read(node)
    text = value if isinstance(value, str) else scene.text(node).rpartition(".")[2]
    text = {"float": "float64", "int": "int64"}.get(text, text)
    return f"{torch_name(scene)}.{text}"


def look_at_array(scene: Scene, found: re.Match) -> Told | None:
    """An array that was used like a tensor."""
    node = scene.node
    if not isinstance(node, ast.Attribute):
        return None
    owner = scene.text(node.value)
    known = isinstance(getattr(torch.Tensor, found["a"], None), object) and hasattr(
        torch.Tensor, found["a"]
    )
    if not known:
        return None
    value = scene.reader.read(node.value)
    text = f"{torch_name(scene)}.from_numpy({owner})"
    others = [Seen(owner, node.value, value)] if value is not UNKNOWN else []
    return told("array", fix_with(scene, {node.value: text}), others=others, x=owner, a=found["a"])


def look_at_mixed(scene: Scene, found: re.Match) -> Told | None:
    """A tensor and a list, None or array in one operation."""
    node = scene.node
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) else ()
    if isinstance(node, ast.AugAssign):
        sides = (node.target, node.value)
    for side in sides:
        value = scene.reader.read(side)
        text = scene.text(side)
        if value is None:
            return told("none", x=text)
        if isinstance(value, (list, tuple, np.ndarray)):
            code = f"{torch_name(scene)}.as_tensor({text})"
            other = next((s for s in scene.tensors if s.node is not side), None)
            if (
                other is not None
                and isinstance(value, np.ndarray)
                and str(value.dtype) == "float64"
            ):
                code = f"{torch_name(scene)}.as_tensor({text}, dtype={other.atom}.dtype)"
            if (
                other is not None
                and isinstance(node.op, ast.MatMult)
                and not isinstance(value, np.ndarray)
            ):
                code = f"{torch_name(scene)}.as_tensor({text}, dtype={other.atom}.dtype)"
            return told("mixed", fix_with(scene, {side: code}), x=text, kind=type(value).__name__)
        if isinstance(value, str):
            return told("text", x=text)
    return None


def look_at_call(scene: Scene, found: re.Match) -> Told | None:
    """`x.shape(0)`, `x.T()`: attributes that were called like methods."""
    node = scene.node
    if not isinstance(node, ast.Call):
        return None
    text = scene.text(node.func)
    if text.endswith(".shape"):
        args = ", ".join(scene.text(a) for a in node.args)
        code = f"{text}[{args}]" if args else text
        return told("shape", fix_with(scene, {node: code}), x=text, code=code)
    if isinstance(node.func, ast.Attribute) and not node.args:
        return told("call", fix_with(scene, {node: text}), x=text)
    code = f"{text}[{', '.join(scene.text(a) for a in node.args)}]"
    return told("brackets", fix_with(scene, {node: code}) if node.args else "", x=text, code=code)
