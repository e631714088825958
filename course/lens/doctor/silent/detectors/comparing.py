"""Floating-point numbers compared as if they were exact, added beyond their precision, read off a print."""

from __future__ import annotations

import ast

import torch

from lens.doctor.silent.event import Event, is_plain
from lens.doctor.silent.facts import Fact
from lens.doctor.silent.signals import after, before

ROUNDING = (
    "matmul mm bmm linear einsum conv1d conv2d conv3d sum mean softmax log_softmax exp log sqrt "
    "rsqrt sin cos tanh sigmoid std var norm cumsum prod addmm dot div mul add sub pow layer_norm "
    "scaled_dot_product_attention baddbmm mv logsumexp tensordot inner"
).split()
HEAVY = frozenset(
    "matmul mm bmm linear einsum conv1d conv2d conv3d sum mean softmax log_softmax std var norm "
    "cumsum layer_norm scaled_dot_product_attention logsumexp tensordot dot mv inner".split()
)
EXACT = frozenset(
    "stack cat reshape view transpose permute squeeze unsqueeze getitem clone contiguous detach "
    "unbind to get:T flatten".split()
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


@after("sum", "mean", "cumsum")
def float_sum(event: Event) -> None:
    """A sum whose rounding shows: compared exactly, or wrong in its leading digits."""
    x, made = event.x, event.result
    if not is_plain(x) or not x.is_floating_point() or x.dtype == torch.float64:
        return
    if made.dtype == torch.float64 or x.numel() > 10**7:
        return
    half = x.dtype in (torch.float16, torch.bfloat16)
    compared = x.numel() >= 4 and _compared_exactly(event)
    if not (compared or half or x.numel() >= 10**5):
        return
    if event.place in event.session.memo["sums"] and not compared:
        return
    event.session.memo["sums"][event.place] = True
    kwargs = {k: v for k, v in event.kwargs.items() if k != "dtype"}
    true = getattr(torch, event.name)(x.double(), *event.args[1:], **kwargs)
    scale = x.double().abs().sum() if event.name != "mean" else x.double().abs().mean()
    error = (made.double() - true).abs()
    worst = (error / scale).max().item()
    overflow = bool(made.isinf().any()) and bool(true.isfinite().all())
    limit = 1e-9 if compared else 2e-2 if half else 1e-3
    if overflow or worst > limit:
        at = error.nan_to_num(posinf=1e300).argmax()
        event.report(
            "float-sum",
            x,
            x=event.call_it(x, "x"),
            op=event.name,
            n=x.numel() // max(made.numel(), 1) if event.name != "cumsum" else x.numel(),
            got=f"{made.reshape(-1)[at].item():.10g}",
            true=f"{true.reshape(-1)[at].item():.10g}",
            dtype=str(x.dtype).removeprefix("torch."),
            arguments=_arguments(event),
        )


def _arguments(event: Event) -> str:
    dim = event.argument(1, "dim", "axis")
    return "" if dim is None else f"dim={dim}, "


def _compared_exactly(event: Event) -> bool:
    node = event.node
    for each in event.source.ancestors(node) if node is not None else ():
        if isinstance(each, ast.Compare):
            return any(isinstance(op, (ast.Eq, ast.NotEq)) for op in each.ops)
        if not isinstance(each, (ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Call)):
            return False
        if isinstance(each, ast.Call) and each is not node and not _is_item(each):
            return False
    return False


def _is_item(call: ast.Call) -> bool:
    function = call.func
    return getattr(function, "attr", getattr(function, "id", "")) in ("item", "float")


@before("add_")
def keep_total(event: Event) -> None:
    """The total before a step is added to it."""
    total = event.args[0]
    if is_plain(total) and total.ndim == 0 and total.is_floating_point():
        event.memory["total"] = total.double().item()


@after("add_", "add")
def stuck_sum(event: Event) -> None:
    """A running total so large that adding to it changes nothing."""
    if len(event.args) < 2 or not event.plain or "alpha" in event.kwargs:
        return
    total, step = event.args[:2]
    if not isinstance(total, torch.Tensor) or total.ndim or not total.is_floating_point():
        return
    if total.dtype == torch.float64 or not _accumulates(event):
        return
    step_value = float(step)
    old = event.memory.get("total") if event.name == "add_" else total.double().item()
    stuck = abs(step_value) >= 1e-3 and event.result.double().item() == old
    if stuck and torch.isfinite(total).item():
        event.report(
            "stuck-sum",
            total,
            x=event.call_it(total, "total"),
            step=f"{step_value:g}",
            total=f"{total.item():.10g}",
            dtype=str(total.dtype).removeprefix("torch."),
        )


def _accumulates(event: Event) -> bool:
    """`total += x` or `total = total + x`."""
    statement = next(iter(event.source.statements_at(event.place[1])), None)
    if isinstance(statement, ast.AugAssign):
        return True
    node = event.node
    if isinstance(statement, ast.Assign) and isinstance(node, ast.BinOp):
        name = ast.unparse(statement.targets[0])
        return name in (ast.unparse(node.left), ast.unparse(node.right))
    if isinstance(statement, ast.Expr) and isinstance(node, ast.Compare):
        return False
    return isinstance(event.source.parents.get(node), ast.Compare)


@after("repr", "format", "str")
def remember_print(event: Event) -> None:
    """Tensors that were shown with 4 digits."""
    x = event.args[0]
    if is_plain(x) and x.is_floating_point() and 0 < x.numel() <= 1000:
        event.session.memo["printed"][event.place] = x.double().reshape(-1)[:1000].tolist()


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
