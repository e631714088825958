"""broadcast-shapes: two shapes that do not go together element by element."""

from __future__ import annotations

import itertools
import re

from lens.doctor import repairs
from lens.doctor.origins import origin
from lens.doctor.repairs import Repair, first_fit, fix_with
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import clashing, conflict, functional, loss_parts, mended, size
from lens.doctor.scene import Scene, Seen


def look(scene: Scene, found: re.Match) -> Told | None:
    """Two operands that clash, and what would make them go together."""
    pair = clashing(scene)
    if pair is None:
        return None
    a, b = pair
    if scores := _class_scores(scene):
        return scores
    at = conflict(a.shape, b.shape)
    blanks = {"a": a.name, "b": b.name, "sa": size(a), "sb": size(b)}
    blanks |= {"na": a.shape[-at], "nb": b.shape[-at]}
    return mended(scene, _repair(scene, a, b), "both", **blanks)


def _repair(scene: Scene, a: Seen, b: Seen) -> Repair | None:
    big, small = (a, b) if len(a.shape) >= len(b.shape) else (b, a)
    if len(a.shape) == len(b.shape) == 1:
        return first_fit(scene, itertools.chain(repairs.cut(a, b), repairs.cut(b, a)))
    same = [] if len(a.shape) != len(b.shape) else [*repairs.turned(b), *repairs.turned(a)]
    orders = [*repairs.moved(b), *repairs.moved(a)] if sorted(a.shape) == sorted(b.shape) else []
    shaped = first_fit(scene, [*same, *orders])
    if shaped:
        return shaped
    fitting = [
        *repairs.added(small, len(big.shape)),
        *_resized(scene, a, b),
        *_resized(scene, b, a),
    ]
    return first_fit(scene, fitting, big.shape) or first_fit(
        scene,
        itertools.chain(
            _resized(scene, a, b), repairs.reshaped(b, a), repairs.reshaped(a, b),
            repairs.cut(a, b), repairs.cut(b, a), repairs.added(small),
        ),
    )  # fmt: skip


def _resized(scene: Scene, a: Seen, b: Seen):
    if len(a.shape) == len(b.shape) == 4 and a.shape[:2] == b.shape[:2] and _larger(b, a):
        code = f"{functional(scene)}.interpolate({b.name}, size={a.atom}.shape[-2:])"
        yield Repair("resized", b, code)


def _larger(b: Seen, a: Seen) -> bool:
    return all(n >= m for n, m in zip(b.shape, a.shape, strict=True))


def _class_scores(scene: Scene) -> Told | None:
    parts = loss_parts(scene)
    if parts is None:
        return None
    out, y = parts
    if len(out.shape) != 2 or y.shape != out.shape[:1] or out.shape[1] < 2:
        return None
    code = f"{functional(scene)}.cross_entropy({out.name}, {y.atom}.long())"
    name = type(scene.layer.module).__name__ if scene.layer else scene.called
    blanks = {"a": out.name, "b": y.name, "na": out.shape[1], "nb": y.shape[0], "loss": name}
    return told("scores", fix_with(scene, {scene.node: code}), **blanks)


def look_at_write(scene: Scene, found: re.Match) -> Told | None:
    """A result that is larger than the tensor it should be written to."""
    if len(scene.tensors) < 2:
        return None
    a, b = scene.tensors[:2]
    fix = ""
    if type(scene.node).__name__ == "AugAssign":
        sign = {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/"}.get(type(scene.node.op).__name__)
        fix = f"{a.name} = {a.name} {sign} {b.name}" if sign else ""
        extra = len(b.shape) - len(a.shape)
        if sign == "+" and extra > 0 and b.shape[extra:] == a.shape and "zeros" in _maker(scene, a):
            dims = "0" if extra == 1 else str(tuple(range(extra)))
            code = f"{b.atom}.sum({dims})"
            return told("sum", fix_with(scene, {b.node: code}), a=a.name, b=b.name,
                        sa=size(a), sb=size(b), code=code)  # fmt: skip
    elif scene.called.endswith("_") and a.node is not None:
        method = scene.called.rpartition(".")[2].rstrip("_")
        fix = f"{a.name} = {a.atom}.{method}({b.name})"
    return told("write", repairs.runnable(scene, fix) if fix else "", a=a.name, b=b.name,
                sa=size(a), sb=size(b), s=found["s"])  # fmt: skip


def _maker(scene: Scene, seen: Seen) -> str:
    step = origin(scene, seen.name)
    return step.text if step else ""


def look_at_expand(scene: Scene, found: re.Match) -> Told | None:
    """A value that does not fill the place it is written to, or a shape asked of expand."""
    seen = scene.tensors
    if repairs.is_store(scene) and len(seen) > 1:
        place, value = seen[0], seen[-1]
        tries = [*repairs.turned(value), *repairs.added(value), *repairs.dropped(value)]
        target = tuple(int(n) for n in found["want"].split(",") if n.strip())
        if value.value.numel() == _count(target):
            sizes = ", ".join(map(str, target))
            tries.append(Repair("reshaped", value, f"{value.atom}.reshape({sizes})"))
        tries += [Repair("cut", value, f"{value.atom}[..., :{target[-1]}]")] if target else []
        blanks = {"a": scene.text(scene.node), "b": value.name, "sb": size(value)}
        return mended(scene, first_fit(scene, tries), "store", place=place.name, **blanks)
    if not seen:
        return None
    fit = first_fit(scene, [*repairs.added(seen[0]), *repairs.turned(seen[0])])
    return mended(scene, fit, "expand", a=seen[0].name, sa=size(seen[0]))


def _count(sizes: tuple[int, ...]) -> int:
    total = 1
    for n in sizes:
        total *= n
    return total


def look_at_dims(scene: Scene, found: re.Match) -> Told | None:
    """expand and repeat with fewer sizes than the tensor has dimensions."""
    if not scene.tensors:
        return None
    a = scene.tensors[0]
    return told("dims", a=a.name, sa=size(a), n=len(a.shape), call=scene.text(scene.node))
