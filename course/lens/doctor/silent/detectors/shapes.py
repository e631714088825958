"""`reshape` where axes should have been moved, and `squeeze` that takes the batch with it."""

from __future__ import annotations

import ast
import itertools

import torch

from lens.doctor.silent.event import Event
from lens.doctor.silent.facts import Fact
from lens.doctor.silent.places import position
from lens.doctor.silent.signals import after, at, words

LAYERS = words(
    "linear matmul bmm conv1d conv2d conv3d einsum scaled_dot_product_attention baddbmm mm"
)
MOVES = ("permute", "transpose", "movedim", "moveaxis", "get:T", "get:mT", "t", "get:H")
KEEPS = frozenset(
    words("dropout softmax relu contiguous add mul div sub float clone getitem to gelu tanh")
)
PADDED = ("cat", "pad", "stack")


@after("reshape", "view")
def reshape_as_transpose(event: Event) -> None:
    """The new axes name the old ones in another order: rows come out mixed."""
    x, y = event.args[0], event.result
    if not isinstance(y, torch.Tensor) or x.numel() < 4:
        return
    block = mixed_block(tuple(x.shape), tuple(y.shape))
    if block is None:
        return
    old, new, leading = block
    if -1 in _sizes(event) and not (leading and x.ndim == y.ndim):
        return
    fact = event.fact(x)
    if fact is not None and fact.op in PADDED:
        return
    if sorted(old) == sorted(new):
        order = _order(tuple(x.shape), tuple(y.shape))
        _tell(event, x, y, f".permute({order})" if order else "")
    elif leading and _named_axes(fact) and (_merges(old, new) or _merges(new, old)):
        _tell(event, x, y, _steps(tuple(x.shape), tuple(y.shape)))
    elif fact is not None and fact.origin(*MOVES, through=frozenset(["contiguous", "clone"])):
        _tell(event, x, y, "")


def _tell(event: Event, x: torch.Tensor, y: torch.Tensor, code: str) -> None:
    name = event.call_it(x, "x")
    event.report(
        "reshape-as-transpose",
        x,
        x=name,
        a=tuple(x.shape),
        b=tuple(y.shape),
        method=event.name,
        code=name + code if code else f"{name}.permute(…).reshape{tuple(y.shape)}",
    )


def _sizes(event: Event) -> tuple:
    given = event.args[1:] or tuple(event.kwargs.values())
    return given[0] if given and isinstance(given[0], (tuple, list)) else given


def mixed_block(old: tuple, new: tuple) -> tuple[tuple, tuple, bool] | None:
    """The first run of axes that is neither a merge nor a split: (old, new, after a batch axis).

    Axes of length 1 do not count. (2, 3, 4) → (6, 4) merges, (2, 3) → (3, 2) mixes.
    """
    old, new = ([n for n in shape if n != 1] for shape in (old, new))
    if 0 in old:
        return None
    leading, i, j = False, 0, 0
    while i < len(old) and j < len(new):
        first, other, a, b = i, j, old[i], new[j]
        while a != b:
            if a < b:
                i += 1
                a *= old[i]
            else:
                j += 1
                b *= new[j]
        i, j = i + 1, j + 1
        if i - first > 1 and j - other > 1:
            return tuple(old[first:i]), tuple(new[other:j]), leading
        leading = True
    return None


def _merges(fine: tuple, coarse: tuple) -> bool:
    """Whether `coarse` is `fine` in another order with neighbours merged, one axis kept whole."""
    if len(fine) > 6 or len(fine) != len(coarse) + 1:
        return False
    for order in itertools.permutations(range(len(fine))):
        shape = [fine[i] for i in order]
        for k in range(len(shape) - 1):
            merged = (*shape[:k], shape[k] * shape[k + 1], *shape[k + 2 :])
            if list(order) != sorted(order) and merged == coarse and order[k] + 1 != order[k + 1]:
                return True
    return False


def _named_axes(fact: Fact | None) -> bool:
    return fact is not None and fact.origin(*LAYERS, *MOVES, through=KEEPS) is not None


def _order(old: tuple, new: tuple) -> str:
    """The order of axes that gives the new shape, where only one does."""
    if len(old) != len(new) or len(old) > 5:
        return ""
    found = [p for p in itertools.permutations(range(len(old))) if [old[i] for i in p] == [*new]]
    moved = [p for p in found if p != tuple(range(len(old)))]
    return ", ".join(map(str, moved[-1])) if moved else ""


def _steps(old: tuple, new: tuple) -> str:
    if len(old) == 4 and len(new) == 3 and (old[0], old[2]) == new[:2]:
        return f".transpose(1, 2).reshape{new}"
    if len(old) == 3 and len(new) == 4 and (new[0], new[2]) == old[:2]:
        return f".view({new[0]}, {new[2]}, {new[1]}, {new[3]}).transpose(1, 2)"
    return ""


@after("squeeze")
def squeeze_batch(event: Event) -> None:
    """`squeeze()` without an axis, where the batch has length 1."""
    x = event.args[0]
    if len(event.args) > 1 or event.kwargs or x.ndim < 2:
        return
    seen = event.session.memo["squeeze"].setdefault((event.place, position(event.frame)), set())
    seen.add(int(x.shape[0] == 1))
    if x.shape[0] != 1 or _wants_number(event):
        return
    kept = [i for i, n in enumerate(x.shape) if n != 1]
    around = kept == [1] and x.shape[-1] == 1
    answer = x.shape[-1] == 1 and not kept and _from_module(event, x)
    if around or answer or (len(seen) == 2 and kept != list(range(1, x.ndim))):
        _tell_squeeze(event, x)


def _tell_squeeze(event: Event, x: torch.Tensor) -> None:
    trailing = [i - x.ndim for i, n in enumerate(x.shape) if n == 1 and i]
    axes = str(trailing[0]) if len(trailing) == 1 else str(tuple(trailing))
    name = event.call_it(x, "x")
    event.report(
        "squeeze-batch",
        x,
        x=name,
        a=tuple(x.shape),
        b=tuple(event.result.shape),
        code=f"{name}.squeeze({axes})",
    )


def _wants_number(event: Event) -> bool:
    """`…squeeze().item()`: one number is wanted."""
    node = event.source.parents.get(event.node)
    return isinstance(node, ast.Attribute) and node.attr in ("item", "tolist")


def _from_module(event: Event, x: torch.Tensor) -> bool:
    """Whether x is what a model made of a batch that was not made by `unsqueeze`."""
    fact = event.fact(x)
    return fact is not None and fact.tags.get("batch of one", False)


@at("after_forward")
def remember_batch_of_one(session, module, args, result) -> None:
    """The outermost module's result, and whether its batch of 1 was made on purpose."""
    if not (args and isinstance(args[0], torch.Tensor) and isinstance(result, torch.Tensor)):
        return
    fact, given = session.facts.of(result), session.facts.of(args[0])
    if fact is not None and args[0].ndim and args[0].shape[0] == 1:
        made = given is not None and given.op in ("unsqueeze", "getitem", "reshape", "view")
        fact.tags["batch of one"] = not made
