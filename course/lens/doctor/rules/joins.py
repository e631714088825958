"""join-shapes: cat, stack, split, and the batches of a DataLoader."""

from __future__ import annotations

import ast
import re

from lens.doctor import repairs
from lens.doctor.names import UNKNOWN
from lens.doctor.origins import origin
from lens.doctor.repairs import fix_with, shadow_of_code, works
from lens.doctor.rewriting import rewrite
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import argument, functional, nn_name, size, torch_name
from lens.doctor.scene import Scene, Seen

DIMENSION = "Along dimension {new} they do fit. || 沿第 {new} 维拼接就对得上。"
PAD = (
    "They differ only in length: the shorter ones can be filled up."
    " || 它们只有长度不同，可以把短的补齐。"
)
CUT = (
    "To join them anyway, cut the longer one; better look why the sizes differ."
    " || 一定要拼，就得把长的截短；不过最好先查清长度为什么不同。"
)


def look(scene: Scene, found: re.Match) -> Told | None:
    """The first two tensors that do not fit, and what would join them."""
    if batch := _collated(scene):
        return _uneven_batch(scene, batch)
    seen = scene.tensors
    if len(seen) < 2:
        return None
    k = int(found.groupdict().get("k") or found.groupdict().get("e1") or 1)
    a, b = seen[0], seen[min(k, len(seen) - 1)]
    dim = int(found.groupdict().get("dim") or 0)
    blanks = {"a": a.name, "b": b.name, "sa": size(a), "sb": size(b), "call": scene.called}
    text = "stack" if scene.called.endswith("stack") else "cat"
    if text == "cat":
        blanks["at"] = next(
            (
                i
                for i, (n, m) in enumerate(zip(a.shape, b.shape, strict=False))
                if n != m and i != dim
            ),
            0,
        )
    fix, more, extra = _join(scene, a, b)
    return told(text, fix, more, **blanks, **extra)


def _join(scene: Scene, a: Seen, b: Seen) -> tuple[str, str, dict]:
    for new in [*range(1, len(a.shape)), 0] if len(a.shape) == len(b.shape) else []:
        edits = _along(scene, new)
        if edits and not scene.called.endswith("stack") and works(scene, edits):
            return fix_with(scene, edits), DIMENSION.replace("{new}", str(new)), {}
    tries = [*repairs.turned(b), *repairs.turned(a), *repairs.cut(b, a), *repairs.cut(a, b)]
    turned = repairs.first_fit(scene, tries[:2])
    if turned:
        return repairs.fix_of(scene, turned), turned.says, {}
    if scene.called.endswith("stack") and a.shape[1:] == b.shape[1:] and len(a.shape):
        code = f"{nn_name(scene)}.utils.rnn.pad_sequence({_parts(scene)}, batch_first=True)"
        return fix_with(scene, {scene.node: code}), PAD, {}
    if pads := _padded(scene, a, b):
        return repairs.fix_of(scene, pads), pads.says, {}
    cut = repairs.first_fit(scene, tries[2:])
    if cut:
        return repairs.fix_of(scene, cut), CUT, {}
    return "", "", {}


def _padded(scene: Scene, a: Seen, b: Seen) -> repairs.Repair | None:
    """Pictures whose height and width differ a little: the smaller one gets a border of zeros."""
    if len(a.shape) != len(b.shape) or len(a.shape) < 3:
        return None
    for big, small in ((a, b), (b, a)):
        more = [n - m for n, m in zip(big.shape, small.shape, strict=True)]
        amounts = ", ".join(f"0, {n}" for n in reversed(more[2:]))
        if all(0 <= n <= 2 for n in more[2:]) and any(more[2:]):
            code = f"{functional(scene)}.pad({small.name}, ({amounts}))"
            if fit := repairs.first_fit(scene, [repairs.Repair("padded", small, code)]):
                return fit
    return None


def _parts(scene: Scene) -> str:
    return scene.text(scene.node.args[0]) if isinstance(scene.node, ast.Call) else ""


def _along(scene: Scene, dim: int) -> dict[ast.AST, str]:
    node = scene.node
    if not isinstance(node, ast.Call) or not node.args:
        return {}
    for keyword in node.keywords:
        if keyword.arg in ("dim", "axis"):
            return {keyword.value: str(dim)}
    if len(node.args) > 1:
        return {node.args[1]: str(dim)}
    return {node: f"{scene.called}({scene.text(node.args[0])}, dim={dim})"}


def look_at_dims(scene: Scene, found: re.Match) -> Told | None:
    """cat of tensors that have different numbers of dimensions."""
    seen = scene.tensors
    if len(seen) < 2:
        return None
    big = max(seen, key=lambda s: len(s.shape))
    small = next(s for s in seen if len(s.shape) < len(big.shape))
    blanks = {"a": big.name, "b": small.name, "sa": size(big), "sb": size(small)}
    blanks |= {"na": len(big.shape), "nb": len(small.shape)}
    for code in _grown(big, small, scene):
        repair = repairs.Repair("added", small, code)
        if repairs.first_fit(scene, [repair]):
            return told("dims", repairs.fix_of(scene, repair), repair.says, **blanks)
    return told("dims", **blanks)


