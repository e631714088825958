"""Shapes that do not match and are stretched all the same: columns with rows, losses, wrong axes."""

from __future__ import annotations

import ast

import torch

from lens.doctor.silent.event import Event
from lens.doctor.silent.facts import Fact
from lens.doctor.silent.signals import after

ELEMENTWISE = (
    "add sub mul div rsub pow eq ne gt ge lt le maximum minimum atan2 isclose allclose "
    "fmin fmax remainder floor_divide logaddexp"
).split()
LOSSES = (
    "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy soft_margin_loss "
    "poisson_nll_loss kl_div"
).split()
ON_PURPOSE = ("unsqueeze", "getitem", "view", "reshape", "expand", "get:mT", "permute", "transpose")
REDUCTIONS = ("sum", "mean", "amax", "amin", "std", "var", "norm", "logsumexp", "prod", "median")
MEASURES = ("pow", "abs", "square", "float", "mul", "to", "double", "int", "long")


@after(*ELEMENTWISE)
def column_with_row(event: Event) -> None:
    """(n, 1) with (n,): every element meets every other one."""
    if len(event.tensors) < 2:
        return
    a, b = event.tensors[:2]
    if a.ndim == b.ndim:
        return wrong_axis(event, a, b)
    tall, flat = (a, b) if a.ndim > b.ndim else (b, a)
    if not _is_column_of(tall.shape, flat.shape):
        return wrong_axis(event, a, b)
    if _meant(event, tall, flat):
        return None
    made = event.session.facts.of(event.result)
    if _named_on_purpose(event.fact(tall)):
        if made is not None:
            made.tags["column"] = _Later(event, tall, flat)
        return None
    return _tell(event, tall, flat)


def _tell(event: Event, tall: torch.Tensor, flat: torch.Tensor) -> None:
    axis = next(i for i, n in enumerate(tall.shape) if n == 1 and _without(tall.shape, i, flat))
    column, row = event.call_it(tall, "a"), event.call_it(flat, "b")
    event.report(
        "column-with-row",
        *event.tensors[:2],
        column=column,
        row=row,
        tall=tuple(tall.shape),
        flat=tuple(flat.shape),
        out=tuple(torch.broadcast_shapes(tall.shape, flat.shape)),
        axis=axis,
        column_code=column if column.isidentifier() else f"({column})",
    )


def _without(shape: torch.Size, axis: int, flat: torch.Tensor) -> bool:
    return (*shape[:axis], *shape[axis + 1 :]) == tuple(flat.shape)


def _is_column_of(tall: torch.Size, flat: torch.Size) -> bool:
    """Whether one axis of length 1 is all that parts the shapes, and both would be stretched."""
    if len(tall) != len(flat) + 1:
        return False
    parted = any(
        n == 1 and (*tall[:i], *tall[i + 1 :]) == tuple(flat) for i, n in enumerate(tall) if i
    )
    return parted and torch.broadcast_shapes(tall, flat).numel() > max(tall.numel(), flat.numel())


def _meant(event: Event, tall: torch.Tensor, flat: torch.Tensor) -> bool:
    """The axis of length 1 is made in this very expression, or both are the same numbers."""
    text = event.expression
    if any(word in text for word in ("None", "newaxis", "unsqueeze", "keepdim", "outer")):
        return True
    shared = tall.untyped_storage().data_ptr() == flat.untyped_storage().data_ptr()
    return shared or any(
        isinstance(n, ast.Call) and getattr(n.func, "attr", "") in ("view", "reshape")
        for n in ast.walk(event.node or ast.Pass())
    )


def _named_on_purpose(fact: Fact | None) -> bool:
    if fact is None:
        return False
    if fact.op in ON_PURPOSE:
        return fact.op != "getitem" or fact.tags.get("new axis", False)
    return fact.op in REDUCTIONS and bool(fact.tags.get("keepdim"))


