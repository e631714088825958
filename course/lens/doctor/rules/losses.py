"""loss-target: targets of the wrong shape, type or range."""

from __future__ import annotations

import ast
import functools
import re

import torch

from lens.doctor.origins import origin
from lens.doctor.repairs import fix_with, works
from lens.doctor.rewriting import rewrite, runnable, statement_with
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import functional, kind, loss_parts, nn_name, size
from lens.doctor.scene import Scene, Seen


def on_target(look):
    """A look at (scene, input, target, blanks), where the call of the loss can be read."""

    @functools.wraps(look)
    def looks(scene: Scene, found: re.Match) -> Told | None:
        parts = loss_parts(scene)
        if parts is None:
            return None
        x, y = parts
        blanks = {
            "x": x.name,
            "y": y.name,
            "sx": size(x),
            "sy": size(y),
            "ty": kind(y),
            "tx": kind(x),
        }
        return look(scene, x, y, blanks)

    return looks


def _with_target(scene: Scene, y: Seen, code: str) -> str:
    return fix_with(scene, {y.node: code})


@on_target
def look_at_dtype(scene: Scene, x: Seen, y: Seen, blanks: dict) -> Told:
    """Class numbers that are not int64."""
    code = f"{y.atom}.float()" if y.shape == x.shape else f"{y.atom}.long()"
    return told("dtype", _with_target(scene, y, code), **blanks)


@on_target
def look_at_range(scene: Scene, x: Seen, y: Seen, blanks: dict) -> Told:
    """Class numbers below 0 or above the last class."""
    classes = x.shape[1] if len(x.shape) > 1 else x.shape[0]
    blanks |= {"c": classes, "last": classes - 1}
    if not y.real:
        return told("range", **blanks)
    low, high = int(y.value.min()), int(y.value.max())
    blanks |= {"low": low, "high": high}
    if low >= 1 and high == classes:
        return told("from_one", _with_target(scene, y, f"{y.atom} - 1"), **blanks)
    if low < 0 <= high < classes:
        return told("ignored", _ignoring(scene, low), **blanks)
    return told("range", **blanks)


def _ignoring(scene: Scene, low: int) -> str:
    call = scene.node.func if isinstance(scene.node.func, ast.Call) else scene.node
    args = [*map(scene.text, call.args), *(f"{k.arg}={scene.text(k.value)}" for k in call.keywords)]
    if isinstance(scene.node.func, ast.Name) and scene.layer:
        return ""
    code = f"{scene.text(call.func)}({', '.join([*args, f'ignore_index={low}'])})"
    return fix_with(scene, {call: code})


@on_target
def look_at_shape(scene: Scene, x: Seen, y: Seen, blanks: dict) -> Told:
    """Class numbers in a column, one-hot rows, or another number of samples."""
    if len(y.shape) == len(x.shape) and y.shape[1:2] == (1,):
        return told("column", _with_target(scene, y, f"{y.atom}.squeeze(1)"), **blanks)
    if y.shape == x.shape and not y.value.dtype.is_floating_point:
        return told("onehot", _with_target(scene, y, f"{y.atom}.argmax(1)"), **blanks)
    if len(y.shape) == len(x.shape) - 1 >= 2 and x.shape[:-1] == y.shape and x.node and y.node:
        code = {x.node: f"{x.atom}.movedim(-1, 1)"}
        return told("steps", fix_with(scene, code), **blanks)
    if not y.shape and x.shape[:1] == (1,):
        return told("zero_d", _with_target(scene, y, f"{y.atom}[None]"), **blanks)
    if len(y.shape) == 1 and len(x.shape) == 2 and x.shape[::-1][:1] == y.shape and x.shape[1]:
        turned = {x.node: f"{x.atom}.T"}
        return told("batch", fix_with(scene, turned) if x.node else "", TURNED, **blanks)
    return told("batch", **blanks)


TURNED = "Transposed, the scores would go with it. || 把打分转置一下，就与它对得上了。"


