"""layer-input: recurrent layers and attention."""

from __future__ import annotations

import ast
import re

import torch

from lens.doctor.repairs import fix_with
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import torch_name
from lens.doctor.scene import Scene


def look_at_hidden(scene: Scene, found: re.Match) -> Told | None:
    """A hidden state of another shape than the input asks for."""
    layer = scene.layer
    if layer is None or not isinstance(layer.given, torch.Tensor):
        return None
    want = tuple(int(n) for n in re.findall(r"\d+", found["want"] or ""))
    first, shape = layer.module.batch_first, tuple(layer.given.shape)
    place = 0 if first else 1
    more = (
        f"The input has shape {shape}; dimension {place} is the batch (batch_first={first})."
        f" || 输入的形状是 {shape}，第 {place} 维是批次（batch_first={first}）。"
    )
    fix = ""
    if want and isinstance(scene.node, ast.Call) and len(scene.node.args) > 1:
        name = torch_name(scene)
        zeros = f"{name}.zeros{want}"
        pair = f"({zeros}, {zeros})" if isinstance(layer.module, torch.nn.LSTM) else zeros
        fix = fix_with(scene, {scene.node.args[1]: pair})
    return told("hidden", fix, more, layer=layer.title, shape=want)


def look_at_pair(scene: Scene, found: re.Match) -> Told | None:
    """An LSTM that was given one state where it takes two."""
    node = scene.node
    if scene.layer is None or not isinstance(node, ast.Call) or len(node.args) < 2:
        return None
    state = scene.text(node.args[1])
    code = f"({state}, {torch_name(scene)}.zeros_like({state}))"
    return told("pair", fix_with(scene, {node.args[1]: code}), h=state)
