"""operand-dtype and inplace-cast: types that torch does not bring together by itself."""

from __future__ import annotations

import ast
import re

import torch

from lens.doctor.repairs import fix_with, is_store
from lens.doctor.rewriting import runnable
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import from_numpy, kind, loss_parts
from lens.doctor.scene import Scene, Seen

CASTS = {
    torch.float32: ".float()", torch.float64: ".double()", torch.int64: ".long()",
    torch.float16: ".half()", torch.bfloat16: ".bfloat16()", torch.bool: ".bool()",
}  # fmt: skip


def cast(seen: Seen, dtype: torch.dtype) -> str:
    """The code that gives an operand another dtype."""
    return f"{seen.atom}{CASTS.get(dtype, f'.to({dtype})')}"


def look(scene: Scene, found: re.Match) -> Told | None:
    """Which operand has which type, and which of them to convert."""
    if scene.layer and (seen := _input_of_layer(scene)):
        return seen
    pair = _pair(scene)
    if pair is None:
        return None
    change, keep = pair
    order = sorted(pair, key=lambda s: scene.tensors.index(s))
    blanks = {"a": order[0].name, "b": order[1].name, "ta": kind(order[0]), "tb": kind(order[1])}
    fix = ""
    if change.node is not None:
        fix = fix_with(scene, {change.node: cast(change, keep.value.dtype)})
    return told("which", fix, from_numpy(scene, change), **blanks)


def _pair(scene: Scene) -> tuple[Seen, Seen] | None:
    """(the operand to convert, the one to keep)."""
    if is_store(scene) and len(scene.tensors) > 1:
        base, value = scene.tensors[0], scene.tensors[-1]
        return (value, base) if value.value.dtype != base.value.dtype else None
    seen = [s for s in scene.tensors if not _is_index(scene, s)]
    for i, a in enumerate(seen):
        for b in seen[i + 1 :]:
            if a.value.dtype == b.value.dtype:
                continue
            if re.search(r"scatter|index_|put|copy|masked_", scene.called):
                return b, a
            return (a, b) if _rank(a) > _rank(b) else (b, a)
    return None


def _is_index(scene: Scene, seen: Seen) -> bool:
    """An index or a mask is not one of the two that must agree."""
    writes = is_store(scene) or re.search(r"scatter|index_|gather|put|masked_", scene.called)
    whole = not seen.value.dtype.is_floating_point
    return bool(writes) and whole and seen is not scene.tensors[0] and len(scene.tensors) > 2


def _rank(seen: Seen) -> int:
    """The higher, the more likely it is the one to convert."""
    order = [torch.float32, torch.float16, torch.bfloat16, torch.float64]
    return order.index(seen.value.dtype) if seen.value.dtype in order else len(order)


def _input_of_layer(scene: Scene) -> Told | None:
    layer, given = scene.layer, scene.layer.given
    weight = next((p for p in layer.module._parameters.values() if p is not None), None)
    if weight is None or not isinstance(given, torch.Tensor) or given.dtype == weight.dtype:
        return None
    x = next((s for s in scene.tensors if s.value is given), None)
    x = x or next((s for s in scene.tensors if s.value.dtype == given.dtype), None)
    if x is None:
        return None
    fix = fix_with(scene, {x.node: cast(x, weight.dtype)}) if x.node is not None else ""
    tw = str(weight.dtype).removeprefix("torch.")
    return told("layer", fix, from_numpy(scene, x), x=x.name, tx=kind(x), layer=layer.title, tw=tw)


def look_at_index(scene: Scene, found: re.Match) -> Told | None:
    """A loss whose target has another type than its input."""
    parts = loss_parts(scene)
    if parts is None or parts[0].value.dtype == parts[1].value.dtype:
        return look(scene, found)
    x, y = parts
    blanks = {"x": x.name, "y": y.name, "tx": kind(x), "ty": kind(y)}
    fix = fix_with(scene, {y.node: cast(y, x.value.dtype)})
    return told("target", fix, from_numpy(scene, y), **blanks)


def look_at_cast(scene: Scene, found: re.Match) -> Told | None:
    """An in-place operation whose result the left side cannot hold."""
    parts = loss_parts(scene)
    if parts:
        return look_at_index(scene, found)
    seen = scene.tensors
    if not seen:
        return None
    a, value = seen[0], seen[-1] if len(seen) > 1 else None
    blanks = {"a": a.name, "ta": kind(a)}
    if skip := _buffer_loop(scene, a):
        return told("buffer", skip, **blanks)
    if value is not None and not value.value.dtype.is_floating_point:
        value = None
    if value is not None and value.node is not None and _is_whole(value):
        fix = fix_with(scene, {value.node: cast(value, a.value.dtype)})
        return told("whole", fix, b=value.name, tb=kind(value), **blanks)
    return told("grow", _out_of_place(scene, a), **blanks)


def _is_whole(seen: Seen) -> bool:
    value = seen.value
    plain = seen.real and value.device.type == "cpu" and value.numel() < 10**7
    return plain and bool(torch.equal(value.detach(), value.detach().round()))


def _out_of_place(scene: Scene, a: Seen) -> str:
    node = scene.node
    if isinstance(node, ast.AugAssign):
        signs = {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "Pow": "**", "FloorDiv": "//"}
        sign = signs.get(type(node.op).__name__, "+")
        if isinstance(node.target, ast.Subscript):
            owner = scene.text(node.target.value)
            return runnable(scene, f"{owner} = {owner}.float()\n{fix_with(scene, {})}")
        value = scene.text(node.value)
        value = f"({value})" if isinstance(node.value, ast.BinOp | ast.IfExp) else value
        return runnable(scene, f"{a.name} = {a.name} {sign} {value}")
    if (
        isinstance(node, ast.Call)
        and scene.called.endswith("_")
        and isinstance(node.func, ast.Attribute)
    ):
        args = ", ".join(
            [
                *map(scene.text, node.args),
                *(f"{k.arg}={scene.text(k.value)}" for k in node.keywords),
            ]
        )
        return runnable(scene, f"{a.name} = {a.atom}.{node.func.attr.rstrip('_')}({args})")
    if a.node is not None and isinstance(node, ast.Call):
        return fix_with(scene, {a.node: f"{a.atom}.float()"})
    return ""


def _buffer_loop(scene: Scene, a: Seen) -> str:
    """Where the left side is the variable of a loop over a state_dict: skip what is no float."""
    for loop in ast.walk(scene.tree):
        if not isinstance(loop, ast.For) or scene.statement not in loop.body:
            continue
        names = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
        if a.name in names:
            line = fix_with(scene, {}).replace("\n", "\n        ")
            head = f"for {scene.text(loop.target)} in {scene.text(loop.iter)}:"
            return f"{head}\n    if {a.name}.is_floating_point():\n        {line}"
    return ""
