"""create-convert: values that no tensor can be made of."""

from __future__ import annotations

import ast
import re

import numpy as np

from lens.doctor.names import UNKNOWN
from lens.doctor.repairs import fix_with
from lens.doctor.rule import Told, told
from lens.doctor.rules.common import torch_name
from lens.doctor.scene import Scene, Seen


def given(scene: Scene) -> tuple[ast.AST, str, object] | None:
    """(node, text, value) of the data that a tensor should be made of."""
    node = scene.node
    if not isinstance(node, ast.Call) or not node.args:
        return None
    return node.args[0], scene.text(node.args[0]), scene.reader.read(node.args[0])


def array_row(text: str, node: ast.AST, value: object) -> list[Seen]:
    """The array as a row of the table."""
    return [Seen(text, node, value)] if isinstance(value, np.ndarray) else []


def look_at_strides(scene: Scene, found: re.Match) -> Told | None:
    """A reversed array."""
    if (data := given(scene)) is None:
        return None
    node, text, value = data
    others = array_row(text, node, value)
    strides = value.strides if others else ""
    simple = isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
    code = f"{text}.copy()" if simple else f"({text}).copy()"
    name = "strides" if others else "strides_plain"
    return told(name, fix_with(scene, {node: code}), others=others, x=text, st=strides)


def look_at_objects(scene: Scene, found: re.Match) -> Told | None:
    """Arrays of strings or of Python objects."""
    if (data := given(scene)) is None:
        return None
    node, text, value = data
    others = array_row(text, node, value)
    code = f"{text}.astype(np.float32)"
    fits = False
    if others:
        try:
            fits = value.size < 10**6 and all(_is_number(v) for v in value.flat)
        except Exception:
            fits = False
    return told("objects", fix_with(scene, {node: code}) if fits else "", others=others, x=text)


def _is_number(value: object) -> bool:
    if type(value) in (int, float, bool) or isinstance(value, np.number):
        return True
    return isinstance(value, str) and bool(re.fullmatch(r"\s*-?\d+(\.\d*)?(e-?\d+)?\s*", value))


def look_at_ragged(scene: Scene, found: re.Match) -> Told | None:
    """Rows of different lengths."""
    if (data := given(scene)) is None:
        return None
    node, text, value = data
    flat = isinstance(value, list) and all(isinstance(r, list) for r in value)
    name = torch_name(scene)
    rows = f"[{name}.tensor(r) for r in {text}]"
    code = f"{name}.nn.utils.rnn.pad_sequence({rows}, batch_first=True)"
    lengths = ", ".join(str(len(r)) for r in value[:6]) if flat else ""
    nested = flat and any(isinstance(v, list) for r in value for v in r)
    fix = fix_with(scene, {scene.node: code}) if flat and not nested else ""
    return told("ragged" if flat else "plain", fix, lengths=lengths)


def look_at_type(scene: Scene, found: re.Match) -> Told | None:
    """None, a dict or another object."""
    if (data := given(scene)) is None:
        return None
    node, text, value = data
    if value is None:
        return told("none", x=text)
    if isinstance(value, dict):
        return told("dict", fix_with(scene, {node: f"list({text}.values())"}), x=text)
    if isinstance(value, (list, tuple)) and any(v is None for v in value):
        nan = f'[float("nan") if v is None else v for v in {text}]'
        return told("holds_none", fix_with(scene, {node: nan}), x=text)
    return told("object", x=text, t=found["t"]) if value is not UNKNOWN else None


def look_at_text(scene: Scene, found: re.Match) -> Told | None:
    """Strings: names of classes, or numbers that were read as text."""
    if (data := given(scene)) is None:
        return None
    node, text, value = data
    words = value if isinstance(value, (list, tuple)) else [value]
    if words and all(isinstance(w, str) for w in words):
        if all(_is_number(w) for w in words) and words is value:
            return told("digits", fix_with(scene, {node: f"[float(v) for v in {text}]"}), x=text)
        if words is value:
            code = f"[sorted(set({text})).index(v) for v in {text}]"
            return told("words", fix_with(scene, {node: code}), x=text)
    return told("plain")


def look_at_index_text(scene: Scene, found: re.Match) -> Told | None:
    """A string where a number or an index is expected."""
    if isinstance(scene.node, ast.Subscript):
        return told("key", x=scene.text(scene.node.value), k=scene.text(scene.node.slice))
    return look_at_text(scene, found)


def look_at_wrong_kind(scene: Scene, found: re.Match) -> Told | None:
    """from_numpy of a list or a tensor."""
    if (data := given(scene)) is None:
        return None
    node, text, value = data
    name = torch_name(scene)
    if found["t"] == "Tensor":
        return told("already", fix_with(scene, {scene.node: text}), x=text)
    return told(
        "kind", fix_with(scene, {scene.node: f"{name}.tensor({text})"}), x=text, t=found["t"]
    )


def look_at_legacy(scene: Scene, found: re.Match) -> Told | None:
    """torch.Tensor(…, dtype=…): the constructor that takes no dtype."""
    node = scene.node
    if not isinstance(node, ast.Call) or not scene.called.endswith("Tensor"):
        return None
    code = scene.text(node).replace(scene.called, f"{torch_name(scene)}.tensor", 1)
    lists = node.args and isinstance(node.args[0], ast.List | ast.Tuple | ast.Name)
    return told("legacy", fix_with(scene, {node: code}) if lists else "", call=scene.called)
