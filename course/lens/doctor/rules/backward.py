"""backward: no graph, not a number, twice, gradients of the wrong shape, NumPy of a graph."""

from __future__ import annotations

import ast
import re

import torch
from torch import nn

from lens.doctor.programs import behind, recomputed, tensors_behind
from lens.doctor.repairs import fix_with
from lens.doctor.rewriting import rewrite
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import torch_name
from lens.doctor.rules.cuts import find_cut
from lens.doctor.scene import Scene, Seen


def receiver(scene: Scene) -> ast.AST | None:
    """The node of the tensor on which backward was called, or that was given to grad."""
    node = scene.node
    if not isinstance(node, ast.Call):
        return None
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    is_method = owner is not None and scene.text(owner) not in ("torch.autograd", "autograd")
    if is_method and node.func.attr == "backward":
        return owner
    return node.args[0] if node.args else None


def look_at_graph(scene: Scene, found: re.Match) -> Told | None:
    """Nothing leads back to a tensor that requires a gradient: where was the graph cut?"""
    node = receiver(scene)
    if node is None:
        return None
    near = tensors_behind(scene, node)
    name = scene.text(node)
    if cut := find_cut(scene, node):
        blanks = {"x": name, "where": cut.where, "call": cut.call}
        return told(cut.kind, cut.fix, others=near, **blanks)
    if any(s.value.requires_grad for s in near):
        return told("none", others=near, x=name)
    floats = [s for s in near if s.real and s.value.is_leaf and s.value.is_floating_point()]
    leaf = next((s for s in floats if s.name != name), floats[0] if floats else None)
    if leaf is None:
        return told("none", others=near, x=name)
    again = "\n".join(
        rewrite(scene.source, step.statement, {})
        for step in reversed(behind(scene, node))
        if step.here and step.name != leaf.name and leaf.name in scene.text(step.value)
    )
    fix = "\n".join(filter(None, [f"{leaf.name}.requires_grad_()", again, fix_with(scene, {})]))
    return told("leaf", fix, others=near, x=name, leaf=leaf.name)


def look_at_scalar(scene: Scene, found: re.Match) -> Told | None:
    """backward of something that is no single number."""
    node = receiver(scene)
    if node is None:
        return None
    seen = next(iter(scene.look_at(node)), None)
    shape = seen.shape if seen and seen.is_tensor else ""
    whole = isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
    text = scene.text(node) if whole else f"({scene.text(node)})"
    more = REDUCTION if "reduction" in scene.text(scene.statement) + _made(scene, node) else ""
    fix = fix_with(scene, {node: f"{text}.mean()"})
    return told("scalar", fix, more, tensors_behind(scene, node), x=scene.text(node), shape=shape)


REDUCTION = (
    '`reduction="none"` returns one loss for each sample.'
    ' || `reduction="none"` 会给每个样本返回一个损失。'
)


def _made(scene: Scene, node: ast.AST) -> str:
    return " ".join(step.text for step in behind(scene, node))


def look_at_twice(scene: Scene, found: re.Match) -> Told | None:
    """The same graph a second time: a state was kept, or the forward pass was not repeated."""
    node = receiver(scene)
    if node is None:
        return None
    near = tensors_behind(scene, node)
    if state := _kept_state(scene):
        model, attribute, code, kept = state
        near = [*kept, *near]
        fix = f"{model}.{attribute} = {code}\n{rewrite(scene.source, scene.statement, {})}"
        return told("state", fix, others=near, model=model, attribute=attribute)
    if kept := next((s for s in near if _lasts(scene, s)), None):
        line = f"{kept.name} = {kept.name}.detach()"
        return told("kept", f"{line}\n{recomputed(scene, node)}", others=near, x=kept.name)
    return told("twice", recomputed(scene, node), others=near, x=scene.text(node))


def _kept_state(scene: Scene) -> tuple[str, str, str, list[Seen]] | None:
    for name, value in scene.frame.f_locals.items():
        if not isinstance(value, nn.Module):
            continue
        for key, kept in vars(value).items():
            if key.startswith("_"):
                continue
            if isinstance(kept, torch.Tensor) and kept.grad_fn is not None:
                seen = Seen(f"{name}.{key}", None, kept)
                return name, key, f"{name}.{key}.detach()", [seen]
            parts = kept if isinstance(kept, tuple) else ()
            if parts and all(isinstance(p, torch.Tensor) and p.grad_fn is not None for p in parts):
                seen = [Seen(f"{name}.{key}[{i}]", None, p) for i, p in enumerate(parts)]
                return name, key, f"tuple(t.detach() for t in {name}.{key})", seen
    return None


def _lasts(scene: Scene, seen: Seen) -> bool:
    """Whether a name is made from itself in a loop: `h = f(x, h)`."""
    for loop in ast.walk(scene.tree):
        if isinstance(loop, ast.For | ast.While) and any(n is scene.node for n in ast.walk(loop)):
            for each in ast.walk(loop):
                if isinstance(each, ast.Assign) and seen.name in _names(each.value):
                    return any(seen.name in _names(target) for target in each.targets)
    return False


def _names(tree: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}


def look_at_numpy(scene: Scene, found: re.Match) -> Told | None:
    """NumPy of a tensor that belongs to a graph."""
    x = next((s for s in scene.tensors if s.value.requires_grad), None)
    if x is None or x.node is None:
        return None
    return told("numpy", fix_with(scene, {x.node: f"{x.atom}.detach()"}), x=x.name)


def look_at_unused(scene: Scene, found: re.Match) -> Told | None:
    """grad for a tensor that was not used."""
    node = scene.node
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return None
    text = rewrite(scene.source, node, {}).rstrip()[:-1].rstrip().rstrip(",")
    asked = scene.text(node.args[1])
    return told(
        "unused",
        fix_with(scene, {node: f"{text}, allow_unused=True)"}),
        y=scene.text(node.args[0]),
        x=asked,
    )


def look_at_function(scene: Scene, found: re.Match) -> Told | None:
    """backward of an own autograd.Function."""
    name = found["cls"].removesuffix("Backward")
    near = tensors_behind(scene, scene.node)
    return told("function", others=near, cls=name)


def look_at_seed(scene: Scene, found: re.Match) -> Told | None:
    """A gradient given to backward that has another shape than the output."""
    node = receiver(scene)
    if node is None or not scene.node.args:
        return None
    text = scene.text(node)
    given = scene.node.args[0] if scene.node.args[0] is not node else None
    fix = fix_with(scene, {given: f"{torch_name(scene)}.ones_like({text})"}) if given else ""
    return told("seed", fix, x=text)


def look_at_hook(scene: Scene, found: re.Match) -> Told | None:
    """A hook or retain_grad on a tensor that gets no gradient."""
    x = scene.tensors[0] if scene.tensors else None
    if x is None or not x.value.is_leaf or not x.value.is_floating_point():
        return told("hook", x=x.name) if x else None
    return told("hook", f"{x.name}.requires_grad_()\n{fix_with(scene, {})}", x=x.name)