class _Later:
    """A column that was made on purpose; a mean over all pairs shows that the pairs were not."""

    def __init__(self, event: Event, tall: torch.Tensor, flat: torch.Tensor):
        named = [(event.call_it(t, "a"), t) for t in (tall, flat)]
        self.given = [(name, tuple(t.shape), t.requires_grad) for name, t in named]
        self.place, self.expression = event.place, event.expression


@after("mean", "sum")
def column_in_a_mean(event: Event) -> None:
    """A difference of (n, 1) and (n,), squared or compared, then averaged over all pairs."""
    if len(event.args) > 1 or event.kwargs or not event.tensors:
        return
    fact = event.fact(event.x)
    while fact is not None and "column" not in fact.tags and fact.op in MEASURES:
        fact = fact.parents[0] if fact.parents else None
    if fact is None or fact.op not in ("sub", "eq", "rsub") or "column" not in fact.tags:
        return
    later = fact.tags["column"]
    (column, tall, learns), (row, flat, also) = later.given
    if fact.op == "eq" or learns or also:
        out = tuple(torch.broadcast_shapes(tall, flat))
        code = column if column.isidentifier() else f"({column})"
        event.session.report(
            "column-with-row",
            *later.place,
            later.expression,
            blanks={"column": column, "row": row, "tall": tall, "flat": flat, "out": out}
            | {"axis": tall.index(1, 1), "column_code": code},
        )


@after("getitem")
def remember_new_axis(event: Event) -> None:
    """`x[:, None]` makes an axis on purpose."""
    index = event.args[1] if len(event.args) > 1 else None
    fact = event.fact(event.result)
    if fact is not None and index is not None:
        parts = index if isinstance(index, tuple) else (index,)
        fact.tags["new axis"] = any(part is None for part in parts)


@after(*REDUCTIONS)
def remember_reduction(event: Event) -> None:
    """Which axis went, and of which tensor: to see it put back on another axis."""
    fact = event.fact(event.result)
    dim = event.argument(1, "dim", "axis")
    if fact is None or event.x is None:
        return
    fact.tags["keepdim"] = bool(event.argument(2, "keepdim", "keepdims", default=False))
    if isinstance(dim, int) and not isinstance(dim, bool) and event.x.ndim >= 2:
        fact.tags["reduced"] = (event.x.data_ptr(), tuple(event.x.shape), dim % event.x.ndim)


def wrong_axis(event: Event, a: torch.Tensor, b: torch.Tensor) -> None:
    """x / x.sum(1) on a square x: the sums of the rows are laid along the columns."""
    if event.name not in ("sub", "div", "mul", "add") or abs(a.ndim - b.ndim) != 1:
        return
    big, small = (a, b) if a.ndim > b.ndim else (b, a)
    fact = event.fact(small)
    where, shape, dim = fact.tags.get("reduced", (0, (), 0)) if fact else (0, (), 0)
    if where != big.data_ptr() or shape != tuple(big.shape) or fact.tags.get("keepdim"):
        return
    if dim > 0 and torch.broadcast_shapes(big.shape, small.shape) == big.shape:
        event.report(
            "reduced-axis-back",
            a,
            b,
            big=event.call_it(big, "x"),
            small=event.call_it(small, "s"),
            dim=dim,
            op=fact.op,
            shape=shape,
            sign={"sub": "-", "div": "/", "mul": "*", "add": "+"}[event.name],
        )


@after(*LOSSES)
def loss_shapes(event: Event) -> None:
    """A loss of two shapes that are not the same."""
    if len(event.tensors) < 2:
        return
    x, y = event.tensors[:2]
    if x.shape == y.shape or y.ndim == 0 or x.ndim == 0 or 0 in (x.numel(), y.numel()):
        return
    event.report(
        "loss-shapes",
        x,
        y,
        input=event.call_it(x, "input"),
        target=event.call_it(y, "target"),
        a=tuple(x.shape),
        b=tuple(y.shape),
        out=tuple(torch.broadcast_shapes(x.shape, y.shape)),
    )
