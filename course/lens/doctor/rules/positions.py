"""index: too many indices, pairs of indices, gather and scatter, slices, nothing to reduce."""

from __future__ import annotations

import ast
import re

from lens.doctor.repairs import fix_with, works
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import argument, is_number, size, torch_name
from lens.doctor.scene import Scene


def look_at_many(scene: Scene, found: re.Match) -> Told | None:
    """More indices than dimensions."""
    x = scene.tensors[0] if scene.tensors else None
    node = scene.node
    if x is None or not isinstance(node, ast.Subscript):
        return None
    if not x.shape:
        return told("zero", fix_with(scene, {node: f"{x.atom}.item()"}), x=x.name)
    if not isinstance(node.slice, ast.Tuple):
        return None
    parts = [scene.text(each) for each in node.slice.elts[: len(x.shape)]]
    fix = fix_with(scene, {node.slice: ", ".join(parts)})
    given = len(node.slice.elts)
    return told("many", fix, x=x.name, sx=size(x), n=len(x.shape), given=given)


def look_at_pairs(scene: Scene, found: re.Match) -> Told | None:
    """Two index tensors that do not go together."""
    index = [s for s in scene.tensors[1:] if s.node is not None]
    if len(index) < 2:
        return None
    a, b = index[:2]
    blanks = {"a": a.name, "b": b.name, "sa": size(a), "sb": size(b)}
    return told("pairs", fix_with(scene, {a.node: f"{a.atom}[:, None]"}), **blanks)


def look_at_step(scene: Scene, found: re.Match) -> Told | None:
    """A negative step: flip."""
    node = scene.node
    x = scene.tensors[0] if scene.tensors else None
    if x is None or not isinstance(node, ast.Subscript):
        return None
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    whole = lambda p: isinstance(p, ast.Slice) and not (p.lower or p.upper)  # noqa: E731
    at = [i for i, p in enumerate(parts) if whole(p) and p.step and is_number(scene, p.step, -1)]
    others = [p for i, p in enumerate(parts) if i not in at and not (whole(p) and p.step is None)]
    if not at or others:
        return None
    dims = ", ".join(map(str, at))
    return told("step", fix_with(scene, {node: f"{x.atom}.flip({dims})"}), x=x.name, dims=dims)


def look_at_gather(scene: Scene, found: re.Match) -> Told | None:
    """gather and scatter want an index with as many dimensions as the tensor."""
    x = scene.tensors[0] if scene.tensors else None
    index = next((s for s in scene.tensors[1:] if not s.value.dtype.is_floating_point), None)
    if x is None or index is None or index.node is None:
        return None
    blanks = {"x": x.name, "sx": size(x), "i": index.name, "si": size(index)}
    for code in (f"{index.atom}[:, None]", f"{index.atom}[None]"):
        if len(index.shape) < len(x.shape) and works(scene, {index.node: code}):
            return told("gather", fix_with(scene, {index.node: code}), **blanks)
    return told("gather", **blanks)


def look_at_empty(scene: Scene, found: re.Match) -> Told | None:
    """The largest of nothing."""
    x = scene.tensors[0] if scene.tensors else None
    return told("empty", x=x.name, sx=size(x)) if x else None


def look_at_k(scene: Scene, found: re.Match) -> Told | None:
    """topk of more than there are."""
    x = scene.tensors[0] if scene.tensors else None
    if x is None or not isinstance(scene.node, ast.Call) or not x.shape:
        return None
    method = x.node is getattr(scene.node.func, "value", None)
    k = scene.node.args[0 if method else 1 :] or [
        k.value for k in scene.node.keywords if k.arg == "k"
    ]
    dim = [w.value for w in scene.node.keywords if w.arg == "dim"] or list(k[1:2])
    d = scene.reader.read(dim[0]) if dim else -1
    d = d if type(d) is int else -1
    n = x.shape[d]
    fix = fix_with(scene, {k[0]: f"min({scene.text(k[0])}, {x.atom}.shape[{d}])"}) if k else ""
    return told("k", fix, x=x.name, sx=size(x), n=n, k=scene.text(k[0]) if k else "")


def look_at_narrow(scene: Scene, found: re.Match) -> Told | None:
    """A piece that reaches beyond the end."""
    x = scene.tensors[0] if scene.tensors else argument(scene, 0)
    return told("narrow", x=x.name, sx=size(x)) if x else None


def look_at_iteration(scene: Scene, found: re.Match) -> Told | None:
    """len and loops over a number."""
    x = next((s for s in scene.tensors if not s.shape), None)
    if x is None or x.node is None:
        return None
    if scene.called == "len":
        return told("length", fix_with(scene, {scene.node: f"{x.atom}.numel()"}), x=x.name)
    return told("length", x=x.name)


def numbers_only(scene: Scene, found: re.Match) -> Told | None:
    """Nothing but the message is needed."""
    return told(torch=torch_name(scene))
