"""Which exercise is being checked, and which calls were made: what a message prints as its call."""

from __future__ import annotations

import weakref
from collections import deque
from dataclasses import dataclass

import torch

from lens.summary import summarise

ARGUMENT = 12  # elements: what went in is written out to a smaller size than what came out


@dataclass
class Call:
    """One call of an answer. Results are held weakly: a check must not keep a graph alive."""

    name: str
    text: str
    results: tuple[weakref.ref, ...] = ()

    def returned(self, result: object) -> None:
        """Note the tensors that came back, so that messages find their call."""
        parts = result if isinstance(result, (tuple, list)) else (result,)
        self.results = tuple(weakref.ref(p) for p in parts if isinstance(p, torch.Tensor))


_name: str | None = None
_recent: deque[Call] = deque(maxlen=16)


def begin(name: str) -> None:
    """A new exercise is being checked; earlier calls are forgotten."""
    global _name
    _name = name
    _recent.clear()


def current() -> str | None:
    """The name of the exercise that is being checked."""
    return _name


def begin_call(name: str, args: tuple, kwargs: dict) -> Call:
    """A call, written down before it runs, since it may change its arguments."""
    parts = [summarise(value, ARGUMENT) for value in args]
    parts += [f"{key}={summarise(value, ARGUMENT)}" for key, value in kwargs.items()]
    call = Call(name, f"{name}({', '.join(parts)})")
    _recent.append(call)
    return call


def call_of(value: object) -> Call | None:
    """The call that returned this tensor; else the latest call; None when there was none."""
    if isinstance(value, (tuple, list)) and value:
        value = value[0]
    if isinstance(value, torch.Tensor):
        for call in reversed(_recent):
            if any(result() is value for result in call.results):
                return call
    return _recent[-1] if _recent else None
