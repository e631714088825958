"""index: beyond the end, of the wrong type, a mask that does not fit."""

from __future__ import annotations

import ast
import re

import torch

from lens.doctor import repairs
from lens.doctor.origins import origin
from lens.doctor.repairs import first_fit, fix_with, is_store, works
from lens.doctor.rewriting import rewrite, runnable, statement_with
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import argument, is_number, kind, mended, nn_name, size
from lens.doctor.scene import Scene, Seen


def look_at_end(scene: Scene, found: re.Match) -> Told | None:
    """An index beyond the last position; of an embedding, a number beyond its table."""
    x = scene.tensors[0] if scene.tensors else None
    if x is None:
        return None
    n, i, d = (int(found[k]) for k in ("n", "i", "d"))
    blanks = {"x": x.name, "sx": size(x), "last": n - 1, "n": n, "low": -n}
    index = [s for s in scene.operands[1:] if s.is_tensor and not s.value.dtype.is_floating_point]
    if index and scene.operands[0] is x:
        return told("tensor", y=index[0].name, **blanks)
    return told("empty" if n == 0 else "end", _last_index(scene, i, n, d), **blanks)


def _last_index(scene: Scene, i: int, n: int, d: int) -> str:
    node = scene.node
    if not isinstance(node, ast.Subscript) or n == 0:
        return ""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    for part in parts:
        if is_number(scene, part, i):
            return fix_with(scene, {part: "-1" if i > 0 else "0"})
    return ""


def look_at_embedding(scene: Scene, found: re.Match) -> Told | None:
    """Numbers that an embedding has no row for."""
    module = scene.layer.module if scene.layer else None
    y = argument(scene, 0, "input") or (scene.tensors[-1] if scene.tensors else None)
    if scene.called.endswith("index_select") or y is None:
        return None
    if isinstance(module, torch.nn.Embedding):
        rows, given = module.num_embeddings, scene.layer.given
        name = scene.layer.title
    else:
        table = argument(scene, 1, "weight")
        rows, given, name = (table.shape[0], y.value, table.name) if table else (None, None, "")
    if rows is None or not isinstance(given, torch.Tensor) or given.is_meta:
        return None
    low, high = int(given.min()), int(given.max())
    blanks = {"y": y.name, "low": low, "high": high, "rows": rows, "last": rows - 1, "t": name}
    fix = ""
    if low >= 0 and isinstance(module, torch.nn.Embedding):
        new = f"{nn_name(scene)}.Embedding({high + 1}, {module.embedding_dim})"
        called = scene.node.func if isinstance(scene.node, ast.Call) else None
        if isinstance(called, ast.Call):
            fix = fix_with(scene, {called: new})
        elif scene.layer.code:
            outer = scene.outer or scene
            fix = f"{scene.layer.code} = {new}\n{rewrite(outer.source, outer.statement, {})}"
    return told("embedding", fix, **blanks)


def look_at_mask(scene: Scene, found: re.Match) -> Told | None:
    """A mask that has another shape than the tensor."""
    if len(scene.operands) < 2:
        return None
    x = scene.operands[0]
    masks = [s for s in scene.tensors if s is not x and kind(s) in ("bool", "uint8")]
    if not masks:
        return None
    mask = masks[0]
    blanks = {"x": x.name, "sx": size(x), "m": mask.name, "sm": size(mask)}
    place = next((d for d, n in enumerate(x.shape) if (n,) == mask.shape), None)
    if place:
        code = f"{':, ' * place}{mask.name}"
        where = f"`{x.name}[{code}]` asks along dimension {place}."
        zh = f"`{x.name}[{code}]` 沿第 {place} 维选取。"
        return told("mask", fix_with(scene, {scene.node.slice: code}), f"{where} || {zh}", **blanks)
    if x.shape[0] == 1 and len(mask.shape) == 1 and len(x.shape) > 1:
        rest = ", ".join(["-1"] * (len(x.shape) - 1))
        code = f"{x.atom}.expand({mask.shape[0]}, {rest})"
        return told("mask", fix_with(scene, {x.node: code}), ONE_ROW, **blanks)
    tries = [*repairs.dropped(mask), *repairs.turned(mask)]
    fit = next((r for r in tries if _squeezed(r, mask) == x.shape[: len(mask.shape) - 1]), None)
    if (
        fit is None
        and len(mask.shape) == len(x.shape)
        and mask.shape[1:] == (1,) * (len(x.shape) - 1)
    ):
        return told("mask", fix_with(scene, {mask.node: f"{mask.atom}.flatten()"}), **blanks)
    return mended(scene, fit, "mask", **blanks)


