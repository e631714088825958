"""Where a graph was cut: the operation on the way that no gradient passes."""

from __future__ import annotations

import ast
from dataclasses import dataclass

import torch

from lens.doctor.programs import behind, recomputed
from lens.doctor.rewriting import rewrite
from lens.doctor.rules.common import torch_name
from lens.doctor.scene import Scene
from lens.language import say

WHOLE = {"argmax", "argmin", "argsort", "long", "int", "bool", "sign", "nonzero", "multinomial"}
COPIES = {"tensor", "as_tensor", "from_numpy", "Tensor", "FloatTensor"}
OUT = {"detach", "item", "numpy", "tolist", "data"}


@dataclass(frozen=True)
class Cut:
    """The call that cut the graph, its line, what kind it is, and the way round it."""

    kind: str
    call: str
    line: int
    fix: str = ""

    @property
    def where(self) -> str:
        """The place in words; line 0 is another cell."""
        if not self.line:
            return say("in another cell", "另一个单元格里")
        return say(f"in line {self.line}", f"第 {self.line} 行")


def find_cut(scene: Scene, node: ast.AST) -> Cut | None:
    """The nearest operation behind a value that takes it out of the graph."""
    trees = [(scene.statement, scene.line), *((s.statement, s.line) for s in behind(scene, node))]
    for tree, line in trees:
        if block := _no_grad_around(scene, tree):
            return _without_block(scene, block, line)
        for each in ast.walk(tree):
            if cut := _cut_at(scene, node, each, line):
                return cut
    return None


def _cut_at(scene: Scene, node: ast.AST, each: ast.AST, line: int) -> Cut | None:
    if isinstance(each, ast.Attribute) and each.attr == "data":
        edits = {each: scene.text(each.value)}
        return Cut("detached", scene.text(each), line, recomputed_with(scene, node, edits))
    if not isinstance(each, ast.Call):
        return None
    name = each.func.attr if isinstance(each.func, ast.Attribute) else getattr(each.func, "id", "")
    if name in WHOLE:
        fix = _soft(scene, node, each) if name == "argmax" else ""
        return Cut("whole", scene.text(each), line, fix)
    if name in ("detach", "item") and isinstance(each.func, ast.Attribute):
        edits = {each: scene.text(each.func.value)}
        return Cut("detached", scene.text(each), line, recomputed_with(scene, node, edits))
    if name in COPIES and each.args and _has_graph(scene, each.args[0]):
        edits = {each: scene.text(each.args[0])}
        return Cut("copied", scene.text(each), line, recomputed_with(scene, node, edits))
    return None


def recomputed_with(scene: Scene, node: ast.AST, edits: dict[ast.AST, str]) -> str:
    """The statements from the cut on, without it."""
    steps = [*reversed(behind(scene, node))]
    touched = [i for i, s in enumerate(steps) if any(e in ast.walk(s.statement) for e in edits)]
    if not touched:
        return recomputed(scene, node, edits)
    lines = [
        rewrite(scene.source, s.statement, _within(s.statement, edits)) for s in steps[touched[0] :]
    ]
    return "\n".join(
        [*lines, rewrite(scene.source, scene.statement, _within(scene.statement, edits))]
    )


def _within(statement: ast.stmt, edits: dict[ast.AST, str]) -> dict[ast.AST, str]:
    nodes = list(ast.walk(statement))
    return {n: text for n, text in edits.items() if n in nodes}


def _has_graph(scene: Scene, node: ast.AST) -> bool:
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute)]
    values = [scene.reader.read(n) for n in names]
    flat = [v for each in values for v in (each if isinstance(each, (list, tuple)) else [each])]
    return any(isinstance(v, torch.Tensor) and v.requires_grad for v in flat)


def _soft(scene: Scene, node: ast.AST, call: ast.Call) -> str:
    """argmax replaced by the mean position under softmax, through which gradients pass."""
    method = isinstance(call.func, ast.Attribute) and scene.text(call.func.value) != torch_name(
        scene
    )
    x = call.func.value if method else call.args[0]
    rest = call.args[0 if method else 1 :] + [k.value for k in call.keywords if k.arg == "dim"]
    seen = scene.look_at(x)
    dim = scene.reader.read(rest[0]) if rest else None
    if not seen or not seen[0].is_tensor or dim not in (-1, len(seen[0].shape) - 1):
        return ""
    name, n = torch_name(scene), seen[0].shape[-1]
    code = f"({seen[0].atom}.softmax({dim}) * {name}.arange({n}.0)).sum({dim})"
    return recomputed_with(scene, node, {call: code})


def _no_grad_around(scene: Scene, statement: ast.stmt) -> ast.With | None:
    for block in ast.walk(scene.tree):
        if isinstance(block, ast.With) and any(each is statement for each in ast.walk(block)):
            text = " ".join(scene.text(item.context_expr) for item in block.items)
            if "no_grad" in text or "inference_mode" in text or "set_grad_enabled(False)" in text:
                return block
    return None


def _without_block(scene: Scene, block: ast.With, line: int) -> Cut:
    lines = [rewrite(scene.source, each, {}) for each in block.body]
    if scene.statement not in block.body:
        lines.append(rewrite(scene.source, scene.statement, {}))
    text = scene.text(block.items[0].context_expr)
    return Cut("no_grad", text, block.lineno, "\n".join(lines))
