"""Sums whose rounding shows, and totals too large to grow."""

from __future__ import annotations

import ast

import torch

from lens.doctor.silent.event import Event, is_plain
from lens.doctor.silent.signals import after, before


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
    if isinstance(step, torch.Tensor) and (step.numel() != 1 or step.is_complex()):
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
