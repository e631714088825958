"""Writes that go elsewhere than they seem: to a copy, twice to one place, to many at once."""

from __future__ import annotations

import ast

import torch

from lens.doctor.silent.event import Event, is_plain
from lens.doctor.silent.facts import Fact
from lens.doctor.silent.places import locals_of
from lens.doctor.silent.signals import after, before, words
from lens.doctor.silent.source import Source

COPIES = words(
    "clone contiguous masked_select index_select gather take float double half long int byte bool "
    "to repeat repeat_interleave flatten reshape cpu type where tril triu roll flip"
)
VIEWS = frozenset(["getitem", "view", "get:T", "transpose", "t", "unsqueeze", "squeeze", "select"])
IN_PLACE = words(
    "add_ sub_ mul_ div_ pow_ zero_ fill_ copy_ clamp_ masked_fill_ index_fill_ normal_ uniform_ "
    "random_ neg_ abs_ exp_ sqrt_ round_ relu_ scatter_ scatter_add_ index_add_ index_copy_ "
    "masked_scatter_ bernoulli_ logical_not_ bitwise_not_ sigmoid_ tanh_ floor_ ceil_ "
    "fill_diagonal_"
)
SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
COUNTED = ("add", "sub", "mul", "div", "add_", "sub_", "mul_", "div_")


def is_advanced(index: object) -> bool:
    """Whether an index makes a copy: a mask, a list, a tensor of positions."""
    parts = index if isinstance(index, tuple) else (index,)
    return any(
        isinstance(part, list)
        or (isinstance(part, torch.Tensor) and (part.ndim > 0 or part.dtype == torch.bool))
        or type(part).__name__ == "ndarray"
        for part in parts
    )


@after("getitem")
def remember_index(event: Event) -> None:
    """By which index, and of what, a tensor was picked."""
    fact = event.fact(event.result)
    if fact is not None and len(event.args) == 2:
        index = event.args[1]
        fact.tags["advanced"] = is_advanced(index)
        fact.tags["picked"] = (id(event.args[0]), _identity(index))


def _identity(index: object) -> tuple:
    parts = index if isinstance(index, tuple) else (index,)
    return tuple(id(p) if isinstance(p, (torch.Tensor, list)) else repr(p) for p in parts)


@after(*COPIES)
def remember_copy(event: Event) -> None:
    """Whether the result is memory of its own."""
    fact, x = event.fact(event.result), event.x
    if fact is not None and x is not None and is_plain(x) and is_plain(event.result):
        fact.tags["copy"] = event.result.untyped_storage().data_ptr() != (
            x.untyped_storage().data_ptr()
        )


def _copied(fact: Fact | None) -> Fact | None:
    """The step at which the memory was left, on the way from the tensor that is written to."""
    while fact is not None:
        if fact.tags.get("advanced") or fact.tags.get("copy"):
            return fact
        fact = fact.parents[0] if fact.op in VIEWS and fact.parents else None
    return None


@before("setitem", *IN_PLACE)
def write_to_copy(event: Event) -> None:
    """`x[mask][0] = 1`: the expression to the left of the write is a nameless copy."""
    target = _written(event)
    if target is None or not _is_nameless(target) or not event.args:
        return
    fact = _copied(event.fact(event.args[0]))
    if fact is None or (fact.file, fact.line) != event.place:
        return
    base = target
    while isinstance(base, (ast.Subscript, ast.Attribute, ast.Call)):
        base = base.func if isinstance(base, ast.Call) else base.value
    statement = event.source.text(event.place[1])
    event.report(
        "write-to-copy",
        event.args[0],
        base=ast.unparse(base),
        copy=ast.unparse(target),
        step="x[mask] / x[list]" if fact.op == "getitem" else f"{fact.op}()",
        statement=statement,
        better=_one_step(event.source, event.node, target),
    )


def _written(event: Event) -> ast.AST | None:
    """The expression whose memory the statement writes to."""
    node = event.node
    if event.name == "setitem" and isinstance(node, ast.Subscript):
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        alone = isinstance(event.source.parents.get(node), ast.Expr)
        return node.func.value if alone and node.func.attr == event.name else None
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
        return node.target.value
    return None


def _is_nameless(node: ast.AST) -> bool:
    return isinstance(node, (ast.Subscript, ast.Call)) or (
        isinstance(node, ast.Attribute) and _is_nameless(node.value)
    )


