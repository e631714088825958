"""dtype-unsupported: an operation that is not there for this type."""

from __future__ import annotations

import ast
import re

from lens.doctor.repairs import fix_with
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import argument, is_number, kind
from lens.doctor.scene import Scene


def look_at_float(scene: Scene, found: re.Match) -> Told | None:
    """A whole-number tensor where floats are needed."""
    x = next((s for s in scene.tensors if not s.value.dtype.is_floating_point), None)
    if x is None:
        return None
    text = "bool" if kind(x) == "bool" else "whole"
    fix = fix_with(scene, {x.node: f"{x.atom}.float()"}) if x.node is not None else ""
    return told(text, fix, x=x.name, tx=kind(x), call=scene.called or scene.text(scene.node))


def look_at_kernel(scene: Scene, found: re.Match) -> Told | None:
    """A kernel that is missing for a type: bits of floats, statistics of integers."""
    bits = re.search(r"bitwise|shift|bincount", found["k"])
    if bits:
        return look_at_bits(scene, found)
    if re.search(r"normal|uniform|bernoulli", found["k"]) and isinstance(scene.node, ast.Call):
        dtype = next((k for k in scene.node.keywords if k.arg == "dtype"), None)
        if dtype is not None:
            whole = scene.text(dtype.value)
            rest = [*map(scene.text, scene.node.args)]
            rest += [
                f"{k.arg}={scene.text(k.value)}" for k in scene.node.keywords if k is not dtype
            ]
            code = f"{scene.called}({', '.join(rest)}).to({whole})"
            return told("random", fix_with(scene, {scene.node: code}), call=scene.called, tx=whole)
    return look_at_float(scene, found) or look_at_low(scene)


def look_at_low(scene: Scene) -> Told | None:
    """Half precision or another small type."""
    x = scene.tensors[0] if scene.tensors else None
    if x is None:
        return None
    fix = fix_with(scene, {x.node: f"{x.atom}.float()"}) if x.node is not None else ""
    return told("low", fix, x=x.name, tx=kind(x), call=scene.called or scene.text(scene.node))


def look_at_bits(scene: Scene, found: re.Match) -> Told | None:
    """`&`, `|`, `~` on floats: masks are meant, made by a comparison."""
    floats = [s for s in scene.tensors if s.value.dtype.is_floating_point]
    if not floats:
        return None
    to = ".long()" if isinstance(scene.node, ast.Call) else ".bool()"
    edits = {s.node: f"{s.atom}{to}" for s in floats if s.node is not None}
    whole = _every_place(scene, edits)
    parens = "&" in scene.text(scene.node) or "|" in scene.text(scene.node)
    more = PARENS if parens and _compares(scene) else ""
    if more:
        return told("bits", "", more, x=floats[0].name, tx=kind(floats[0]))
    return told("bits", fix_with(scene, whole), x=floats[0].name, tx=kind(floats[0]))


PARENS = (
    "`&` and `|` bind before `<` and `==`: put each comparison in parentheses."
    " || `&` 和 `|` 的优先级高于 `<` 和 `==`：每个比较都要加括号。"
)


def _compares(scene: Scene) -> bool:
    return any(isinstance(n, ast.Compare) for n in ast.walk(scene.statement))


def _every_place(scene: Scene, edits: dict) -> dict:
    texts = {scene.text(node): new for node, new in edits.items()}
    nodes = [n for n in ast.walk(scene.node) if isinstance(n, ast.expr)]
    return {n: texts[scene.text(n)] for n in nodes if scene.text(n) in texts and _loads(n)}


def _loads(node: ast.AST) -> bool:
    return not hasattr(node, "ctx") or isinstance(node.ctx, ast.Load)


def look_at_grad(scene: Scene, found: re.Match) -> Told | None:
    """requires_grad of a tensor of whole numbers."""
    if not isinstance(scene.node, ast.Call):
        return None
    name = scene.called.rpartition(".")[2]
    if name in ("tensor", "zeros", "ones", "arange", "full", "randint", "zeros_like", "ones_like"):
        keywords = [k for k in scene.node.keywords if k.arg == "dtype"]
        if keywords:
            return told("made", fix_with(scene, {keywords[0].value: "torch.float32"}))
        text = [*map(scene.text, scene.node.args)]
        text += [f"{k.arg}={scene.text(k.value)}" for k in scene.node.keywords]
        code = f"{scene.called}({', '.join([*text, 'dtype=torch.float32'])})"
        return told("made", fix_with(scene, {scene.node: code}))
    x = scene.tensors[0] if scene.tensors else None
    if x is None or x.node is None:
        return None
    if name == "requires_grad_":
        code = f"{x.name} = {x.atom}.float().requires_grad_()"
        return told("grad", code, x=x.name, tx=kind(x))
    return told("grad", fix_with(scene, {x.node: f"{x.atom}.float()"}), x=x.name, tx=kind(x))


def look_at_minus(scene: Scene, found: re.Match) -> Told | None:
    """Minus on masks: `~` inverts, `^` tells where they differ."""
    masks = [s for s in scene.operands if s.is_tensor and kind(s) == "bool"]
    node = scene.node
    if not masks:
        return None
    if isinstance(node, ast.UnaryOp):
        return told("invert", fix_with(scene, {node: f"~{masks[0].atom}"}), x=masks[0].name)
    if isinstance(node, ast.BinOp):
        if is_number(scene, node.left, 1) and len(masks) == 1:
            return told("invert", fix_with(scene, {node: f"~{masks[0].atom}"}), x=masks[0].name)
        if len(masks) == 2:
            code = f"{masks[0].atom} ^ {masks[1].atom}"
            return told("differ", fix_with(scene, {node: code}), a=masks[0].name, b=masks[1].name)
    edits = {s.node: f"{s.atom}.float()" for s in masks if s.node is not None}
    return told("count", fix_with(scene, edits), x=masks[0].name)


def look_at_power(scene: Scene, found: re.Match) -> Told | None:
    """A negative power of whole numbers."""
    x = scene.tensors[0] if scene.tensors else argument(scene, 0)
    if x is None or x.node is None:
        return None
    return told("power", fix_with(scene, {x.node: f"{x.atom}.float()"}), x=x.name, tx=kind(x))
