"""view-layout: a shape with another number of elements, or a layout that no view can show."""

from __future__ import annotations

import ast
import math
import re

from lens.doctor.origins import origin
from lens.doctor.repairs import fix_with, works
from lens.doctor.rewriting import runnable, statement_with
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import size
from lens.doctor.scene import Scene, Seen, operand_nodes


def receiver(scene: Scene) -> Seen | None:
    """The tensor whose method was called, or the first tensor given."""
    return scene.tensors[0] if scene.tensors else None


def look_at_count(scene: Scene, found: re.Match) -> Told | None:
    """view and reshape to a shape that holds another number of elements."""
    x = receiver(scene)
    if x is None or not isinstance(scene.node, ast.Call):
        return None
    want = [int(n) for n in found["shape"].split(",")]
    total = x.value.numel()
    fixed = math.prod(n for n in want if n >= 0)
    blanks = {"x": x.name, "sx": size(x), "n": total, "shape": tuple(want), "m": fixed}
    text = "rest" if -1 in want else "count"
    for new in _shapes(want, x.shape):
        edits = _with_shape(scene, new)
        if edits and works(scene, edits):
            code = scene.text(scene.node.func) + f"({', '.join(map(str, new))})"
            return told(text, fix_with(scene, edits), INFER.replace("{code}", code), **blanks)
    return told(text, **blanks)


INFER = (
    "With one size left to be worked out, `{code}` fits."
    " || 留一个长度写 -1 让 torch 去算，`{code}` 就对得上。"
)


def _shapes(want: list[int], have: tuple[int, ...]):
    for i in range(len(want)):
        if -1 not in want:
            yield [*want[:i], -1, *want[i + 1 :]]
    if len(want) == 2 and len(have) > 1:
        yield [have[0], -1]
    if -1 in want and len(want) > 1:
        yield [have[0], *([1] * (len(want) - 2)), -1]
    if len(want) == 1:
        yield [-1]


def _with_shape(scene: Scene, new: list[int]) -> dict[ast.AST, str] | None:
    node = scene.node
    if node.keywords or not isinstance(node.func, ast.Attribute):
        return None
    sizes = ", ".join(map(str, new))
    is_method = scene.look_at(node.func.value)
    if is_method:
        return {node: f"{scene.text(node.func)}({sizes})"}
    return {node.args[1]: f"({sizes},)"} if len(node.args) > 1 else None


def look_at_layout(scene: Scene, found: re.Match) -> Told | None:
    """view of a tensor whose memory does not lie in that order."""
    x = receiver(scene)
    node = scene.node
    method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    if x is None or not method or node.func.attr not in ("view", "view_as"):
        return None
    owner = scene.text(node.func.value)
    new = node.func.attr.replace("view", "reshape")
    args = ", ".join(scene.text(each) for each in [*node.args, *(k.value for k in node.keywords)])
    code = f"{owner}.{new}({args})"
    blanks = {"x": x.name, "sx": size(x), "st": x.value.stride(), "new": new}
    return told("view", fix_with(scene, {node: code}), **blanks)


def look_at_overlap(scene: Scene, found: re.Match) -> Told | None:
    """Writing to a tensor made by expand: several elements are one piece of memory."""
    x = receiver(scene)
    if x is None:
        return None
    base = x.name.split("[")[0]
    seen = next((s for s in scene.look_at(ast.parse(base, mode="eval").body)), x)
    blanks = {"x": base, "sx": size(seen), "st": seen.value.stride()}
    step = origin(scene, base)
    line = step.text if step else ""
    text = "made" if step else "overlap"
    assign = f"{base} = {base}.clone()"
    return told(
        text, runnable(scene, f"{assign}\n{statement_with(scene, {})}"), **blanks, line=line
    )


def look_at_same(scene: Scene, found: re.Match) -> Told | None:
    """Input and target of a write share memory."""
    nodes = operand_nodes(scene.node, scene.statement)
    seen = [s for node in nodes for s in scene.look_at(node) if s.is_tensor]
    if not seen:
        return None
    x, rest = seen[0], [s for s in seen[1:] if s.node is not None and s.node is not nodes[0]]
    if isinstance(scene.node, ast.AugAssign):
        rest = [s for s in rest if s.node is scene.node.value]
    shared = [s for s in rest if _same_memory(s, x)]
    if not shared:
        return None
    edits = {s.node: f"{s.atom}.clone()" for s in shared}
    return told("same", fix_with(scene, edits), x=x.name, y=shared[0].name)


def _same_memory(a: Seen, b: Seen) -> bool:
    if not (a.real and b.real):
        return False
    return a.value.untyped_storage().data_ptr() == b.value.untyped_storage().data_ptr()


def look_at_order(scene: Scene, found: re.Match) -> Told | None:
    """permute and t with the wrong number of dimensions."""
    x = receiver(scene)
    if x is None:
        return None
    fix = ""
    if scene.called.endswith(".t"):
        code = f"{scene.called.removesuffix('.t')}.mT"
        fix = fix_with(scene, {scene.node: code})
    return told("order", fix, x=x.name, sx=size(x), n=len(x.shape))
