"""Spread of one number, two definitions of one word, the middle of an even number."""

from __future__ import annotations

import ast

import numpy as np

from lens.doctor.silent.event import Event, is_plain
from lens.doctor.silent.facts import Fact
from lens.doctor.silent.signals import after
from lens.doctor.silent.source import calls

NORMS = ("layer_norm", "batch_norm", "instance_norm", "group_norm")
SPREADS = ("std", "var", "std_mean", "var_mean")


@after(*SPREADS)
def std_of_one(event: Event) -> None:
    """n - 1 is 0: the spread of one number is NaN."""
    x, made = event.x, event.result
    made = made[0] if isinstance(made, tuple) else made
    if not is_plain(x) or made.numel() == 0 or x.numel() == 0 or _correction(event) == 0:
        return
    per = x.numel() // made.numel()
    if per == 1 and bool(made.isnan().any()) and not bool(x.isnan().any()):
        name = event.call_it(x, "x")
        event.report("std-of-one", x, x=name, op=event.name, shape=tuple(x.shape), dim=_dims(event))


def _correction(event: Event) -> float:
    if event.kwargs.get("unbiased") is False or any(a is False for a in event.args[1:2]):
        return 0
    if len(event.args) > 2 and event.args[2] is False:
        return 0
    correction = event.kwargs.get("correction", 1)
    return 1 if correction is None else correction


def _dims(event: Event) -> str:
    dim = event.argument(1, "dim", "axis")
    return "" if dim is None or isinstance(dim, bool) else f"{dim}, "


@after("std", "var")
def std_correction(event: Event) -> None:
    """torch's std (n - 1) in the same statement as NumPy's (n), or in one comparison with it."""
    if _correction(event) != 1 or event.x is None:
        return
    op, line = event.name, event.place[1]
    for statement in event.source.statements_at(line):
        space = event.session.spaces.get(event.place[0], {})
        numpy_call = _numpy_spread(event.source, statement, op, space)
        if numpy_call is not None:
            event.report(
                "std-correction",
                event.x,
                x=event.call_it(event.x, "x"),
                op=op,
                n=event.x.numel() // max(event.result.numel(), 1),
                numpy=ast.unparse(numpy_call),
            )


def _numpy_spread(source, statement: ast.stmt, op: str, space: dict) -> ast.Call | None:
    """A call of NumPy's std or var with its own default, in the statement or compared with it."""
    found = _numpy_call(statement, op, space)
    if found is not None:
        return found
    names = set(source.assigned_at(statement.lineno))
    rivals = {}
    for other in ast.walk(source.scope(statement)):
        call = _numpy_call(other, op, space) if isinstance(other, ast.Assign) else None
        if call is not None:
            rivals |= dict.fromkeys(source.assigned_at(other.lineno), call)
    for use in ast.walk(source.tree):
        if isinstance(use, (ast.Compare, ast.BinOp, ast.Call)):
            used = {n.id for n in ast.walk(use) if isinstance(n, ast.Name)}
            if used & names and used & set(rivals) and _compares(use):
                return rivals[(used & set(rivals)).pop()]
    return None


def _numpy_call(node: ast.AST, op: str, space: dict) -> ast.Call | None:
    for call, name in calls(node):
        text = ast.unparse(call.func)
        owner = text.rpartition(".")[0]
        numpy = owner in ("np", "numpy") or owner.endswith(".numpy()")
        numpy = numpy or isinstance(space.get(owner), np.ndarray)
        if name == op and numpy and not _has_ddof(call):
            return call
    return None


def _has_ddof(call: ast.Call) -> bool:
    return any(k.arg in ("ddof", "correction") for k in call.keywords)


def _compares(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        name = (
            node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        )
        return name in ("allclose", "isclose", "equal", "assert_allclose", "assert_close", "print")
    return isinstance(node, ast.Compare) or isinstance(node.op, ast.Sub)


@after("allclose", "equal", "sub", "isclose")
def std_against_norm(event: Event) -> None:
    """A normalisation by hand with n - 1, compared with a layer's, which divides by n."""
    facts = [event.fact(t) for t in event.tensors[:2]]
    if len(facts) < 2 or None in facts or not {f.op for f in facts} & set(NORMS):
        return
    hand = next((f for f in facts if f.op == "div"), None)
    spreads = [_spread_in(each) for each in hand.parents] if hand else []
    for spread in filter(None, spreads):
        blanks = {"x": "x", "op": spread.op, "n": spread.tags["count"]}
        event.session.report("std-against-norm", spread.file, spread.line, blanks=blanks)


def _spread_in(fact: Fact) -> Fact | None:
    """`x.std()`, or `x.var()` under `+ eps` and `sqrt`, with n - 1."""
    found = fact.origin("std", "var", through=frozenset(["sqrt", "add", "clamp", "pow"]))
    return found if found is not None and found.tags.get("correction") == 1 else None


@after("std", "var")
def remember_correction(event: Event) -> None:
    """By what a spread was divided."""
    fact = event.fact(event.result)
    if fact is not None:
        fact.tags["correction"] = _correction(event)
        fact.tags["count"] = event.x.numel() // max(event.result.numel(), 1)


@after("median")
def median_lower(event: Event) -> None:
    """An even number of elements, and the two in the middle differ."""
    x, dim = event.x, event.argument(1, "dim", "axis")
    if not is_plain(x) or x.numel() < 2 or x.numel() > 10**5 or _keeps_index(event):
        return
    rows = x.reshape(1, -1) if dim is None else x.movedim(dim, -1).reshape(-1, x.shape[dim])
    n = rows.shape[-1]
    if n % 2 or n > 50:
        return
    ordered = rows.double().sort(dim=-1).values
    low, high = ordered[:, n // 2 - 1], ordered[:, n // 2]
    spread = ordered[:, -1] - ordered[:, 0]
    apart = (high - low) > 0.05 * spread
    if bool(apart.any()):
        row = int(apart.nonzero()[0])
        event.report(
            "median-lower",
            x,
            x=event.call_it(x, "x"),
            n=n,
            low=f"{low[row].item():g}",
            high=f"{high[row].item():g}",
            mean=f"{(low[row] + high[row]).item() / 2:g}",
            dim="" if dim is None else f", dim={dim}",
        )


def _keeps_index(event: Event) -> bool:
    """The position of the median is used: then it must be an element."""
    node = event.source.parents.get(event.node)
    if isinstance(node, ast.Attribute):
        return node.attr == "indices"
    return isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)