def _one_step(source: Source, node: ast.AST | None, target: ast.AST) -> str:
    """`x[mask][:, 2] = 9` as `x[mask, 2] = 9`; else a name for the copy, and its way back."""
    statement = next((a for a in source.ancestors(node) if isinstance(a, ast.stmt)), node)
    sign = f"{SIGNS.get(type(getattr(statement, 'op', None)), '')}="
    value = getattr(statement, "value", None)
    value = ast.unparse(value) if value is not None else ""
    if isinstance(node, ast.Subscript) and isinstance(target, ast.Subscript):
        base, first, second = map(ast.unparse, (target.value, target.slice, node.slice))
        parts = second.strip("()").split(", ")
        if parts[0] == ":" and len(parts) > 1:
            return f"{base}[{first}, {', '.join(parts[1:])}] {sign} {value}"
        if isinstance(node.slice, (ast.Constant, ast.UnaryOp)):
            return f"{base}[{first}.nonzero().flatten()[{second}]] {sign} {value}"
    whole = ast.unparse(statement) if statement is not None else ""
    copy = ast.unparse(target)
    back = f"\n{copy} = part" if isinstance(target, ast.Subscript) else ""
    return f"part = {copy}\n{whole.replace(copy, 'part', 1)}{back}"


@before("setitem")
def duplicate_index(event: Event) -> None:
    """`x[i] += 1` where i holds a position twice: read, added, written once."""
    if len(event.args) != 3 or not isinstance(event.args[2], torch.Tensor):
        return
    x, index, value = event.args
    positions = _positions(index)
    if positions is None or not _repeats(positions):
        return
    picked = _updated(event, value, (id(x), _identity(index)))
    if picked and value.numel() and bool((value.detach() != x.detach()[index]).any()):
        name = event.call_it(x, "x")
        event.report(
            "duplicate-index",
            x,
            positions[0],
            x=name,
            index=_index_text(event, positions[0]),
            repeats=_most_repeated(positions),
            sign={"add": "+", "sub": "-", "mul": "*", "div": "/"}[picked],
        )


def _positions(index: object) -> list[torch.Tensor] | None:
    parts = index if isinstance(index, tuple) else (index,)
    parts = [torch.tensor(p) if isinstance(p, list) else p for p in parts]
    found = [p for p in parts if isinstance(p, torch.Tensor) and p.ndim and p.dtype != torch.bool]
    whole = all(p.dtype != torch.float32 for p in found)
    return found if found and whole and sum(p.numel() for p in found) < 10**6 else None


def _repeats(positions: list[torch.Tensor]) -> bool:
    together = torch.stack(torch.broadcast_tensors(*positions)).flatten(1)
    return together.unique(dim=1).shape[1] < together.shape[1]


def _most_repeated(positions: list[torch.Tensor]) -> str:
    together = torch.stack(torch.broadcast_tensors(*positions)).flatten(1)
    values, counts = together.unique(dim=1, return_counts=True)
    place = values[:, counts.argmax()].tolist()
    text = ", ".join(map(str, place))
    return f"[{text}] × {counts.max().item()}"


def _updated(event: Event, value: torch.Tensor, place: tuple) -> str:
    """The operation by which the new values came from the old ones at the same index, or ""."""
    node = event.node
    if isinstance(node, ast.AugAssign):
        node = node.target
    statement = next(iter(event.source.statements_at(event.place[1])), None)
    fact = event.fact(value)
    if fact is not None and fact.tags.get("picked") == place and fact.tags.get("then"):
        return fact.tags["then"]
    if fact is None or fact.op not in COUNTED:
        return ""
    old = any(p.tags.get("picked") == place for p in fact.parents)
    return fact.op if old and statement is not None else ""


@after("add_", "sub_", "mul_", "div_")
def remember_update(event: Event) -> None:
    """`x[i] += 1` works on what was picked, in place, before it is written back."""
    fact = event.fact(event.result)
    if fact is not None and "picked" in fact.tags:
        fact.tags["then"] = event.name.rstrip("_")


def _index_text(event: Event, index: torch.Tensor) -> str:
    names = [n for n, v in locals_of(event.frame).items() if v is index and n[0] != "_"]
    return names[0] if names else str(index.tolist()[:8])


@after("setitem")
def write_to_expanded(event: Event) -> None:
    """A write into a tensor made by `expand`: one number stands for many."""
    x = event.args[0]
    if not is_plain(x) or not any(
        s == 0 and n > 1 for s, n in zip(x.stride(), x.shape, strict=True)
    ):
        return
    name = event.call_it(x, "x")
    event.report("write-to-expanded", x, x=name, shape=tuple(x.shape), stride=x.stride())
