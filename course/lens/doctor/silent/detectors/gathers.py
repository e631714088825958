"""`gather` and `scatter_` with an index that covers a part of the tensor only."""

from __future__ import annotations

import ast

import torch

from lens.doctor.silent.event import Event
from lens.doctor.silent.signals import after


@after("gather", "scatter", "scatter_", "scatter_add", "scatter_add_", "scatter_reduce_")
def partial_index(event: Event) -> None:
    """The index is shorter than the tensor in an axis other than `dim`: the rest is left out."""
    x, dim = event.argument(0, "input"), event.argument(1, "dim")
    index = event.argument(2, "index")
    if not isinstance(index, torch.Tensor) or not isinstance(dim, int) or index.numel() == 0:
        return
    if event.name != "gather" and not _on_its_side(x, dim, index):
        return
    short = [d for d in range(x.ndim) if d != dim % x.ndim and index.shape[d] < x.shape[d]]
    if short:
        event.report(
            "gather-shape",
            x,
            index,
            op=event.name,
            x=event.call_it(x, "x"),
            index=event.call_it(index, "index"),
            axis=short[0],
            dim=dim,
            a=tuple(x.shape),
            b=tuple(index.shape),
            out=tuple(index.shape),
            want=_wanted(x, index, dim),
            rest="" if event.name == "gather" else ", " + _value(event),
        )


def _value(event: Event) -> str:
    """What `scatter_` writes, as the learner wrote it."""
    given = getattr(event.node, "args", [])
    return ast.unparse(given[2]) if len(given) > 2 else "1"


def _on_its_side(x: torch.Tensor, dim: int, index: torch.Tensor) -> bool:
    """One label for each row, laid along the first row."""
    rows = x.ndim == 2 and dim % 2 == 1
    return rows and index.shape[0] == 1 < x.shape[0] == index.shape[1]


def _wanted(x: torch.Tensor, index: torch.Tensor, dim: int) -> str:
    name_free = index.squeeze()
    if name_free.ndim == 1 and x.ndim == 2 and name_free.numel() == x.shape[1 - dim % 2]:
        return f".reshape(-1).unsqueeze({dim % 2})"
    sizes = [-1 if d == dim % x.ndim or index.shape[d] == n else n for d, n in enumerate(x.shape)]
    if all(index.shape[d] in (1, n) for d, n in enumerate(x.shape) if d != dim % x.ndim):
        return f".expand({', '.join(map(str, sizes))})"
    return ""
