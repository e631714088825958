"""Walks through a computation graph, with a limit; they keep nothing of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import torch

MOST_NODES = 3000


def nodes_of(root: object, most: int = MOST_NODES) -> Iterator[object]:
    """The nodes behind a `grad_fn`, nearest first, `most` at the most."""
    waiting, seen = deque([root]), {root}
    while waiting and len(seen) <= most:
        node = waiting.popleft()
        yield node
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)


def history(tensor: torch.Tensor) -> object | None:
    """The `grad_fn`, or None: of a view made under no_grad, torch refuses to tell."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def leaves_of(root: object) -> list[torch.Tensor]:
    """The leaf tensors that a backward pass from here would give gradients to."""
    nodes = nodes_of(root)
    return [node.variable for node in nodes if node.name().endswith("AccumulateGrad")]


def count_nodes(root: object) -> int:
    """How many nodes lie behind a `grad_fn`, up to the limit."""
    return sum(1 for _ in nodes_of(root))
