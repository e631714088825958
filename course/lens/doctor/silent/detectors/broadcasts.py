"""Shapes that differ and are stretched all the same: columns with rows, losses, wrong axes."""

from __future__ import annotations

import ast

import torch

from lens.doctor.finding import Operand, operand_of
from lens.doctor.silent.event import Event
from lens.doctor.silent.facts import Fact
from lens.doctor.silent.signals import after, words

ELEMENTWISE = words(
    "add sub mul div rsub pow eq ne gt ge lt le maximum minimum atan2 isclose allclose "
    "fmin fmax bitwise_and bitwise_or logical_and logical_or remainder floor_divide logaddexp"
)
LOSSES = words(
    "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy soft_margin_loss "
    "poisson_nll_loss kl_div"
)
ON_PURPOSE = ("unsqueeze", "getitem", "view", "reshape", "expand", "get:mT", "permute", "transpose")
REDUCTIONS = ("sum", "mean", "amax", "amin", "std", "var", "norm", "logsumexp", "prod", "median")
CREATORS = words(
    "tensor rand randn randint ones zeros full arange linspace ones_like zeros_like eye empty"
)
MEASURES = ("pow", "abs", "square", "float", "mul", "to", "double", "int", "long")


@after(*ELEMENTWISE)
def column_with_row(event: Event) -> None:
    """(n, 1) with (n,): every element meets every other one."""
    if len(event.tensors) < 2:
        return
    a, b = event.tensors[:2]
    if a.ndim == b.ndim:
        wrong_axis(event, a, b)
        return
    tall, flat = (a, b) if a.ndim > b.ndim else (b, a)
    if not _is_column_of(tall.shape, flat.shape):
        wrong_axis(event, a, b)
        return
    if _meant(event, tall, flat):
        return
    made = event.session.facts.of(event.result)
    table = _table(event, tall, flat)
    if table or _named_on_purpose(event.fact(tall)):
        if made is not None:
            made.tags["column"] = _Later(event, tall, flat, table)
        return
    _tell(event, tall, flat)


def _tell(event: Event, tall: torch.Tensor, flat: torch.Tensor) -> None:
    given = operand_of(event.call_it(tall, "a"), tall), operand_of(event.call_it(flat, "b"), flat)
    event.report("column-with-row", *event.tensors[:2], **_blanks(*given))


def _blanks(column: Operand, row: Operand) -> dict[str, object]:
    tall, flat = column.shape, row.shape
    without = [(i, (*tall[:i], *tall[i + 1 :])) for i, n in enumerate(tall) if n == 1]
    return {
        "column": column.name,
        "row": row.name,
        "tall": tall,
        "flat": flat,
        "out": tuple(torch.broadcast_shapes(tall, flat)),
        "axis": next(i for i, shape in without if shape == flat),
        "column_code": column.name if _is_whole(column.name) else f"({column.name})",
    }


def _is_whole(text: str) -> bool:
    """Whether `.squeeze()` may stand right behind it."""
    whole = (ast.Name, ast.Call, ast.Attribute, ast.Subscript)
    return isinstance(ast.parse(text, mode="eval").body, whole)


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


def _table(event: Event, tall: torch.Tensor, flat: torch.Tensor) -> bool:
    """A sum or product of two tensors written out or drawn as they are: perhaps a table."""
    made = [fact.op if fact else "" for fact in map(event.fact, (tall, flat))]
    return event.name in ("add", "mul", "pow", "maximum", "minimum") and all(
        op in CREATORS for op in made
    )


class _Later:
    """A column that was made on purpose; a mean over all pairs shows that the pairs were not."""

    def __init__(self, event: Event, tall: torch.Tensor, flat: torch.Tensor, table: bool):
        named = zip(("a", "b"), (tall, flat), strict=True)
        self.given = [operand_of(event.call_it(t, letter), t) for letter, t in named]
        learns = tall.requires_grad or flat.requires_grad
        self.suspect = table or event.name == "eq" or (event.name in ("sub", "rsub") and learns)
        self.place, self.expression = event.place, event.expression


@after("mean", "sum")
def column_in_a_mean(event: Event) -> None:
    """A difference of (n, 1) and (n,), squared or compared, then averaged over all pairs."""
    if len(event.args) > 1 or event.kwargs or not event.tensors:
        return
    fact = event.fact(event.x)
    while fact is not None and "column" not in fact.tags and fact.op in MEASURES:
        fact = fact.parents[0] if fact.parents else None
    if fact is None or "column" not in fact.tags:
        return
    later = fact.tags["column"]
    if later.suspect:
        blanks = _blanks(*later.given)
        event.session.report("column-with-row", *later.place, later.expression, later.given, blanks)


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
        fact.tags["reduced"] = (_layout(event.x), dim % event.x.ndim)


def _layout(x: torch.Tensor) -> tuple:
    """Which numbers, in which order."""
    return x.data_ptr(), tuple(x.shape), x.stride()


def wrong_axis(event: Event, a: torch.Tensor, b: torch.Tensor) -> None:
    """x / x.sum(1) on a square x: the sums of the rows are laid along the columns."""
    if event.name not in ("sub", "div", "mul", "add") or abs(a.ndim - b.ndim) != 1:
        return
    big, small = (a, b) if a.ndim > b.ndim else (b, a)
    fact = event.fact(small)
    layout, dim = fact.tags.get("reduced", ((), 0)) if fact else ((), 0)
    if layout != _layout(big) or fact.tags.get("keepdim"):
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
            shape=tuple(big.shape),
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
