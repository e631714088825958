"""What is remembered about live tensors: how each came about. Nothing here keeps a tensor alive."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field

import torch

GENERATIONS = 3


@dataclass(eq=False)
class Fact:
    """How a tensor was made: the operation, the place, the facts of what went in."""

    op: str
    file: str = ""
    line: int = 0
    parents: tuple[Fact, ...] = ()
    shape: tuple[int, ...] = ()
    storage: int = 0
    tags: dict[str, object] = field(default_factory=dict)

    def origin(self, *ops: str, through: frozenset[str] = frozenset()) -> Fact | None:
        """This fact or the first of its ancestors made by one of `ops`, reached by `through`."""
        fact = self
        while fact is not None:
            if fact.op in ops:
                return fact
            fact = fact.parents[0] if fact.op in through and fact.parents else None
        return None


class Facts:
    """Facts by tensor, forgotten when the tensor goes."""

    def __init__(self):
        self._known: dict[int, tuple[weakref.ref, Fact]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def of(self, tensor: object) -> Fact | None:
        """What is known about this very tensor object."""
        entry = self._known.get(id(tensor))
        return entry[1] if entry and entry[0]() is tensor else None

    def put(self, tensor: torch.Tensor, fact: Fact) -> None:
        """Remember a tensor; the line of its ancestors is cut after a few generations."""
        key, known = id(tensor), self._known

        def forget(ref: weakref.ref) -> None:
            if key in known and known[key][0] is ref:
                del known[key]

        generation = [fact]
        for _ in range(GENERATIONS):
            generation = [parent for each in generation for parent in each.parents]
        for old in generation:
            old.parents = ()
        known[key] = (weakref.ref(tensor, forget), fact)

    def clear(self) -> None:
        """Forget everything."""
        self._known.clear()
