"""model-bookkeeping: state_dicts that do not go with the model."""

from __future__ import annotations

import ast
import re

from torch import nn

from lens.doctor.repairs import fix_with
from lens.doctor.rule import Told, told
from lens.doctor.scene import Scene, Seen

MISMATCH = (
    r"size mismatch for ([\w.]+): copying a param with shape torch\.Size\(\[(.*?)\]\) from"
    r" checkpoint, the shape in current model is torch\.Size\(\[(.*?)\]\)"
)


def look_at_keys(scene: Scene, found: re.Match) -> Told | None:
    """Keys that are missing or too many: a prefix, or another model."""
    text = scene.message
    missing = _keys(text, "Missing")
    extra = _keys(text, "Unexpected")
    node = scene.node
    given = node.args[0] if isinstance(node, ast.Call) and node.args else None
    name = scene.text(given)
    others = [Seen(name, given, scene.reader.read(given))] if given is not None else []
    if prefix := _prefix(missing, extra):
        code = f"{{k.removeprefix({prefix!r}): v for k, v in {name}.items()}}"
        return told(
            "prefix", fix_with(scene, {given: code}), others=others, prefix=prefix, saved=name
        )
    if prefix := _prefix(extra, missing):
        code = f"{{{prefix!r} + k: v for k, v in {name}.items()}}"
        return told(
            "no_prefix", fix_with(scene, {given: code}), others=others, prefix=prefix, saved=name
        )
    if nested := _nested(scene, given):
        code = f"{name}[{nested!r}]"
        return told("nested", fix_with(scene, {given: code}), others=others, saved=name, key=nested)
    if size := re.search(MISMATCH, text):
        blanks = {"key": size[1], "old": f"[{size[2]}]", "new": f"[{size[3]}]", "saved": name}
        return told("size", _skip_sizes(scene, given), others=others, **blanks)
    return told("keys", others=others, missing=_few(missing), extra=_few(extra), saved=name)


def _keys(text: str, word: str) -> list[str]:
    part = re.search(rf"{word} key\(s\) in state_dict: (.*?)\. ?(?:\n|$)", text)
    return re.findall(r'"([^"]+)"', part[1]) if part else []


def _prefix(short: list[str], long: list[str]) -> str:
    """What stands before every one of the long keys, where the rest is a short one."""
    if not short or len(short) != len(long) or not long[0].endswith(short[0]):
        return ""
    prefix = long[0].removesuffix(short[0])
    return prefix if {prefix + key for key in short} == set(long) else ""


def _nested(scene: Scene, given: ast.AST | None) -> str:
    value = scene.reader.read(given)
    keys = ("state_dict", "model_state_dict", "model", "net", "weights")
    inside = value if isinstance(value, dict) else {}
    return next((k for k in keys if isinstance(inside.get(k), dict)), "")


def _skip_sizes(scene: Scene, given: ast.AST | None) -> str:
    owner = scene.node.func.value if isinstance(scene.node.func, ast.Attribute) else None
    if owner is None or given is None:
        return ""
    model, saved = scene.text(owner), scene.text(given)
    same = f"v.shape == {model}.state_dict()[k].shape"
    code = f"{{k: v for k, v in {saved}.items() if {same}}}"
    return fix_with(scene, {given: f"{code}, strict=False"})


def _few(keys: list[str]) -> str:
    shown = ", ".join(f"`{key}`" for key in keys[:3]) or "-"
    return shown + (", …" if len(keys) > 3 else "")


def look_at_dict(scene: Scene, found: re.Match) -> Told | None:
    """load_state_dict takes the dict, not a model or a file name."""
    node = scene.node
    if not isinstance(node, ast.Call) or not node.args:
        return None
    given = node.args[0]
    value, text = scene.reader.read(given), scene.text(given)
    if isinstance(value, nn.Module):
        return told("model", fix_with(scene, {given: f"{text}.state_dict()"}), x=text)
    if isinstance(value, str):
        return told("file", fix_with(scene, {given: f"torch.load({text})"}), x=text)
    return None
