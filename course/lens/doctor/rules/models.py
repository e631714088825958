"""model-bookkeeping: parameters, optimizers, checkpoints, results that are no tensor."""

from __future__ import annotations

import ast
import re

import torch
from torch import nn

from lens.doctor.repairs import fix_with
from lens.doctor.rewriting import rewrite, runnable, statement_with
from lens.doctor.rule import Told, told
from lens.doctor.scene import Scene


def look_at_parameters(scene: Scene, found: re.Match) -> Told | None:
    """A model without parameters: a constructor that never ran, layers that were not kept."""
    cls = _model_class(scene)
    if cls is None:
        return None
    methods = {f.name: f for f in cls.body if isinstance(f, ast.FunctionDef)}
    wrong = next((n for n in methods if n.strip("_") == "init" and n != "__init__"), None)
    if wrong:
        fixed = rewrite(scene.source, cls, {}).replace(f"def {wrong}(", "def __init__(")
        return told("misspelt", _again(scene, fixed), cls=cls.name, wrong=wrong)
    init = methods.get("__init__")
    if init is None:
        return told("none", cls=cls.name)
    kept = _local_layers(init)
    if kept:
        names = ", ".join(f"`{n}`" for n in kept)
        fixed = rewrite(scene.source, cls, {})
        for name in kept:
            attribute = name.removeprefix("self_")
            fixed = re.sub(rf"(?<![\w.]){name}\b", f"self.{attribute}", fixed)
        return told("local", _again(scene, fixed), cls=cls.name, names=names, first=kept[0])
    if layers := _listed_layers(init):
        node, name = layers
        fixed = rewrite(scene.source, cls, {node: f"torch.nn.ModuleList({scene.text(node)})"})
        return told("list", _again(scene, fixed), cls=cls.name, name=name)
    return told("none", cls=cls.name)


def _again(scene: Scene, cls: str) -> str:
    """The mended class, objects of it made again, and the failing statement."""
    name = re.search(r"class (\w+)", cls)[1]
    made = [
        rewrite(scene.source, each, {})
        for each in scene.tree.body
        if isinstance(each, ast.Assign) and each.lineno < scene.statement.lineno
        if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(each.value))
    ]
    return "\n".join([cls, *made, statement_with(scene, {})])


def _model_class(scene: Scene) -> ast.ClassDef | None:
    classes = {c.name: c for c in scene.tree.body if isinstance(c, ast.ClassDef)}
    for node in ast.walk(scene.statement):
        if isinstance(node, ast.Name):
            value = scene.reader.names.get(node.id)
            owner = value if isinstance(value, type) else type(value)
            if owner.__name__ in classes and issubclass(owner, nn.Module):
                return classes[owner.__name__]
    return None


def _local_layers(init: ast.FunctionDef) -> list[str]:
    found = []
    for node in ast.walk(init):
        local = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if local and _makes_layer(node.value):
            found.append(node.targets[0].id)
    return found


def _makes_layer(node: ast.AST) -> bool:
    name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return hasattr(nn, name.rpartition(".")[2]) and bool(name)


def _listed_layers(init: ast.FunctionDef) -> tuple[ast.AST, str] | None:
    for node in ast.walk(init):
        listed = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute)
        if listed and isinstance(node.value, ast.List | ast.ListComp):
            elements = node.value.elts if isinstance(node.value, ast.List) else [node.value.elt]
            if any(_makes_layer(each) for each in elements):
                return node.value, ast.unparse(node.targets[0])
    return None


def look_at_optimizer(scene: Scene, found: re.Match) -> Told | None:
    """An optimizer that was given the model, the method, or a list in a list."""
    node = scene.node
    if not isinstance(node, ast.Call) or not node.args:
        return None
    given = node.args[0]
    value = scene.reader.read(given)
    text = scene.text(given)
    if isinstance(value, nn.Module):
        return told("model", fix_with(scene, {given: f"{text}.parameters()"}), x=text)
    if text.endswith(".parameters"):
        return told("method", fix_with(scene, {given: f"{text}()"}), x=text)
    if isinstance(value, torch.Tensor):
        return told("tensor", fix_with(scene, {given: f"[{text}]"}), x=text)
    if isinstance(given, ast.List) and len(given.elts) == 1:
        return told("nested", fix_with(scene, {given: scene.text(given.elts[0])}), x=text)
    if text.endswith(".state_dict()"):
        fixed = text.replace(".state_dict()", ".parameters()")
        return told("model", fix_with(scene, {given: fixed}), x=text.removesuffix(".state_dict()"))
    return None


def look_at_init(scene: Scene, found: re.Match) -> Told | None:
    """`super().__init__()` is missing."""
    classes = {c.name: c for c in scene.tree.body if isinstance(c, ast.ClassDef)}
    this = scene.reader.names.get("self")
    cls = classes.get(type(this).__name__)
    if cls is None:
        return told("plain")
    init = next((f for f in cls.body if getattr(f, "name", "") == "__init__"), None)
    first = rewrite(scene.source, init.body[0], {})
    outer = scene.outer or scene
    text = rewrite(scene.source, cls, {init.body[0]: f"super().__init__(); {first}"})
    pad = " " * (init.body[0].col_offset - cls.col_offset)
    if init.body[0].lineno != init.lineno:
        text = rewrite(scene.source, cls, {init.body[0]: f"super().__init__()\n{pad}{first}"})
    return told("init", f"{text}\n{rewrite(outer.source, outer.statement, {})}", cls=cls.name)


def look_at_assigned(scene: Scene, found: re.Match) -> Told | None:
    """A plain tensor put in place of a parameter."""
    target = scene.text(scene.node) if isinstance(scene.node, ast.Attribute) else ""
    value = getattr(scene.statement, "value", None)
    if not target or value is None or "parameter" not in scene.message:
        return None
    fix = fix_with(scene, {value: f"torch.nn.Parameter({scene.text(value)})"})
    others = scene.look_at(value)
    return told("parameter", fix, others=others, x=target, y=scene.text(value))


def look_at_forward(scene: Scene, found: re.Match) -> Told | None:
    """A model without forward, often misspelt."""
    for cls in scene.tree.body:
        if isinstance(cls, ast.ClassDef) and cls.name == found["cls"]:
            names = [f.name for f in cls.body if isinstance(f, ast.FunctionDef)]
            near = next((n for n in names if n != "__init__" and "for" in n.lower()), None)
            if near:
                code = f"{cls.name}.forward = {cls.name}.{near}"
                return told("near", runnable(scene, f"{code}\n{statement_with(scene, {})}"),
                            near=near, name=cls.name)  # fmt: skip
    if found["cls"] in ("ModuleList", "ModuleDict"):
        text = scene.called
        again = statement_with(scene, {})
        return told("container", f"{text} = torch.nn.Sequential(*{text})\n{again}", x=text)
    return told("plain")
