"""Parts of the learner's program together: what stands behind a value, and running it again."""

from __future__ import annotations

import ast

import torch

from lens.doctor.origins import Origin, chain
from lens.doctor.rewriting import enclosing_function, rewrite
from lens.doctor.scene import Scene, Seen


def behind(scene: Scene, node: ast.AST) -> list[Origin]:
    """The assignments behind the names of an expression, nearest first."""
    found: dict[int, Origin] = {}
    for name in (n.id for n in ast.walk(node) if isinstance(n, ast.Name)):
        for step in chain(scene, name):
            found.setdefault(id(step.statement), step)
    return sorted(found.values(), key=lambda s: -s.statement.lineno if s.here else 0)


def tensors_behind(scene: Scene, node: ast.AST) -> list[Seen]:
    """The tensors that the names behind an expression stand for."""
    names = dict.fromkeys(
        n.id
        for tree in (node, *(step.value for step in behind(scene, node)))
        for n in ast.walk(tree)
        if isinstance(n, ast.Name)
    )
    seen = [Seen(name, ast.Name(name, ast.Load()), scene.reader.names.get(name)) for name in names]
    return [each for each in seen if each.is_tensor]


def body_around(scene: Scene) -> list[ast.stmt]:
    """The list of statements in which the failing one stands."""
    home = enclosing_function(scene) or scene.tree
    for node in ast.walk(home):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and any(each is scene.statement for each in body):
                return body
    return []


def again_from(scene: Scene, first: ast.stmt, replaced: dict[ast.stmt, str]) -> str:
    """The program from one statement to the failing one, some statements replaced."""
    body = body_around(scene)
    if first not in body:
        return ""
    part = body[body.index(first) : body.index(scene.statement) + 1]
    return "\n".join(replaced.get(each) or rewrite(scene.source, each, {}) for each in part)


def recomputed(scene: Scene, node: ast.AST, edits: dict[ast.AST, str] | None = None) -> str:
    """What the value was computed from, computed once more, then the failing statement."""
    steps = [step for step in reversed(behind(scene, node)) if in_graph(scene, step)]
    lines = [rewrite(scene.source, step.statement, inside(step.statement, edits)) for step in steps]
    return "\n".join(
        [*lines, rewrite(scene.source, scene.statement, inside(scene.statement, edits))]
    )


def inside(statement: ast.stmt, edits: dict[ast.AST, str] | None) -> dict[ast.AST, str]:
    """The edits that lie within a statement."""
    nodes = set(map(id, ast.walk(statement)))
    return {node: text for node, text in (edits or {}).items() if id(node) in nodes}


def in_graph(scene: Scene, step: Origin) -> bool:
    """Whether the name stands for a computed tensor (or a tuple of them), not for data."""
    value = scene.reader.names.get(step.name)
    parts = value if isinstance(value, (tuple, list)) else [value]
    return any(isinstance(each, torch.Tensor) and each.grad_fn is not None for each in parts)
