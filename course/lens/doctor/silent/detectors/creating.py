"""`torch.Tensor(…)` for `torch.tensor(…)`, and a move to a device that nobody keeps."""

from __future__ import annotations

import ast
import re

import torch

from lens.doctor.silent.event import Event
from lens.doctor.silent.signals import after, at
from lens.doctor.silent.source import targets

WHOLE = re.compile(
    r"(^|_)(y|labels?|targets?|idx|index|indices|ids?|class(es)?|rows?|cols?)(_|\d|$)"
)
LEGACY = {"Tensor", "FloatTensor", "DoubleTensor", "LongTensor", "IntTensor", "HalfTensor"}
LEGACY |= {"ByteTensor", "BoolTensor", "CharTensor", "ShortTensor"}


@at("end")
def legacy_constructor(session) -> None:
    """Sizes taken for values, or whole numbers made into floats."""
    source = session.source(session.main)
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Call) or not session.watched(session.main, node.lineno):
            continue
        name = ast.unparse(node.func)
        kind = name.removeprefix("torch.")
        if kind not in LEGACY or (name == kind and not _imported(source, kind)):
            continue
        if not _is_bound(source, node):
            continue
        blanks = {"code": ast.unparse(node), "kind": name}
        args = [ast.unparse(a) for a in node.args]
        if not node.args or all(_is_size(session, source, a) for a in node.args):
            if not _is_filled(source, node):
                blanks |= {"sizes": ", ".join(args) or "0", "first": args[0] if args else "…"}
                session.report(
                    "legacy-size", session.main, node.lineno, blanks["code"], blanks=blanks
                )
        elif kind == "Tensor" and _whole_numbers(node.args[0]) and _wants_whole(source, node):
            blanks |= {"values": args[0]}
            session.report(
                "legacy-floats", session.main, node.lineno, blanks["code"], blanks=blanks
            )


def _imported(source, kind: str) -> bool:
    return f"import {kind}" in "".join(source.lines)


def _is_bound(source, node: ast.Call) -> bool:
    """The tensor is kept or used, not only asked for its shape."""
    parent = source.parents.get(node)
    return not isinstance(parent, ast.Attribute) or parent.attr not in ("shape", "dtype", "size")


def _is_size(session, source, node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    if not isinstance(node, ast.Name):
        return False
    value = session.spaces.get(session.main, {}).get(node.id)
    written = [
        each.value
        for each in ast.walk(source.tree)
        if isinstance(each, ast.Assign) and node.id in targets(each)
    ]
    constants = [type(getattr(each, "value", None)) is int for each in written]
    return type(value) is int or (value is None and bool(constants) and all(constants))


def _is_filled(source, node: ast.Call) -> bool:
    """Memory written before it is read: `.normal_()`, `nn.Parameter(…)`, `out=`, `x.fill_`."""
    parent = source.parents.get(node)
    if isinstance(parent, ast.Attribute):
        return parent.attr.endswith("_") and not parent.attr.startswith("__")
    if isinstance(parent, ast.Call):
        return ast.unparse(parent.func).endswith(("Parameter", "_"))
    if isinstance(parent, ast.keyword):
        return True
    names = [ast.unparse(t) for t in getattr(parent, "targets", ())]
    for use in ast.walk(source.scope(node)):
        if isinstance(use, ast.Call) and isinstance(use.func, ast.Attribute):
            if use.func.attr.endswith("_") and ast.unparse(use.func.value) in names:
                return True
            if any(ast.unparse(a) in names for a in use.args) and use.func.attr.endswith("_"):
                return True
        if isinstance(use, ast.keyword) and use.arg == "out" and ast.unparse(use.value) in names:
            return True
        written = isinstance(use, ast.Subscript) and isinstance(use.ctx, ast.Store)
        if written and ast.unparse(use.value) in names:
            return True
    return False


def _whole_numbers(node: ast.AST) -> bool:
    """A list of whole numbers only, written out."""
    if not isinstance(node, (ast.List, ast.Tuple)) or not node.elts:
        return False
    return all(
        _whole_numbers(e) or (isinstance(e, ast.Constant) and type(e.value) is int)
        for e in node.elts
    )


def _wants_whole(source, node: ast.Call) -> bool:
    """The name says labels or positions, its dtype is looked at, or float32 has no such number."""
    numbers = [n.value for n in ast.walk(node.args[0]) if isinstance(n, ast.Constant)]
    names = [ast.unparse(t) for t in getattr(source.parents.get(node), "targets", ())]
    text = "".join(source.lines)
    asked = any(f"{name}.dtype" in text for name in names) or f"{ast.unparse(node)}.dtype" in text
    return asked or max(numbers) > 2**24 or any(WHOLE.search(name.lower()) for name in names)


@after("to", "cuda", "cpu")
def moved_for_nothing(event: Event) -> None:
    """`x.to(device)` as a statement of its own: a tensor does not move in place."""
    node = event.node
    if not event.direct or not isinstance(event.source.parents.get(node), ast.Expr):
        return
    if event.source.tree.body and event.source.parents[node] is event.source.tree.body[-1]:
        return
    target = event.argument(1, "device")
    device = isinstance(target, (str, torch.device)) or event.name in ("cuda", "cpu")
    if device and isinstance(event.args[0], torch.Tensor):
        name = event.call_it(event.args[0], "x")
        event.report(
            "moved-for-nothing", event.args[0], x=name, code=ast.unparse(node), line=event.place[1]
        )