def _grown(big: Seen, small: Seen, scene: Scene):
    if len(big.shape) - len(small.shape) == 1:
        for repair in repairs.added(small):
            yield repair.code
    for at in range(len(big.shape)):
        target = list(big.shape)
        target[at] = 1
        yield f"{small.atom}.expand({', '.join(map(str, target))})"


def _collated(scene: Scene) -> list | None:
    for frame in reversed(scene.callees):
        if frame.f_code.co_name.endswith(("collate", "collate_tensor_fn", "default_collate")):
            batch = frame.f_locals.get("batch")
            return batch if isinstance(batch, (list, tuple)) else None
    return None


def _uneven_batch(scene: Scene, batch: list) -> Told:
    shapes = [tuple(getattr(each, "shape", ())) for each in batch]
    other = next((s for s in shapes if s != shapes[0]), shapes[0])
    blanks = {"s0": shapes[0], "s1": other}
    if len({s[1:] for s in shapes}) > 1:
        return told("batch", **blanks)
    pad = f"{nn_name(scene)}.utils.rnn.pad_sequence(batch, batch_first=True)"
    return told("batch", with_collate(scene, f"lambda batch: {pad}"), PAD, **blanks)


def with_collate(scene: Scene, function: str) -> str:
    """The DataLoader made again with a `collate_fn`, then the statement."""
    for tree, edit_of in ((scene.statement, "here"), (None, "origin")):
        if tree is not None and (call := _loader(tree)):
            return fix_with(scene, {call: _with_keyword(scene, call, function)})
        if edit_of == "origin":
            for name in [n.id for n in ast.walk(scene.statement) if isinstance(n, ast.Name)]:
                step = origin(scene, name)
                if step and step.here and (call := _loader(step.statement)):
                    made = rewrite(
                        scene.source, step.statement, {call: _with_keyword(scene, call, function)}
                    )
                    return made + "\n" + fix_with(scene, {})
    return ""


def _loader(tree: ast.AST) -> ast.Call | None:
    calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call))
    return next((c for c in calls if ast.unparse(c.func).endswith("DataLoader")), None)


def _with_keyword(scene: Scene, call: ast.Call, function: str) -> str:
    text = rewrite(scene.source, call, {}).removesuffix(")").rstrip().rstrip(",")
    return f"{text}, collate_fn={function})"


def look_at_collate(scene: Scene, found: re.Match) -> Told | None:
    """A sample that is no tensor, number or array."""
    home = f"{torch_name(scene)}.utils.data.default_collate"
    samples = _samples(scene)
    if found["cls"] == "NoneType":
        keep = f"lambda batch: {home}([s for s in batch if s is not None])"
        batch = _collated(scene) or []
        all_none = all(each is None for each in batch)
        none = "" if not batch or all_none else with_collate(scene, keep)
        return told("none", none, others=samples)
    if "PIL" in found["cls"]:
        name = torch_name(scene)
        fix = f"lambda batch: {name}.stack([{name}.tensor(np.array(s)) for s in batch])"
        numpy = "" if "np" in scene.reader.names else "import numpy as np\n"
        return told("image", numpy + with_collate(scene, fix), others=samples)
    return None


def _samples(scene: Scene) -> list[Seen]:
    """The list that the DataLoader reads from."""
    call = _loader(scene.statement)
    value = scene.reader.read(call.args[0]) if call and call.args else UNKNOWN
    return [Seen(scene.text(call.args[0]), call.args[0], value)] if isinstance(value, list) else []


def look_at_list(scene: Scene, found: re.Match) -> Told | None:
    """cat(a, b) where cat([a, b]) is meant."""
    node = scene.node
    if not isinstance(node, ast.Call) or not node.args:
        return None
    listed = [a for a in node.args if (s := scene.look_at(a)) and s[0].is_tensor]
    rest = [scene.text(a) for a in node.args if a not in listed]
    rest += [f"{k.arg}={scene.text(k.value)}" for k in node.keywords]
    parts = f"[{', '.join(map(scene.text, listed))}]"
    code = f"{scene.called}({', '.join([parts, *rest])})"
    ok = len(listed) > 1
    return told("list", fix_with(scene, {node: code}) if ok else "", call=scene.called, code=code)


def look_at_zero_d(scene: Scene, found: re.Match) -> Told | None:
    """cat of numbers: stack them."""
    parts = _parts(scene)
    head = scene.called.rpartition(".")[0]
    code = f"{head}.stack({parts})"
    fits = shadow_of_code(scene, code) is not None
    return told("plain", fix_with(scene, {scene.node: code}) if fits else "")


def look_at_split(scene: Scene, found: re.Match) -> Told | None:
    """Split sizes that do not add up."""
    x = scene.tensors[0] if scene.tensors else argument(scene, 0)
    return told("split", x=x.name, sx=size(x)) if x else None