@on_target
def look_at_same(scene: Scene, x: Seen, y: Seen, blanks: dict) -> Told:
    """A loss that compares one by one wants equal shapes."""
    tries = []
    if not x.shape and (fix := _squeeze_with_dim(scene, x)):
        return told("squeezed", fix, **blanks)
    if x.value.numel() == y.value.numel():
        tries = [
            *((x.node, f"{x.atom}.squeeze({i})") for i in _ones(x)),
            *((y.node, f"{y.atom}.unsqueeze({i})") for i in range(len(y.shape), -1, -1)),
            *((y.node, f"{y.atom}.squeeze({i})") for i in _ones(y)),
            *((x.node, f"{x.atom}.unsqueeze({i})") for i in range(len(x.shape), -1, -1)),
            (y.node, f"{y.atom}.reshape({x.atom}.shape)"),
        ]
    for node, code in tries:
        if node is not None and works(scene, {node: code}):
            zero = "squeezed" if not x.shape and y.shape == (1,) else "same"
            return told(zero, fix_with(scene, {node: code}), **blanks)
    if len(x.shape) == 2 and y.shape == x.shape[:1] and not y.value.dtype.is_floating_point:
        code = f"{functional(scene)}.one_hot({y.name}, {x.shape[1]}).float()"
        return told("hot", _with_target(scene, y, code), c=x.shape[1], **blanks)
    return told("same", **blanks)


def _squeeze_with_dim(scene: Scene, x: Seen) -> str:
    """Where a bare `squeeze()` took the batch too: the last dimension is the one that is meant."""
    step = origin(scene, x.name)
    if step is None or not step.here:
        return ""
    for call in ast.walk(step.value):
        bare = isinstance(call, ast.Call) and not call.args and not call.keywords
        if bare and getattr(call.func, "attr", "") == "squeeze":
            text = f"{scene.text(call.func)}(-1)"
            made = rewrite(scene.source, step.statement, {call: text})
            return runnable(scene, f"{made}\n{statement_with(scene, {})}")
    return ""


def _ones(seen: Seen) -> list[int]:
    return [i for i in reversed(range(len(seen.shape))) if seen.shape[i] == 1]


@on_target
def look_at_logits(scene: Scene, x: Seen, y: Seen, blanks: dict) -> Told:
    """BCELoss got scores, not probabilities."""
    low = high = ""
    if x.real:
        low, high = f"{float(x.value.min()):.4g}", f"{float(x.value.max()):.4g}"
    name = scene.text(scene.node.func)
    if scene.layer and isinstance(scene.node.func, ast.Call):
        fix = fix_with(scene, {scene.node.func: f"{nn_name(scene)}.BCEWithLogitsLoss()"})
    elif "binary_cross_entropy" in name:
        fix = fix_with(
            scene, {scene.node.func: f"{functional(scene)}.binary_cross_entropy_with_logits"}
        )
    else:
        fix = f"{name} = {nn_name(scene)}.BCEWithLogitsLoss()\n{fix_with(scene, {})}"
    return told("logits", fix, low=low, high=high, **blanks)


@on_target
def look_at_weight(scene: Scene, x: Seen, y: Seen, blanks: dict) -> Told:
    """One weight for each class."""
    return told("weight", c=x.shape[1] if len(x.shape) > 1 else x.shape[0], **blanks)


def look_at_hot(scene: Scene, found: re.Match) -> Told | None:
    """one_hot of floats, or of numbers beyond the number of classes."""
    y = scene.tensors[0] if scene.tensors else None
    if y is None:
        return None
    if y.value.dtype != torch.int64:
        return told("hot", fix_with(scene, {y.node: f"{y.atom}.long()"}), y=y.name, ty=kind(y))
    if not y.real or y.value.numel() == 0:
        return None
    low, high = int(y.value.min()), int(y.value.max())
    numbers = scene.node.args[1:2] + [
        k.value for k in scene.node.keywords if k.arg == "num_classes"
    ]
    fix = fix_with(scene, {numbers[0]: str(high + 1)}) if numbers and low >= 0 else ""
    return told("hot_range", fix, y=y.name, low=low, high=high, n=high + 1)
