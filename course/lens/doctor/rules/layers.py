"""layer-input: a layer was given other channels, dimensions or features than it takes."""

from __future__ import annotations

import ast
import re

import torch
from torch import nn

from lens.doctor import repairs
from lens.doctor.repairs import Repair, fix_with, shadow_of_code
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import mended, run_again
from lens.doctor.scene import Scene, Seen


def given_to_layer(scene: Scene) -> Seen | None:
    """The operand of the failing call that went into the failing layer as it is."""
    if scene.layer is None:
        return scene.tensors[0] if scene.tensors else None
    return next((s for s in scene.tensors if s.value is scene.layer.given and s.node), None)


def accepts(scene: Scene, code: str, seen: Seen) -> torch.Tensor | None:
    """What the layer would give for this input, on shadows; None where it would fail."""
    layer = scene.layer.module if scene.layer else None
    if layer is None:
        return None
    known = {ast.unparse(seen.node): seen.value, "failing_layer": layer}
    return shadow_of_code(scene, f"failing_layer({code})", known)


def first_accepted(scene: Scene, tries: list[Repair]) -> Repair | None:
    """The first change of shape that the layer takes."""
    if scene.layer is None:
        return repairs.first_fit(scene, tries)
    return next((r for r in tries if accepts(scene, r.code, r.seen) is not None), None)


def look_at_channels(scene: Scene, found: re.Match) -> Told | None:
    """A convolution that gets another number of channels."""
    need, got = int(found["c"]), int(found["k"])
    name = scene.layer.title if scene.layer else scene.called
    shape = tuple(int(n) for n in found["x"].split(","))
    blanks = {"layer": name, "need": need, "got": got, "shape": shape, "x": "input"}
    x = given_to_layer(scene)
    if x is None or x.node is None:
        return told("channels", _new_conv(scene, got), **blanks)
    blanks |= {"x": x.name, "shape": x.shape}
    place = len(x.shape) - len(shape) + 1
    last = need in x.shape[place + 1 :]
    if last and (fit := first_accepted(scene, [*repairs.moved(x)])):
        return mended(scene, fit, "last", **blanks)
    if len(x.shape) == len(shape) - 1 and need == 1:
        code = f"{x.atom}.unsqueeze(1)"
        if accepts(scene, code, x) is not None:
            return told("missing", fix_with(scene, {x.node: code}), **blanks)
    if got == 1:
        sizes = ["-1"] * len(x.shape)
        sizes[place] = str(need)
        code = f"{x.atom}.expand({', '.join(sizes)})"
        return told("grey", fix_with(scene, {x.node: code}), **blanks)
    if need == 1 and got == 3:
        code = f"{x.atom}.mean({place}, keepdim=True)"
        return told("colour", fix_with(scene, {x.node: code}), **blanks)
    return told("channels", _new_conv(scene, got), **blanks)


def _new_conv(scene: Scene, got: int) -> str:
    layer = scene.layer
    if layer is None or not layer.code or got % layer.module.groups or layer.module.transposed:
        return ""
    text = repr(layer.module).replace(f"({layer.module.in_channels},", f"({got},", 1)
    new = f"nn.{text}" if "nn" in scene.reader.names else f"torch.nn.{text}"
    if isinstance(scene.node, ast.Call) and isinstance(scene.node.func, ast.Call):
        return fix_with(scene, {scene.node.func: new})
    return "" if "(" in layer.code else run_again(scene, f"{layer.code} = {new}")


def look_at_dims(scene: Scene, found: re.Match) -> Told | None:
    """A layer that gets too few or too many dimensions."""
    x = given_to_layer(scene)
    name = scene.layer.title if scene.layer else scene.called
    given = scene.layer.given if scene.layer else None
    shape = tuple(given.shape) if isinstance(given, torch.Tensor) else ()
    if x is None or x.node is None:
        return told("dims", layer=name, shape=shape, n=len(shape), x="input")
    blanks = {"layer": name, "shape": x.shape, "n": len(x.shape), "x": x.name}
    tries = [*_grown(x), *repairs.dropped(x), *_merged(x)]
    fit = first_accepted(scene, tries)
    if fit and fit.code.endswith("[None, None]"):
        return told("dims", repairs.fix_of(scene, fit), IMAGE, **blanks)
    return mended(scene, fit, "dims", **blanks)


IMAGE = (
    "A single grey picture needs a dimension for the batch and one for the channel."
    " || 单张灰度图要补上批次和通道两个维度。"
)


def _grown(x: Seen):
    yield Repair("added", x, f"{x.atom}.unsqueeze(1)" if len(x.shape) > 1 else f"{x.atom}[None]")
    yield Repair("added", x, f"{x.atom}.unsqueeze(0)")
    yield Repair("added", x, f"{x.atom}[None, None]")
    yield Repair("added", x, f"{x.atom}[..., None]")
    yield Repair("added", x, f"{x.atom}[..., None, None]")


def _merged(x: Seen):
    for start in range(len(x.shape) - 1):
        yield Repair("flat", x, f"{x.atom}.flatten({start}, {start + 1})")
    yield from repairs.flat(x)


def look_at_small(scene: Scene, found: re.Match) -> Told | None:
    """A kernel or a pool that is larger than what is left of the picture."""
    name = scene.layer.title if scene.layer else scene.called
    given = scene.layer.given if scene.layer else None
    if not isinstance(given, torch.Tensor):
        x = scene.tensors[0] if scene.tensors else None
        return told("small", layer=name, shape=x.shape) if x else None
    fix = ""
    module = scene.layer.module
    again = scene.layer.code and "(" not in scene.layer.code
    if isinstance(module, nn.modules.conv._ConvNd) and again:
        fix = run_again(scene, f"{scene.layer.code}.padding = {_padding(module)}")
    elif again and hasattr(module, "kernel_size"):
        smallest = min(given.shape[2:])
        fix = run_again(
            scene, f"{scene.layer.code}.kernel_size = {smallest}", f"{scene.layer.code}.stride = 1"
        )
    return told("small", fix, layer=name, shape=tuple(given.shape))


def _padding(module: nn.Module) -> tuple[int, ...]:
    reach = zip(module.kernel_size, module.dilation, strict=True)
    return tuple(d * (k - 1) // 2 for k, d in reach)


def look_at_features(scene: Scene, found: re.Match) -> Told | None:
    """A last dimension of another size than the layer takes."""
    layer = scene.layer
    if layer is None or not isinstance(layer.given, torch.Tensor):
        return None
    x = given_to_layer(scene)
    shape = tuple(layer.given.shape)
    blanks = {"layer": layer.title, "shape": shape, "last": shape[-1] if shape else 0}
    blanks["x"] = x.name if x else "input"
    if x is None or x.node is None:
        return told("features", **blanks)
    tries = [*repairs.moved(x), *repairs.turned(x), *repairs.flat(x)]
    return mended(scene, first_accepted(scene, tries), "features", **blanks)


def look_at_nothing(scene: Scene, found: re.Match) -> Told | None:
    """Only the message is needed."""
    return told(layer=scene.layer.title if scene.layer else scene.called)
