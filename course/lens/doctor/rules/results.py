"""model-bookkeeping: a pair, a tuple, None or a number where a tensor is expected."""

from __future__ import annotations

import ast
import difflib
import re

import torch
from torch import nn

from lens.doctor.names import UNKNOWN
from lens.doctor.origins import origin
from lens.doctor.repairs import fix_with
from lens.doctor.rewriting import rewrite, runnable, statement_with
from lens.doctor.rule import Told, told
from lens.doctor.scene import Scene, Seen


def look_at_pair(scene: Scene, found: re.Match) -> Told | None:
    """max, sort, topk with a dimension return values and indices."""
    owner = scene.node.value if isinstance(scene.node, ast.Attribute) else None
    if owner is None:
        return None
    text = scene.text(owner)
    value = scene.reader.read(owner)
    others = []
    if isinstance(value, tuple):
        others = [Seen(f"{text}.{n}", None, getattr(value, n)) for n in ("values", "indices")]
    return told("pair", fix_with(scene, {owner: f"{text}.values"}), others=others, x=text)


def look_at_unpacking(scene: Scene, found: re.Match) -> Told | None:
    """Two names for the one number that max without a dimension returns."""
    call = getattr(scene.statement, "value", None)
    names = {"max", "min", "median", "mode", "sort", "topk", "kthvalue"}
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return told("number", x=scene.text(scene.node))
    if call.func.attr not in names:
        return told("number", x=scene.text(call))
    x = _tensor_of(scene, call)
    dim = -1 if x is None else len(x.shape) - 1
    text = rewrite(scene.source, call, {}).rstrip()[:-1].rstrip().rstrip(",")
    gap = "" if text.endswith("(") else ", "
    fix = fix_with(scene, {call: f"{text}{gap}dim={dim})"})
    return told("unpack", fix, others=[x] if x else [], call=scene.text(call), f=call.func.attr)


def _tensor_of(scene: Scene, call: ast.Call) -> Seen | None:
    nodes = [call.func.value, *call.args]
    seen = [s for node in nodes for s in scene.look_at(node)]
    return next((s for s in seen if s.is_tensor), None)


def look_at_none(scene: Scene, found: re.Match) -> Told | None:
    """None where a tensor is expected: no gradient yet, or a forward that returns nothing."""
    owner = scene.node.value if isinstance(scene.node, ast.Attribute) else None
    text = scene.text(owner)
    if owner is None:
        return None
    if text.endswith((".grad", ".grad.data")):
        base = text.removesuffix(".data").removesuffix(".grad")
        inner = statement_with(scene, {}).replace("\n", "\n    ")
        fix = runnable(scene, f"if {base}.grad is not None:\n    {inner}")
        node = ast.parse(base, mode="eval").body
        return told("grad", fix, others=scene.look_at(node), x=base)
    step = origin(scene, text) if isinstance(owner, ast.Name) else None
    call = step.value if step else owner
    line = f"`{step.text}`" if step else f"`{text}`"
    name = _forward_without_return(scene, call)
    if name:
        return told("forward", x=text, cls=name)
    if (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "backward"
    ):
        return told("backward", x=text)
    return told("none", x=text, made=line)


def _forward_without_return(scene: Scene, call: ast.AST) -> str:
    model = scene.reader.read(call.func) if isinstance(call, ast.Call) else UNKNOWN
    if not isinstance(model, nn.Module):
        return ""
    for cls in scene.tree.body:
        if isinstance(cls, ast.ClassDef) and cls.name == type(model).__name__:
            for f in cls.body:
                returns = any(isinstance(n, ast.Return) and n.value for n in ast.walk(f))
                if getattr(f, "name", "") == "forward" and not returns:
                    return cls.name
    return ""


def look_at_tuple(scene: Scene, found: re.Match) -> Told | None:
    """The tuple that a recurrent layer, attention or an own forward returns."""
    owner = scene.node.value if isinstance(scene.node, ast.Attribute) else None
    if owner is None:
        return None
    text = scene.text(owner)
    value = scene.reader.read(owner)
    parts = value if isinstance(value, tuple) else ()
    others = [
        Seen(f"{text}[{i}]", None, p) for i, p in enumerate(parts) if isinstance(p, torch.Tensor)
    ]
    return told("tuple", fix_with(scene, {owner: f"{text}[0]"}), others=others, x=text)


def look_at_argument(scene: Scene, found: re.Match) -> Told | None:
    """A function of torch that was given a tuple or None in place of a tensor."""
    if scene.layer and (before := _layer_before(scene)):
        return told("layer", layer=scene.layer.title, before=before, kind=found["t"])
    wrong = [s for s in scene.operands if type(s.value).__name__ == found["t"]]
    wrong += [
        Seen(scene.text(a), a, v) for a in getattr(scene.node, "args", [])
        if type(v := scene.reader.read(a)).__name__ == found["t"]
    ]  # fmt: skip
    if not wrong:
        return None
    x = wrong[0]
    if found["t"] == "NoneType":
        step = origin(scene, x.name)
        return told("is_none", x=x.name, made=f"`{step.text}`" if step else f"`{x.name}`")
    first = x.value[0] if isinstance(x.value, tuple) and x.value else None
    fix = fix_with(scene, {x.node: f"{x.atom}[0]"}) if isinstance(first, torch.Tensor) else ""
    return told("is_tuple", fix, x=x.name)


def _layer_before(scene: Scene) -> str:
    path = scene.layer.path.rpartition(".")[2]
    if not path.isdigit() or int(path) == 0:
        return ""
    home = scene.layer.code.removesuffix(f"[{path}]")
    return f"{home}[{int(path) - 1}]"


def look_at_number(scene: Scene, found: re.Match) -> Told | None:
    """backward of a Python number."""
    owner = scene.node.value if isinstance(scene.node, ast.Attribute) else None
    if owner is None:
        return None
    text = scene.text(owner)
    step = origin(scene, text)
    items = [n for n in ast.walk(step.value if step else owner) if _is_item(n)]
    if not items:
        return told("number", x=text)
    edits = {items[0]: scene.text(items[0].func.value)}
    if step and step.here:
        made = rewrite(scene.source, step.statement, edits)
        fix = runnable(scene, f"{made}\n{statement_with(scene, {})}")
    else:
        fix = "" if step else fix_with(scene, edits)
    return told("item", fix, x=text, line=step.line if step else scene.line)


def _is_item(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "item"


def look_at_attribute(scene: Scene, found: re.Match) -> Told | None:
    """A name that the model does not have: nearly another one, perhaps."""
    owner = scene.node.value if isinstance(scene.node, ast.Attribute) else None
    model = scene.reader.read(owner) if owner is not None else UNKNOWN
    if not isinstance(model, nn.Module):
        return None
    names = [*model._modules, *model._parameters, *model._buffers, *vars(model)]
    names = [n for n in names if not n.startswith("_")]
    near = difflib.get_close_matches(found["a"], names, 1, 0.5)
    has = ", ".join(f"`{n}`" for n in [*model._modules, *model._parameters][:6]) or "-"
    blanks = {"x": scene.text(owner), "name": found["a"], "has": has, "cls": type(model).__name__}
    if not near:
        return told("attribute", **blanks)
    head = scene.text(owner)
    return told("near", fix_with(scene, {scene.node: f"{head}.{near[0]}"}), near=near[0], **blanks)
