"""create-convert and other: arguments of the wrong kind."""

from __future__ import annotations

import ast
import re

import numpy as np

from lens.doctor.repairs import fix_with, shadow_of_code
from lens.doctor.rewriting import rewrite
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import torch_name
from lens.doctor.scene import Scene, Seen

SEVERAL = {"max": "amax", "min": "amin"}


def look_at_not_tensor(scene: Scene, found: re.Match) -> Told | None:
    """An array or a list where a tensor is expected."""
    node = scene.node
    values = [*node.args, *(k.value for k in node.keywords)] if isinstance(node, ast.Call) else []
    for each in values:
        value = scene.reader.read(each)
        if isinstance(value, np.ndarray) or (isinstance(value, list) and found["t"] == "list"):
            text, name = scene.text(each), torch_name(scene)
            weight = _weight(scene)
            target = found["name"] == "target"
            dtype = "" if target or weight is None else f", dtype={name}.float32"
            code = f"{name}.as_tensor({text}{dtype})"
            if target:
                code = f"{name}.as_tensor({text})"
            others = [Seen(text, each, value)]
            return told("not_tensor", fix_with(scene, {each: code}), others=others, x=text,
                        f=scene.called)  # fmt: skip
    return None


def _weight(scene: Scene) -> object:
    if scene.layer is None:
        return None
    return next((p for p in scene.layer.module._parameters.values() if p is not None), None)


def look_at_sizes(scene: Scene, found: re.Match) -> Told | None:
    """A size that is no whole number."""
    node = scene.node
    if not isinstance(node, ast.Call):
        return None
    if scene.called.endswith("randint") and len(node.args) < 3:
        last = node.args[-1]
        if type(scene.reader.read(last)) is int:
            return told(
                "size", fix_with(scene, {last: f"({scene.text(last)},)"}), x=scene.text(last)
            )
    if scene.called.endswith("full") and type(scene.reader.read(node.args[0])) is int:
        return told("size", fix_with(scene, {node.args[0]: f"({scene.text(node.args[0])},)"}),
                    x=scene.text(node.args[0]))  # fmt: skip
    nodes = [*node.args, *(k.value for k in node.keywords)]
    flat = [e for n in nodes for e in (n.elts if isinstance(n, ast.Tuple | ast.List) else [n])]
    for each in flat:
        value = scene.reader.read(each)
        divides = isinstance(each, ast.BinOp) and isinstance(each.op, ast.Div)
        if type(value) is float or divides:
            text = scene.text(each)
            new = (
                f"{scene.text(each.left)} // {scene.text(each.right)}"
                if divides
                else f"int({text})"
            )
            return told(
                "divided" if divides else "float", fix_with(scene, {each: new}), x=text, new=new
            )
    return None


def look_at_combination(scene: Scene, found: re.Match) -> Told | None:
    """max over several dimensions, dtypes of NumPy, a size and a string."""
    node, name = scene.node, scene.called.rpartition(".")[2]
    if not isinstance(node, ast.Call):
        return None
    others = scene.tensors
    if name in SEVERAL and "tuple" in scene.message.split("but expected")[0]:
        head = scene.called.rpartition(".")[0]
        new = f"{head}.{SEVERAL[name]}"
        return told(
            "several", fix_with(scene, {node.func: new}), others=others, f=name, new=SEVERAL[name]
        )
    if name == "to":
        for each in node.args:
            value = scene.reader.read(each)
            if isinstance(value, type) and value.__module__ == "numpy":
                code = f"{torch_name(scene)}.{value.__name__}"
                return told(
                    "numpy_dtype", fix_with(scene, {each: code}), x=scene.text(each), new=code
                )
    if name == "linspace" and len(node.args) == 2 and not node.keywords:
        text = rewrite(scene.source, node, {}).rstrip()[:-1]
        return told("steps", fix_with(scene, {node: f"{text}, 10)"}))
    if name == "normal" and len(node.args) == 2:
        text = rewrite(scene.source, node, {}).rstrip()[:-1]
        return told("normal", fix_with(scene, {node: f"{text}, (1,))"}))
    if name == "where" and len(node.args) == 2:
        text = rewrite(scene.source, node, {}).rstrip()[:-1]
        return told("where", fix_with(scene, {node: f"{text}, 0)"}))
    if name == "randint" and len(node.args) == 1:
        text = rewrite(scene.source, node, {}).rstrip()[:-1]
        return told("randint", fix_with(scene, {node: f"{text}, (1,))"}))
    return told("plain")


def look_at_argmax(scene: Scene, found: re.Match) -> Told | None:
    """argmax over several dimensions at once."""
    node = scene.node
    x = scene.tensors[0] if scene.tensors else None
    if not isinstance(node, ast.Call) or x is None or found["f"] not in ("argmax", "argmin"):
        return None
    dims = [k.value for k in node.keywords if k.arg == "dim"] or node.args[-1:]
    value = scene.reader.read(dims[0])
    if type(value) is not tuple or sorted(d % len(x.shape) for d in value) != list(
        range(min(value), min(value) + len(value))
    ):
        return told("argmax", f=found["f"])
    code = f"{x.atom}.flatten({min(value)}, {max(value)}).{found['f']}({min(value)})"
    fits = shadow_of_code(scene, code) is not None
    return told("argmax", fix_with(scene, {node: code}) if fits else "", f=found["f"])


def look_at_range(scene: Scene, found: re.Match) -> Told | None:
    """arange from a larger number to a smaller one, without a negative step."""
    node = scene.node
    if not isinstance(node, ast.Call) or not scene.called.endswith("arange") or node.keywords:
        return None
    ends = [scene.reader.read(each) for each in node.args]
    if len(ends) != 2 or not all(type(each) in (int, float) for each in ends):
        return None
    code = f"{scene.called}({', '.join(map(scene.text, node.args))}, -1)"
    return told("back", fix_with(scene, {node: code}), start=ends[0], stop=ends[1])


def look_at_missing(scene: Scene, found: re.Match) -> Told | None:
    """A function of torch, or a model, that was called without something it needs."""
    function = found["f"] or found["f2"] or found["f3"]
    names = re.findall(r"\w+", found["names"] or found["names2"] or found["names3"])
    shown = ", ".join(f"`{name}`" for name in names if name != "and")
    if function.endswith(".forward"):
        return told("forward", x=scene.called or scene.text(scene.node), names=shown)
    return told("missing", function=function.removesuffix(".__init__"), names=shown)
