"""A Linear layer that gets the wrong number of features."""

from __future__ import annotations

import ast

from lens.doctor import repairs
from lens.doctor.origins import origin
from lens.doctor.repairs import Repair, fix_with, shadow_of_code
from lens.doctor.rewriting import rewrite, runnable, statement_with
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import mended, nn_name, run_again
from lens.doctor.scene import Scene, Seen


def look_at_linear(scene: Scene) -> Told | None:
    """Linear acts on the last dimension: flatten the input, move or join it otherwise?"""
    layer, given = scene.layer, scene.layer.given
    need, shape = layer.module.in_features, tuple(given.shape)
    blanks = {"layer": layer.title, "need": need, "last": shape[-1], "shape": shape}
    x = next((s for s in scene.tensors if s.value is given), None)
    if x is None or x.node is None:
        return _inside(scene, blanks)
    blanks["x"] = x.name
    if joined := _joined_otherwise(scene, x):
        return told("linear", *joined, **blanks)
    tries = [*repairs.flat(x), *repairs.turned(x), *repairs.moved(x)]
    fit = next((repair for repair in tries if _last_size(scene, repair) == need), None)
    if fit:
        return mended(scene, fit, "linear", **blanks)
    return told("linear", _new_layer(scene), _other_layer(shape[-1]), **blanks)


def _last_size(scene: Scene, repair: Repair) -> int:
    known = {ast.unparse(repair.seen.node): repair.seen.value}
    result = shadow_of_code(scene, repair.code, known)
    return result.shape[-1] if result is not None else 0


def _other_layer(n: int) -> str:
    return (
        f"If the input is as it should be, the layer must take {n} features."
        f" || 如果输入没有问题，那就要把这一层改成接收 {n} 个特征。"
    )


def _new_layer(scene: Scene) -> str:
    layer = scene.layer
    n, m = layer.given.shape[-1], layer.module.out_features
    new = f"{nn_name(scene)}.Linear({n}, {m})"
    if isinstance(scene.node, ast.Call) and isinstance(scene.node.func, ast.Call):
        return fix_with(scene, {scene.node.func: new})
    return run_again(scene, f"{layer.code} = {new}") if layer.code else ""


def _inside(scene: Scene, blanks: dict) -> Told:
    """The layer stands inside a Sequential: a Flatten before it, or another size."""
    layer, shape = scene.layer, tuple(scene.layer.given.shape)
    home, _, place = layer.code.rpartition("[")
    each = layer.given[0].numel() if len(shape) > 1 and shape[0] else 0
    if each == layer.module.in_features and home:
        sizes = " × ".join(map(str, shape[1:]))
        flat = f"{home}.insert({place.rstrip(']')}, {nn_name(scene)}.Flatten())"
        more = (
            f"{sizes} = {each}: a Flatten is missing before it."
            f" || {sizes} = {each}：它前面少了一个 Flatten。"
        )
        return told("inside", run_again(scene, flat), more, **blanks)
    return told("inside", _new_layer(scene), _other_layer(shape[-1]), **blanks)


def _joined_otherwise(scene: Scene, x: Seen) -> tuple[str, str] | None:
    """(fix, sentence) where `x` was made by cat along dimension 0, and along the last it fits."""
    step = origin(scene, x.name)
    if step is None or not step.here or not step.calls & {"cat", "concat", "concatenate"}:
        return None
    call = step.value
    if not isinstance(call, ast.Call) or not call.args:
        return None
    parts = scene.reader.read(call.args[0])
    shapes = [tuple(each.shape) for each in parts] if type(parts) in (list, tuple) else []
    if not shapes or sum(s[-1] for s in shapes) != scene.layer.module.in_features:
        return None
    new = f"{scene.text(call.func)}({scene.text(call.args[0])}, dim={len(shapes[0]) - 1})"
    made = rewrite(scene.source, step.statement, {call: new})
    says = repairs.WORDS["joined"].replace("{code}", new)
    return runnable(scene, f"{made}\n{statement_with(scene, {})}"), says
