"""Softmax over the wrong axis or twice, spread of one number, two definitions of one word."""

from __future__ import annotations

import ast

import torch

from lens.doctor.silent.event import Event, is_plain
from lens.doctor.silent.facts import Fact
from lens.doctor.silent.signals import after, words
from lens.doctor.silent.source import calls

SOFTMAXES = ("softmax", "softmin", "log_softmax")
SAME_NUMBERS = frozenset(
    words("view reshape squeeze unsqueeze float double clone contiguous to getitem detach")
)
SPREADS = ("std", "var", "std_mean", "var_mean")


@after(*SOFTMAXES)
def implicit_softmax(event: Event) -> None:
    """No `dim`: torch picks one by the number of axes."""
    x, dim = event.x, event.argument(1, "dim")
    fact = event.fact(event.result)
    if fact is not None and isinstance(dim, int):
        fact.tags["softmax"] = dim % max(x.ndim, 1)
    if dim is None:
        chosen = 0 if x.ndim in (0, 1, 3) else 1
        name = event.call_it(x, "x")
        if x.ndim > 1:
            _tell_softmax(event, "softmax-no-dim", x, chosen, name)
    elif x.ndim == 2 and dim % 2 == 0 and x.shape[1] > 1 and _is_layer(event):
        _tell_softmax(event, "softmax-over-batch", x, 0, event.call_it(x, "x"))


def _tell_softmax(event: Event, fault: str, x: torch.Tensor, dim: int, name: str) -> None:
    event.report(fault, x, x=name, dim=dim, shape=tuple(x.shape), op=event.name)


def _is_layer(event: Event) -> bool:
    """Run by `nn.Softmax` inside a container: its input is a batch."""
    stack = event.session.running
    return len(stack) > 1 and type(stack[-2]).__name__ == "Sequential"


@after("sum", "argmax", "max", "multinomial", "topk")
def softmax_read_across(event: Event) -> None:
    """Probabilities that sum to 1 down the columns, read along the rows."""
    x = event.args[0] if event.args else None
    fact = event.fact(x)
    if fact is None or fact.op != "softmax" or fact.tags.get("softmax") != 0:
        return
    dim = event.argument(1, "dim", "axis")
    rows = isinstance(dim, int) and dim % max(x.ndim, 1) == x.ndim - 1
    if x.ndim == 2 and x.shape[1] > 1 and (rows or event.name == "multinomial"):
        name = event.call_it(x, "p")
        event.session.report(
            "softmax-over-batch",
            fact.file,
            fact.line,
            named=[(name, x)],
            blanks={"x": "x", "dim": 0, "shape": tuple(x.shape), "op": "softmax"},
        )


@after("nll_loss")
def classes_across(event: Event) -> None:
    """Log-probabilities over the batch, where the loss looks along the classes."""
    fact = event.fact(event.x)
    if fact is None or fact.op != "log_softmax" or event.x.ndim != 2 or event.x.shape[1] < 2:
        return
    if fact.tags.get("softmax") == 0:
        name = event.call_it(event.x, "x")
        event.session.report(
            "softmax-over-batch",
            fact.file,
            fact.line,
            named=[(name, event.x)],
            blanks={"x": "x", "dim": 0, "shape": tuple(event.x.shape), "op": "log_softmax"},
        )


@after("cross_entropy", "binary_cross_entropy_with_logits", "softmax", "log_softmax")
def double_softmax(event: Event) -> None:
    """Probabilities where raw scores are due."""
    x = event.x
    if x is None or not is_plain(x) or x.ndim == 0 or not x.is_floating_point():
        return
    wanted = "sigmoid" if event.name.startswith("binary") else "softmax"
    fact = event.fact(x)
    made = fact.origin(wanted, through=SAME_NUMBERS) if fact else None
    if made is None and not (event.name == "cross_entropy" and _is_distribution(x)):
        return
    again = made is not None and event.name in SOFTMAXES
    if again and made.tags.get("softmax") != (event.argument(1, "dim") or 0) % x.ndim:
        return
    name = event.call_it(x, "p")
    event.report(
        "double-softmax",
        x,
        x=name,
        inner=wanted,
        op=event.name,
        line=made.line if made else event.place[1],
        classes=x.shape[1] if x.ndim > 1 else x.shape[0],
    )


def _is_distribution(x: torch.Tensor) -> bool:
    """Rows in [0, 1] that sum to 1, and not one-hot."""
    axis = 1 if x.ndim > 1 else 0
    if x.shape[axis] < 2 or x.numel() > 10**6:
        return False
    inside = bool(((x >= 0) & (x <= 1)).all()) and bool((x != x.round()).any())
    return inside and bool(((x.sum(axis) - 1).abs() < 1e-5).all())


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
        numpy_call = _numpy_spread(event.source, statement, op)
        if numpy_call is not None:
            event.report(
                "std-correction",
                event.x,
                x=event.call_it(event.x, "x"),
                op=op,
                n=event.x.numel() // max(event.result.numel(), 1),
                numpy=ast.unparse(numpy_call),
            )


def _numpy_spread(source, statement: ast.stmt, op: str) -> ast.Call | None:
    """A call of NumPy's std or var with its own default, in the statement or compared with it."""
    found = _numpy_call(statement, op)
    if found is not None:
        return found
    names = set(source.assigned_at(statement.lineno))
    rivals = {}
    for other in ast.walk(source.scope(statement)):
        call = _numpy_call(other, op) if isinstance(other, ast.Assign) else None
        if call is not None:
            rivals |= dict.fromkeys(source.assigned_at(other.lineno), call)
    for use in ast.walk(source.tree):
        if isinstance(use, (ast.Compare, ast.BinOp, ast.Call)):
            used = {n.id for n in ast.walk(use) if isinstance(n, ast.Name)}
            if used & names and used & set(rivals) and _compares(use):
                return rivals[(used & set(rivals)).pop()]
    return None


def _numpy_call(node: ast.AST, op: str) -> ast.Call | None:
    for call, name in calls(node):
        text = ast.unparse(call.func)
        if name == op and text.startswith(("np.", "numpy.")) and not _has_ddof(call):
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


def softmax_of(fact: Fact | None) -> Fact | None:
    """The softmax that made these numbers."""
    return fact.origin("softmax", through=SAME_NUMBERS) if fact else None
