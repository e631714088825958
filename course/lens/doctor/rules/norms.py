"""layer-input: batch normalisation and its relatives."""

from __future__ import annotations

import re

from lens.doctor.rule import Told, told
from lens.doctor.rules.common import run_again
from lens.doctor.scene import Scene


def look_at_single(scene: Scene, found: re.Match) -> Told | None:
    """Batch normalisation in train mode, with a single value for each channel."""
    layer = scene.layer
    if layer is None:
        return None
    model = layer.root if layer.root and "(" not in layer.root else ""
    name = layer.title
    shape = tuple(layer.given.shape)
    fix = run_again(scene, f"{model}.eval()") if model else ""
    return told("single", fix, layer=name, shape=shape)


def look_at_count(scene: Scene, found: re.Match) -> Told | None:
    """Normalisation that was made for another number of channels."""
    layer = scene.layer
    if layer is None:
        return None
    got = layer.given.shape[1]
    name = type(layer.module).__name__
    code = layer.code
    home = "nn" if "nn" in scene.reader.names else "torch.nn"
    fix = run_again(scene, f"{code} = {home}.{name}({got})") if code and "(" not in code else ""
    need = getattr(layer.module, "num_features", getattr(layer.module, "num_channels", "?"))
    return told("count", fix, layer=layer.title, need=need, got=got, shape=tuple(layer.given.shape))
