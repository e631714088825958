"""From an exception to a finding: the scene, the rule that knows the message, cause and fix."""

from __future__ import annotations

import ast
from dataclasses import replace

import torch

from lens.doctor import chapters
from lens.doctor.finding import Finding, Operand, operand_of
from lens.doctor.names import UNKNOWN
from lens.doctor.repairs import is_store
from lens.doctor.rule import Rule
from lens.doctor.rules import rules
from lens.doctor.scene import Scene, Seen, scene_of
from lens.language import say

OTHER = "other"


def explain(error: BaseException) -> Finding | None:
    """What the doctor knows about an error; None where it is not about tensors."""
    rule, found = recognise(error)
    scene = scene_of(error)
    if rule is None:
        return unexplained(scene) if _touches_tensors(scene) else None
    cause, fix, others = rule.diagnose(scene, found)
    finding = _finding(scene, rule.family, cause, fix, others)
    return replace(finding, link=chapters.link(rule.family, rule.name))


def recognise(error: BaseException) -> tuple[Rule | None, object]:
    """The rule whose pattern is in the message, and the match."""
    for rule in rules():
        if found := rule.match(error):
            return rule, found
    return None, None


def unexplained(scene: Scene) -> Finding:
    """The expression and its operands, without a cause."""
    cause = say(
        "the doctor does not know this message. Look at the operands above: shape, dtype, device.",
        "诊断器不认识这条报错。请看上面各操作数的形状、dtype 和设备。",
    )
    return _finding(scene, OTHER, cause, "")


def _touches_tensors(scene: Scene) -> bool:
    in_torch = any("torch" in frame.f_code.co_filename.split("/") for frame in scene.callees)
    return scene.frame is not None and bool(scene.tensors or in_torch)


def _finding(scene: Scene, family: str, cause: str, fix: str, others=()) -> Finding:
    layer = _quietly(lambda: scene.layer)
    if layer and "Loss" in type(layer.module).__name__:
        layer = None
    return Finding(
        kind="error",
        family=family,
        line=scene.line,
        expression=_quietly(lambda: _expression(scene)) or "",
        operands=tuple(_quietly(lambda: operands(scene, others)) or ()),
        cause=cause,
        fix=fix,
        file=scene.frame.f_code.co_filename if scene.frame else "",
        layer=layer.describe() if layer else "",
    )


def _expression(scene: Scene) -> str:
    """The failing expression; of a write to a part of a tensor, the whole statement."""
    return scene.text(scene.statement if is_store(scene) else scene.node)


def _quietly(read):
    try:
        return read()
    except Exception:
        return None


def operands(scene: Scene, others: tuple[Seen, ...] = ()) -> list[Operand]:
    """The table: operands of the expression, then what the failing layer had inside."""
    seen = {each.name: each for each in (*scene.operands, *others) if _is_telling(each)}
    rows = [_row(scene, each) for each in seen.values()]
    layer = scene.layer
    if layer is None:
        return rows
    if isinstance(layer.given, torch.Tensor) and not _shown(scene, layer.given):
        rows.append(operand_of(say("(input of the layer)", "（该层的输入）"), layer.given))
    for name in ("weight", "weight_ih_l0"):
        weight = layer.module._parameters.get(name)
        if weight is not None:
            rows.append(operand_of(f"{layer.title}.{name}", weight))
    return rows


def _shown(scene: Scene, value: object) -> bool:
    return any(seen.value is value for seen in scene.operands)


def _is_telling(seen: Seen) -> bool:
    """Tensors, arrays and containers; None where an expression, not the word, gave it."""
    if type(seen.value).__module__ == "numpy" or isinstance(seen.value, (list, dict)):
        return True
    if seen.value is None:
        return seen.name != "None"
    return seen.is_tensor or isinstance(seen.value, tuple) and not isinstance(seen.node, ast.Tuple)


def _row(scene: Scene, seen: Seen) -> Operand:
    if seen.is_tensor:
        row = operand_of(seen.name, seen.value)
        return row if seen.real else replace(row, device=_device(scene, seen))
    return Operand(seen.name, (), "", "", None, False, False, None, describe(seen.value))


def _device(scene: Scene, seen: Seen) -> str:
    """Where a value lies of which only a shadow is known: where the tensors it is made of lie."""
    for node in ast.walk(seen.node) if seen.node else ():
        value = scene.reader.read(node.value if isinstance(node, ast.keyword) else node)
        if isinstance(value, torch.Tensor):
            return str(value.device)
        if isinstance(node, ast.keyword) and node.arg == "device" and value is not UNKNOWN:
            return str(value)
    return str(torch.get_default_device())


def describe(value: object) -> str:
    """A few words about a value that is not a tensor."""
    name = type(value).__name__
    if value is None:
        return "None"
    if type(value).__module__ == "numpy" and hasattr(value, "shape"):
        return f"numpy.{name} {value.shape} {value.dtype}"
    if type(value).__module__ == "torch.return_types":
        return f"torch.return_types.{name}"
    if isinstance(value, (list, tuple, dict)):
        return say(f"{name} of {len(value)}", f"{name}，{len(value)} 项")
    return name
