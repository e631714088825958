"""Softmax over the wrong axis, without an axis, or twice."""

from __future__ import annotations

import torch

from lens.doctor.silent.event import Event, is_plain
from lens.doctor.silent.signals import after, words

SOFTMAXES = ("softmax", "softmin", "log_softmax")
SAME_NUMBERS = frozenset(
    words("view reshape squeeze unsqueeze float double clone contiguous to getitem detach")
)


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
