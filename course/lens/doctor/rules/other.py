"""other: memory, determinism, matrices without an inverse, division by zero."""

from __future__ import annotations

import ast
import math
import re

import torch

from lens.doctor import repairs
from lens.doctor.repairs import fix_with, outcome
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import size, torch_name
from lens.doctor.scene import Scene

GIGA = 1024**3


def look_at_memory(scene: Scene, found: re.Match) -> Told | None:
    """More memory than there is: often by broadcasting."""
    asked = next((v for v in (found.groupdict().get("bytes"),) if v), None)
    gib = f"{int(asked) / GIGA:,.0f} GiB" if asked else ""
    seen = scene.tensors
    if len(seen) > 1:
        a, b = max(seen, key=lambda s: len(s.shape)), min(seen, key=lambda s: len(s.shape))
        try:
            both = tuple(torch.broadcast_shapes(a.shape, b.shape))
        except RuntimeError:
            both = ()
        if both and math.prod(both) > 4 * max(a.value.numel(), b.value.numel(), 1):
            like = min((a.shape, b.shape), key=len)
            fit = next((r for r in repairs.dropped(a) if _gives(scene, r, like)), None)
            blanks = {
                "a": a.name,
                "b": b.name,
                "sa": size(a),
                "sb": size(b),
                "both": both,
                "gib": gib,
            }
            fix = fix_with(scene, {fit.seen.node: fit.code}) if fit else ""
            return told("broadcast", fix, fit.says if fit else "", **blanks)
    return told("memory" if gib else "plain", gib=gib)


def _gives(scene: Scene, repair: repairs.Repair, shape: tuple) -> bool:
    result = outcome(scene, {repair.seen.node: repair.code})
    return tuple(getattr(result, "shape", ())) == shape


def look_at_deterministic(scene: Scene, found: re.Match) -> Told | None:
    """An operation that has no deterministic version."""
    name = torch_name(scene)
    call = f"{name}.use_deterministic_algorithms(True, warn_only=True)"
    return told("deterministic", f"{call}\n{fix_with(scene, {})}", f=found["f"])


def look_at_singular(scene: Scene, found: re.Match) -> Told | None:
    """A matrix without an inverse."""
    x = scene.tensors[0] if scene.tensors else None
    if x is None or not isinstance(scene.node, ast.Call):
        return None
    fix = ""
    if scene.called.endswith(("inv", "inverse")):
        code = f"{torch_name(scene)}.linalg.pinv({x.name})"
        fix = fix_with(scene, {scene.node: code})
    return told("singular", fix, x=x.name, sx=size(x))


def look_at_zero(scene: Scene, found: re.Match) -> Told | None:
    """Whole numbers divided by zero."""
    x = next((s for s in scene.tensors if not s.value.is_floating_point()), None)
    if x is None or x.node is None:
        return None
    return told("zero", x=x.name)
