"""create-convert: one truth value, one number, asked of a tensor that holds several."""

from __future__ import annotations

import ast
import re

import torch
from torch import nn

from lens.doctor.names import UNKNOWN
from lens.doctor.repairs import fix_with, shadow_of_code
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import argument, size, torch_name
from lens.doctor.scene import Scene, Seen


def look_at_truth(scene: Scene, found: re.Match) -> Told | None:
    """`if tensor:` and `and` between tensors; max of two; data given to a constructor."""
    if made := look_at_constructor(scene):
        return made
    node = scene.node
    whole = [] if isinstance(node, ast.Call) else scene.look_at(node)
    x = next((s for s in [*whole, *scene.tensors] if s.is_tensor and s.value.numel() != 1), None)
    if x is None:
        return None
    blanks = {"x": x.name, "sx": size(x), "n": x.value.numel()}
    logic = next((n for n in ast.walk(scene.statement) if isinstance(n, ast.BoolOp)), None)
    if logic is not None and _inside_logic(logic, node):
        sign = " & " if isinstance(logic.op, ast.And) else " | "
        parts = [scene.text(v) for v in logic.values]
        whole = all(isinstance(v, ast.Name | ast.Call | ast.Attribute) for v in logic.values)
        code = sign.join(parts if whole else [f"({p})" for p in parts])
        masks = all(_is_mask(scene, v) for v in logic.values)
        code = code if masks else sign.join(f"({p} != 0)" for p in parts)
        test = isinstance(scene.statement, ast.If | ast.While | ast.Assert)
        return told(
            "logic", fix_with(scene, {logic: f"({code}).any()" if test else code}), **blanks
        )
    if scene.called in ("max", "min"):
        name = "maximum" if scene.called == "max" else "minimum"
        code = f"{torch_name(scene)}.{name}({', '.join(scene.text(a) for a in node.args)})"
        return told("largest", fix_with(scene, {node: code}), f=scene.called, **blanks)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return told("not", fix_with(scene, {node: f"~({x.name}).bool()"}), **blanks)
    inside = node if isinstance(node, ast.expr) and not isinstance(node, ast.Call) else x.node
    fix = fix_with(scene, {inside: f"{_wrapped(scene, inside)}.any()"})
    return told("truth", fix, others=[x], **blanks)


def _inside_logic(logic: ast.BoolOp, node: ast.AST) -> bool:
    return logic is node or any(each is node for each in ast.walk(logic))


def _wrapped(scene: Scene, node: ast.AST) -> str:
    simple = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    return scene.text(node) if simple else f"({scene.text(node)})"


def _is_mask(scene: Scene, node: ast.AST) -> bool:
    return all(s.is_tensor and s.value.dtype == torch.bool for s in scene.look_at(node))


def look_at_one(scene: Scene, found: re.Match) -> Told | None:
    """`.item()`, `int()`, `float()` of several elements; a list of tensors in torch.tensor."""
    name = scene.called.rpartition(".")[2]
    if name in ("tensor", "as_tensor", "asarray", "FloatTensor", "LongTensor", "Tensor"):
        return look_at_list(scene)
    x = next((s for s in scene.tensors if s.value.numel() != 1), None)
    x = x or next((s for s in scene.tensors if s.value.is_floating_point()), None)
    if x is None:
        return None
    blanks = {"x": x.name, "sx": size(x), "n": x.value.numel(), "call": scene.called}
    if x.value.numel() == 1 or name == "range":
        return told(
            "whole",
            fix_with(scene, {x.node: f"int({x.name})"}) if x.value.numel() == 1 else "",
            **blanks,
        )
    node = scene.node
    if isinstance(node, ast.Subscript) and scene.operands[0] is not x:
        return told("list_index", **blanks)
    outer = _call_around(scene, node)
    if outer is not None and name == "item":
        f = scene.text(outer.func)
        code = f"[{f}(v) for v in {x.atom}.flatten().tolist()]"
        return told("one", fix_with(scene, {outer: code}), **blanks)
    return told("one", fix_with(scene, {node: f"{x.atom}.tolist()"}), **blanks)


def _call_around(scene: Scene, node: ast.AST) -> ast.Call | None:
    for each in ast.walk(scene.statement):
        if isinstance(each, ast.Call) and node in each.args and isinstance(each.func, ast.Name):
            return each if each.func.id in ("int", "float", "round", "str") else None
    return None


def look_at_list(scene: Scene) -> Told | None:
    """torch.tensor reads numbers; tensors are joined with stack or cat."""
    given = scene.node.args[0] if scene.node.args else None
    text = scene.text(given)
    dtype = next((scene.text(k.value) for k in scene.node.keywords if k.arg == "dtype"), "")
    to = f".to({dtype})" if dtype else ""
    name = torch_name(scene)
    others = scene.look_at(given) if given is not None else []
    for code in (f"{name}.stack({text}){to}", f"{name}.cat({text}){to}"):
        if shadow_of_code(scene, code) is not None:
            return told("list", fix_with(scene, {scene.node: code}), others=others, x=text)
    return told("list", others=others, x=text)


def look_at_constructor(scene: Scene) -> Told | None:
    """A loss or a layer that was given data when it was made."""
    node = scene.node
    cls = scene.reader.read(node.func) if isinstance(node, ast.Call) else UNKNOWN
    is_layer = isinstance(cls, type) and issubclass(cls, nn.Module)
    data = [s for s in scene.operands if s.is_tensor]
    if not is_layer or not data:
        return None
    if "Loss" in cls.__name__:
        code = f"{scene.called}()({', '.join(s.name for s in data)})"
        return told("constructor", fix_with(scene, {node: code}), cls=scene.called, x=data[0].name)
    return _made_then_called(scene, cls, data[0])


def _made_then_called(scene: Scene, cls: type, x: Seen) -> Told:
    node = scene.node
    rest = [scene.text(a) for a in node.args if a is not x.node]
    rest += [f"{k.arg}={scene.text(k.value)}" for k in node.keywords if k.value is not x.node]
    target = getattr(scene.statement, "targets", None)
    name = scene.text(target[0]) if target else "layer"
    given = x.name
    if cls is nn.Linear and node.args:
        flat = x.value[0].numel() if len(x.shape) > 1 else x.value.numel()
        if x.shape[-1:] != (scene.reader.read(node.args[0]),):
            rest[0], given = str(flat), f"{x.atom}.flatten(1)"
    made = f"{name} = {scene.called}({', '.join(rest)})"
    return told("constructor", f"{made}\nout = {name}({given})", cls=scene.called, x=x.name)


def look_at_format(scene: Scene, found: re.Match) -> Told | None:
    """A format such as `:.2f` for more than one number."""
    x = argument(scene, 0) or next((s for s in scene.tensors), None)
    return told("format", x=x.name, sx=size(x)) if x else None
