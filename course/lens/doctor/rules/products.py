"""matmul-shapes: matrices whose inner sizes differ, and wrong numbers of dimensions."""

from __future__ import annotations

import ast
import re

from torch import nn

from lens.doctor import repairs
from lens.doctor.repairs import Repair, first_fit, fix_with, shadow_of_code, works
from lens.doctor.rewriting import rewrite
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import argument, mended, size, torch_name
from lens.doctor.rules.linear import look_at_linear
from lens.doctor.scene import Scene, Seen

MATMUL = "`matmul` takes any number of dimensions. || `matmul` 对维度个数没有要求。"


def look(scene: Scene, found: re.Match) -> Told | None:
    """A layer that gets the wrong number of features, or two matrices."""
    if scene.layer and isinstance(scene.layer.module, nn.Linear):
        return look_at_linear(scene)
    seen = [s for s in scene.tensors if s.shape]
    if len(seen) < 2:
        return None
    a, b = seen[-2:]
    blanks = {"a": a.name, "b": b.name, "sa": size(a), "sb": size(b)}
    blanks |= {"k": a.shape[-1], "m": b.shape[-2] if len(b.shape) > 1 else b.shape[0]}
    text = "vector" if min(len(a.shape), len(b.shape)) == 1 else "both"
    fit = first_fit(scene, [*repairs.turned(b), *repairs.turned(a)])
    if fit is None and (swap := _swapped(scene, a, b)):
        return told(text, *swap, **blanks)
    return mended(scene, fit or _repair(scene, a, b), text, **blanks)


def _repair(scene: Scene, a: Seen, b: Seen) -> Repair | None:
    tries = [*repairs.flat(a), *repairs.moved(b), *repairs.dropped(a), *repairs.dropped(b)]
    return first_fit(scene, [*tries, _cut(a, b)])


def _cut(a: Seen, b: Seen) -> Repair:
    k, m = a.shape[-1], b.shape[-2 if len(b.shape) > 1 else 0]
    if k > m:
        return Repair("cut", a, f"{a.atom}[..., :{m}]")
    return Repair("cut", b, f"{b.atom}[..., :{k}, :]" if len(b.shape) > 1 else f"{b.atom}[:{k}]")


def _swapped(scene: Scene, a: Seen, b: Seen) -> tuple[str, str] | None:
    if a.node is None or b.node is None:
        return None
    edits = {a.node: b.name, b.node: a.name}
    if not works(scene, edits):
        return None
    code = rewrite(scene.source, scene.node, edits)
    return fix_with(scene, edits), repairs.WORDS["swapped"].replace("{code}", code)


def look_at_dims(scene: Scene, found: re.Match) -> Told | None:
    """mm, bmm, mv and dot take a fixed number of dimensions."""
    if len(scene.tensors) < 2:
        return None
    a, b = scene.tensors[-2:]
    tries = [
        Repair("flat", s, f"{s.atom}.flatten({start})")
        for s in (b, a)
        if len(s.shape) > 3
        for start in (2, 1)
    ]
    tries += [*repairs.dropped(b), *repairs.dropped(a), *repairs.added(b), *repairs.added(a)]
    blanks = {"a": a.name, "b": b.name, "sa": size(a), "sb": size(b), "call": scene.called}
    fit = first_fit(scene, tries)
    code = f"{torch_name(scene)}.matmul({a.name}, {b.name})"
    if fit is None and shadow_of_code(scene, code) is not None:
        return told("dims", fix_with(scene, {scene.node: code}), MATMUL, **blanks)
    return mended(scene, fit, "dims", **blanks)


def look_at_einsum(scene: Scene, found: re.Match) -> Told | None:
    """The letters of the equation beside the dimensions of its operands."""
    seen = scene.tensors
    equation = scene.reader.read(scene.node.args[0]) if isinstance(scene.node, ast.Call) else None
    if type(equation) is not str or not seen:
        return None
    terms = [term.strip() for term in equation.split("->")[0].split(",")]
    which = found.groupdict().get("op2") or found.groupdict().get("op")
    at = int(which) if which else 0
    if at >= min(len(seen), len(terms)):
        return None
    x, term = seen[at], terms[at]
    blanks = {"x": x.name, "sx": size(x), "term": term, "nt": len(term), "nx": len(x.shape)}
    if found.groupdict().get("op2"):
        return told("letters", _einsum_fix(scene, seen, terms), **blanks)
    others = [
        (s, t) for s, t in zip(seen, terms, strict=False)
        if found["sub"] in t and s.shape[t.index(found["sub"])] == int(found["n2"])
    ]  # fmt: skip
    y = others[0][0].name if others else ""
    return mended(scene, first_fit(scene, [r for s in seen for r in repairs.turned(s)]),
                  "size", **blanks, y=y)  # fmt: skip


def _einsum_fix(scene: Scene, seen: list[Seen], terms: list[str]) -> str:
    edits = {}
    for s, term in zip(seen, terms, strict=False):
        if len(s.shape) > len(term) > 1 and s.node is not None:
            edits[s.node] = f"{s.atom}.flatten({len(term) - 1})"
    whole = {node: edits[key] for node in scene.node.args for key in edits
             if scene.text(node) == scene.text(key)}  # fmt: skip
    return fix_with(scene, whole) if works(scene, whole) else ""


def look_at_square(scene: Scene, found: re.Match) -> Told | None:
    """inv, det and their like need as many rows as columns."""
    x = argument(scene, 0, "A", "input") or (scene.tensors[0] if scene.tensors else None)
    return told("square", x=x.name, sx=size(x)) if x else None
