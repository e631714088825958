"""What several families look at."""

from __future__ import annotations

import ast
import types

import torch

from lens.doctor.origins import chain
from lens.doctor.repairs import Repair, fix_of
from lens.doctor.rewriting import rewrite
from lens.doctor.rule import Told, told
from lens.doctor.scene import Scene, Seen


def size(seen: Seen) -> str:
    """The shape as it is printed: `(2, 3)`."""
    return str(seen.shape)


def kind(seen: Seen) -> str:
    """The dtype without its prefix: `float32`."""
    return str(seen.value.dtype).removeprefix("torch.")


def conflict(a: tuple, b: tuple) -> int | None:
    """The last dimension, counted from the right, in which two shapes do not broadcast."""
    for i, (n, m) in enumerate(zip(reversed(a), reversed(b), strict=False), 1):
        if n != m and 1 not in (n, m):
            return i
    return None


def clashing(scene: Scene) -> tuple[Seen, Seen] | None:
    """The first two operands whose shapes do not broadcast."""
    seen = scene.tensors
    for i, a in enumerate(seen):
        for b in seen[i + 1 :]:
            if conflict(a.shape, b.shape):
                return a, b
    return None


def mended(scene: Scene, repair: Repair | None, text: str, **blanks: object) -> Told:
    """The text and, where a repair was found, its sentence and its code."""
    if repair is None:
        return told(text, **blanks)
    return told(text, fix_of(scene, repair), repair.says, **blanks)


def module_name(scene: Scene, module: types.ModuleType, otherwise: str) -> str:
    """What the learner calls a module: `F` for torch.nn.functional, for example."""
    for name in scene.reader.names:
        if scene.reader.names[name] is module and not name.startswith("_"):
            return name
    return otherwise


def torch_name(scene: Scene) -> str:
    """What the learner calls torch."""
    return module_name(scene, torch, "torch")


def nn_name(scene: Scene) -> str:
    """How the learner writes torch.nn."""
    return module_name(scene, torch.nn, f"{torch_name(scene)}.nn")


def functional(scene: Scene) -> str:
    """How the learner writes torch.nn.functional."""
    return module_name(scene, torch.nn.functional, f"{nn_name(scene)}.functional")


def run_again(scene: Scene, *before: str) -> str:
    """These lines, then the learner's own outermost statement; "" where that has a body."""
    outer = scene.outer or scene
    if hasattr(outer.statement, "body"):
        return "\n".join(before)
    return "\n".join([*before, rewrite(outer.source, outer.statement, {})])


def is_number(scene: Scene, node: ast.AST, number: int) -> bool:
    """Whether a node stands for this whole number."""
    value = scene.reader.read(node)
    return type(value) is int and value == number


def last_name(scene: Scene) -> str:
    """The last part of what is called: `cat` of `torch.cat`, `MSELoss` of `torch.nn.MSELoss()`."""
    node = scene.node.func if isinstance(scene.node, ast.Call) else None
    while isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def argument(scene: Scene, place: int, *names: str) -> Seen | None:
    """An argument of the failing call, by place or by name."""
    if not isinstance(scene.node, ast.Call):
        return None
    named = [k.value for k in scene.node.keywords if k.arg in names]
    nodes = named or scene.node.args[place : place + 1]
    seen = scene.look_at(nodes[0]) if nodes else []
    return seen[0] if len(seen) == 1 else None


def loss_parts(scene: Scene) -> tuple[Seen, Seen] | None:
    """(input, target) of a call of a loss."""
    name = type(scene.layer.module).__name__ if scene.layer else last_name(scene)
    pair = argument(scene, 0, "input"), argument(scene, 1, "target")
    is_loss = "loss" in name.lower() or "entropy" in name.lower()
    return pair if is_loss and all(each and each.is_tensor for each in pair) else None


def from_numpy(scene: Scene, seen: Seen) -> str:
    """One sentence about NumPy where a float64 tensor came from it, else ""."""
    if not seen.is_tensor or seen.value.dtype != torch.float64:
        return ""
    names = [n.id for n in ast.walk(seen.node) if isinstance(n, ast.Name)] if seen.node else []
    steps = [step for name in names for step in chain(scene, name)]
    calls = {"from_numpy", "as_tensor", "asarray", "tensor"}
    here = next((step for step in steps if step.calls & calls), None)
    arrays = any(type(scene.reader.names.get(step.name)).__module__ == "numpy" for step in steps)
    if here is None or not ("from_numpy" in here.calls or arrays or "np." in here.text):
        return ""
    line = f"line {here.line}: " if here.here and here.line else ""
    zh = f"第 {here.line} 行 " if line else ""
    return (
        f"It comes from NumPy ({line}`{here.text}`), whose floats are float64 unless told"
        " otherwise."
        f" || 它来自 NumPy（{zh}`{here.text}`），NumPy 的浮点数默认是 float64。"
    )