ONE_ROW = (
    "It has a single row; either there should be one for each flag, or that row is meant for all."
    " || 它只有一行；要么应当每个标志对应一行，要么这一行本来就是大家共用的。"
)


def _squeezed(repair: repairs.Repair, mask: Seen) -> tuple[int, ...] | None:
    if repair.kind != "dropped":
        return None
    at = int(repair.code.rpartition("(")[2].rstrip(")"))
    return mask.shape[:at] + mask.shape[at + 1 :]


def look_at_type(scene: Scene, found: re.Match) -> Told | None:
    """An index of floats."""
    floats = [s for s in scene.tensors if s.value.dtype.is_floating_point]
    x = scene.tensors[0] if scene.tensors else None
    start = 1 if x is not None and isinstance(scene.node, ast.Subscript) else 0
    wrong = [s for s in scene.tensors[start:] if s in floats or kind(s) not in ("int64", "int32")]
    if isinstance(scene.node, ast.Call):
        wrong = [s for s in scene.tensors if s in floats and s is not x] or wrong
    if not wrong:
        number = next((s for s in scene.operands if type(s.value) is float), None)
        if number is None:
            return None
        return told("number", fix_with(scene, {number.node: f"int({number.name})"}), i=number.name)
    index = wrong[-1] if isinstance(scene.node, ast.Subscript) else wrong[0]
    text = "empty" if index.value.numel() == 0 else "type"
    to = ".bool()" if "mask" in scene.called else ".long()"
    return told(
        text, fix_with(scene, {index.node: f"{index.atom}{to}"}), i=index.name, ti=kind(index)
    )


def look_at_dimension(scene: Scene, found: re.Match) -> Told | None:
    """A dimension that is not there."""
    lo, hi, d = int(found["lo"]), int(found["hi"]), int(found["d"])
    seen = scene.tensors
    fit_all = [s for s in seen if max(len(s.shape), 1) - 1 == hi] or seen
    if not fit_all:
        return None
    x = fit_all[0]
    blanks = {"x": x.name, "sx": size(x), "n": len(x.shape), "last": hi, "lo": lo, "d": d}
    if scene.called.endswith(("cat", "concat")):
        for repair in repairs.added(x):
            if repair.seen.node is not None and works(scene, {x.node: repair.code}):
                return told("plain_x", repairs.fix_of(scene, repair), repair.says, **blanks)
    if made := _unsqueezed(scene, x, d):
        return made
    number = _number(scene, d)
    if number is not None and x.shape and works(scene, {number: "-1"}):
        return told("plain_x", fix_with(scene, {number: "-1"}), LAST, **blanks)
    return told("plain_x", **blanks)


LAST = "The last dimension is -1, however many there are. || 不管有几个维度，最后一维总是 -1。"


def _number(scene: Scene, d: int) -> ast.AST | None:
    if not isinstance(scene.node, ast.Call):
        return None
    nodes = [*scene.node.args, *(k.value for k in scene.node.keywords)]
    return next((n for n in nodes if is_number(scene, n, d)), None)


def _unsqueezed(scene: Scene, x: Seen, d: int) -> Told | None:
    """Where a squeeze on the way took the dimension away."""
    step = origin(scene, x.name)
    if step is None or not step.here:
        return None
    for call in ast.walk(step.value):
        squeezes = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        if squeezes and call.func.attr == "squeeze":
            made = rewrite(scene.source, step.statement, {call: scene.text(call.func.value)})
            code = runnable(scene, f"{made}\n{statement_with(scene, {})}")
            blanks = {"x": x.name, "sx": size(x), "d": d, "call": scene.text(call)}
            return told("squeezed", code, line=step.line, **blanks)
    return None


def look_at_values(scene: Scene, found: re.Match) -> Told | None:
    """A value that does not go into the selected places."""
    if not is_store(scene) or len(scene.tensors) < 2:
        return None
    x, value = scene.tensors[0], scene.tensors[-1]
    tries = [*repairs.added(value), *repairs.turned(value), *repairs.dropped(value)]
    blanks = {"x": scene.text(scene.node), "v": value.name, "sv": size(value)}
    return mended(scene, first_fit(scene, tries), "values", base=x.name, **blanks)
