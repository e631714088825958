"""inplace-autograd: tensors that the graph needs, changed in place."""

from __future__ import annotations

import ast
import re

import torch

from lens.doctor.programs import again_from, behind, body_around, recomputed, tensors_behind
from lens.doctor.repairs import fix_with
from lens.doctor.rewriting import rewrite, runnable, statement_with
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import torch_name
from lens.doctor.scene import Scene, Seen

SIGNS = {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "Pow": "**"}


def look_at_leaf(scene: Scene, found: re.Match) -> Told | None:
    """A parameter changed while autograd is watching."""
    x = next((s for s in scene.tensors if s.real and s.value.requires_grad), None)
    base = x.name.split("[")[0] if x else scene.text(scene.node).split("[")[0]
    statement = statement_with(scene, {})
    inner = statement.replace("\n", "\n    ")
    code = f"with {torch_name(scene)}.no_grad():\n    {inner}"
    return told("part" if found["view"] else "leaf", runnable(scene, code), x=base)


def look_at_version(scene: Scene, found: re.Match) -> Told | None:
    """A value that backward needs was overwritten: by an in-place operation, or by a step."""
    shape = tuple(int(n) for n in found["sh"].split(",") if n.strip())
    node = scene.node.func.value if isinstance(scene.node, ast.Call) else scene.node
    near = tensors_behind(scene, node)
    blanks = {"shape": shape, "was": found["w"], "now": found["v"]}
    for statement, name in reversed(_changes(scene)):
        value = scene.reader.names.get(name)
        if isinstance(value, torch.Tensor) and tuple(value.shape) == shape:
            changed = Seen(name, ast.Name(name, ast.Load()), value)
            return _overwritten(scene, statement, changed, near, blanks)
    if step := _step(scene):
        fix = recomputed(scene, node)
        near = [*near, *_weights(scene, shape, int(found["v"]))]
        return told("step", fix, others=near, line=step.lineno, call=scene.text(step), **blanks)
    return told("version", others=near, **blanks)


def _overwritten(scene: Scene, statement: ast.stmt, x: Seen, near: list, blanks: dict) -> Told:
    first = next((s for s in behind(scene, x.node) if s.here and s.name == x.name), None)
    mended = _out_of_place(scene, statement, x.name)
    fix = again_from(scene, first.statement, {statement: mended}) if first and mended else ""
    blanks |= {"x": x.name, "line": statement.lineno, "change": scene.text(statement)}
    return told("changed", fix, others=[x, *near], **blanks)


def _changes(scene: Scene) -> list[tuple[ast.stmt, str]]:
    """(statement, name) of the in-place changes before the failing statement."""
    found = []
    for statement in body_around(scene):
        if statement is scene.statement:
            break
        for node in ast.walk(statement):
            name = _changed_name(node)
            if name and isinstance(statement, ast.AugAssign | ast.Expr | ast.Assign):
                found.append((statement, name))
    return found


def _changed_name(node: ast.AST) -> str:
    target = None
    if isinstance(node, ast.AugAssign):
        target = node.target
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        target = node.targets[0]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        in_place = name.endswith("_") and not name.endswith("__") and name != "requires_grad_"
        target = node.func.value if in_place else None
    while isinstance(target, ast.Subscript):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""


def _out_of_place(scene: Scene, statement: ast.stmt, name: str) -> str:
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        sign = SIGNS.get(type(statement.op).__name__, "+")
        value = scene.text(statement.value)
        value = f"({value})" if isinstance(statement.value, ast.BinOp) else value
        return f"{name} = {name} {sign} {value}"
    call = getattr(statement, "value", None)
    owner = getattr(getattr(call, "func", None), "value", None)
    if isinstance(statement, ast.Expr) and isinstance(owner, ast.Name):
        args = ", ".join(map(scene.text, [*call.args, *(k.value for k in call.keywords)]))
        return f"{name} = {name}.{call.func.attr.rstrip('_')}({args})"
    return f"{name} = {name}.clone()\n{rewrite(scene.source, statement, {})}"


def _step(scene: Scene) -> ast.AST | None:
    calls = [
        n for n in ast.walk(scene.tree)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == "step"
        and n.lineno < scene.statement.lineno
    ]  # fmt: skip
    return calls[-1] if calls else None


def _weights(scene: Scene, shape: tuple, version: int) -> list[Seen]:
    """The parameters of the learner's models that have this shape and version."""
    found = []
    for name, model in scene.frame.f_locals.items():
        if isinstance(model, torch.nn.Module) and not name.startswith("_"):
            for key, weight in torch.nn.Module.named_parameters(model):
                if tuple(weight.shape) in (shape, shape[::-1]) and weight._version == version:
                    found.append(Seen(f"{name}.{key}", None, weight))
    return found


def look_at_flag(scene: Scene, found: re.Match) -> Told | None:
    """requires_grad of a computed tensor."""
    x = scene.tensors[0] if scene.tensors else None
    if x is None or x.node is None:
        return None
    return told("flag", runnable(scene, f"{x.name} = {x.atom}.detach()"), x=x.name)


def look_at_optimizer(scene: Scene, found: re.Match) -> Told | None:
    """An optimizer that was given a computed tensor."""
    listed = [s for s in scene.tensors if s.real and not s.value.is_leaf]
    if not listed:
        return None
    x = listed[0]
    fix = f"{x.name} = {x.atom}.detach().requires_grad_()\n{fix_with(scene, {})}"
    return told("optimizer", fix if x.node is not None else "", x=x.name)


def look_at_copy(scene: Scene, found: re.Match) -> Told | None:
    """deepcopy of a computed tensor."""
    x = next((s for s in scene.tensors if s.real and not s.value.is_leaf), None)
    if x is None or x.node is None:
        return None
    return told("copy", fix_with(scene, {scene.node: f"{x.atom}.detach().clone()"}), x=x.name)


def look_at_views(scene: Scene, found: re.Match) -> Told | None:
    """One of several views that unbind, split or chunk returned, changed in place."""
    x = scene.tensors[0] if scene.tensors else None
    if x is None:
        return None
    base = x.name.split("[")[0]
    mended = _out_of_place(scene, scene.statement, x.name) if base == x.name else ""
    return told("views", runnable(scene, mended) if mended else "", x=x.name, f=found["f"])


def look_at_inference(scene: Scene, found: re.Match) -> Told | None:
    """A tensor made under inference_mode."""
    x = next((s for s in scene.tensors if s.real and s.value.is_inference()), None)
    if x is None:
        return None
    if x.node is None or not isinstance(x.node, ast.Name):
        return told("inference", x=x.name)
    fix = runnable(scene, f"{x.name} = {x.name}.clone()\n{statement_with(scene, {})}")
    return told("inference", fix, x=x.name)
