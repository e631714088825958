"""Floating-point numbers compared as if exact, added past their precision, read off a print."""

from __future__ import annotations

import ast

import torch

from lens.doctor.silent.event import Event, is_plain
from lens.doctor.silent.facts import Fact
from lens.doctor.silent.signals import after, words

ROUNDING = words(
    "matmul mm bmm linear einsum conv1d conv2d conv3d sum mean softmax log_softmax exp log sqrt "
    "rsqrt sin cos tanh sigmoid std var norm cumsum prod addmm dot div mul add sub pow layer_norm "
    "scaled_dot_product_attention baddbmm mv logsumexp tensordot inner"
)
HEAVY = frozenset(
    words(
        "matmul mm bmm linear einsum conv1d conv2d conv3d sum mean softmax log_softmax std var "
        "norm cumsum layer_norm scaled_dot_product_attention logsumexp tensordot dot mv inner"
    )
)
EXACT = frozenset(
    words(
        "stack cat reshape view transpose permute squeeze unsqueeze getitem clone contiguous "
        "detach unbind to get:T flatten"
    )
)
CLOSE = 2e-6
MOST = 10**6


def computed(fact: Fact | None) -> Fact | None:
    """The rounding operation that made these numbers, seen through operations that copy exactly."""
    return fact.origin(*ROUNDING, through=EXACT) if fact else None


@after("equal", "eq", "ne")
def exact_comparison(event: Event) -> None:
    """Two results that agree up to rounding, compared bit by bit."""
    if len(event.args) < 2 or not isinstance(event.args[0], torch.Tensor) or not event.plain:
        return
    a, b = event.args[:2]
    if event.session.told(event.place):
        return
    if not a.is_floating_point() or a.numel() > MOST or not isinstance(b, (torch.Tensor, float)):
        return
    other = b if isinstance(b, torch.Tensor) else torch.tensor(b, dtype=torch.float64)
    if not other.is_floating_point():
        return
    one, two = computed(event.fact(a)), computed(event.fact(b))
    try:
        gap = (a.double() - other.double()).abs()
    except RuntimeError:
        return
    scale = torch.maximum(a.double().abs(), other.double().abs())
    apart = gap > 0
    if bool(apart.any()) and (one or two or isinstance(b, float) or a.dtype != other.dtype):
        eps = CLOSE * max(1, torch.finfo(a.dtype).eps / 1.2e-7)
        near = apart & (gap <= eps * scale)
        if bool((near == apart).all()) and (event.name == "equal" or bool(near.any())):
            _tell(event, a, b, gap.max().item())
    elif event.name == "equal" and _differ(one, two) and bool((a != a.round()).any()):
        _tell(event, a, b, 0.0)


def _differ(one: Fact | None, two: Fact | None) -> bool:
    """Results of the same name computed in pieces of another size, or by another operation."""
    if one is None or two is None or not {one.op, two.op} <= HEAVY:
        return False
    shapes = [p.shape for p in one.parents] != [p.shape for p in two.parents]
    return one.op != two.op or (shapes and one.shape != two.shape)


def _tell(event: Event, a: torch.Tensor, b: object, gap: float) -> None:
    x, y = event.call_it(a, "a"), event.call_it(b, "b") if isinstance(b, torch.Tensor) else repr(b)
    tensors = [t for t in (a, b) if isinstance(t, torch.Tensor)]
    fault = "exact-comparison" if gap else "exact-comparison-by-luck"
    event.report(
        fault, *tensors, a=x, b=y, gap=f"{gap:.1e}", dtype=str(a.dtype).removeprefix("torch.")
    )


@after("item", "tolist", "float")
def number_compared(event: Event) -> None:
    """`x.item() == 0.1`: a float32 number beside a literal in float64."""
    x = event.args[0]
    if not is_plain(x) or x.numel() != 1 or x.dtype not in (torch.float32, torch.float16):
        return
    node, value = event.node, event.result
    parent = event.source.parents.get(node)
    if not isinstance(parent, ast.Compare) or not isinstance(value, float):
        return
    if not isinstance(parent.ops[0], (ast.Eq, ast.NotEq)) or ".sum(" in ast.unparse(node):
        return
    for side in (parent.left, *parent.comparators):
        literal = side.value if isinstance(side, ast.Constant) else None
        if isinstance(literal, float) and 0 < abs(value - literal) <= CLOSE * abs(literal):
            event.report(
                "number-compared",
                x,
                a=ast.unparse(node),
                b=repr(literal),
                got=repr(value),
                dtype=str(x.dtype).removeprefix("torch."),
            )


@after("repr", "format", "str")
def remember_print(event: Event) -> None:
    """Tensors that were shown with 4 digits."""
    x = event.args[0]
    if is_plain(x) and x.is_floating_point() and 0 < x.numel() <= 1000:
        shown = event.session.memo["printed"].setdefault(event.place, [])
        if len(shown) < 1000:
            shown += x.double().reshape(-1).tolist()


@after("eq", "ne", "equal")
def print_precision(event: Event) -> None:
    """Numbers that print alike and are not the same, compared after one of them was printed."""
    if len(event.args) < 2 or not isinstance(event.args[0], torch.Tensor) or not event.plain:
        return
    a, b = event.args[:2]
    other = b if isinstance(b, torch.Tensor) else torch.tensor(b, dtype=torch.float64)
    if not a.is_floating_point() or not other.is_floating_point() or a.numel() > 1000:
        return
    digits = torch._tensor_str.PRINT_OPTS.precision
    a, other = torch.broadcast_tensors(a.double(), other.double())
    gap, scale = (a - other).abs(), torch.maximum(a.abs(), other.abs())
    alike = [f"{p:.{digits}f}" == f"{q:.{digits}f}" for p, q in _pairs(a, other)]
    apart = ((gap > CLOSE * scale) & (scale > 10**-digits)).reshape(-1).tolist()
    both = [i for i, (same, far) in enumerate(zip(alike, apart, strict=True)) if same and far]
    if both and all(alike) and _typed_or_printed(event, a, b):
        one, two = a.reshape(-1)[both[0]].item(), other.reshape(-1)[both[0]].item()
        event.report(
            "print-precision",
            *[t for t in event.args[:2] if isinstance(t, torch.Tensor)],
            shown=f"{one:.{digits}f}",
            a=f"{one:.9g}",
            b=f"{two:.9g}",
            digits=digits,
            x=event.call_it(event.args[0], "x"),
            y=event.call_it(b, "y") if isinstance(b, torch.Tensor) else repr(b),
        )


def _pairs(a: torch.Tensor, b: torch.Tensor):
    return zip(a.reshape(-1).tolist(), b.reshape(-1).tolist(), strict=True)


def _typed_or_printed(event: Event, a: torch.Tensor, b: object) -> bool:
    """A literal of at most 4 decimals, or one of the two was printed before."""
    if isinstance(b, float):
        return round(b, 4) == b
    numbers = set(a.reshape(-1).tolist())
    return any(numbers & set(each) for each in event.session.memo["printed"].values())
