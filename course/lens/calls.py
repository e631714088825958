"""Which exercise is being checked, and which calls were made: what a message prints as its call."""

from __future__ import annotations

import weakref
from collections import deque
from dataclasses import dataclass, field

import torch

from lens.summary import summarise


@dataclass(frozen=True)
class Call:
    """One call of an answer. Results are held weakly: a check must not keep a graph alive."""

    name: str
    text: str
    results: tuple[weakref.ref, ...] = field(default=(), compare=False)


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


def describe(name: str, args: tuple, kwargs: dict) -> Call:
    """The call as text, written down before it runs, since the call may change its arguments."""
    parts = [summarise(value) for value in args]
    parts += [f"{key}={summarise(value)}" for key, value in kwargs.items()]
    return Call(name, f"{name}({', '.join(parts)})")


def remember(call: Call, result: object = None) -> None:
    """Keep a call for later messages."""
    parts = result if isinstance(result, (tuple, list)) else (result,)
    results = tuple(weakref.ref(part) for part in parts if isinstance(part, torch.Tensor))
    _recent.append(Call(call.name, call.text, results))


def call_of(value: object) -> Call | None:
    """The call that returned this tensor; else the latest call; None when there was none."""
    if isinstance(value, (tuple, list)) and value:
        value = value[0]
    if isinstance(value, torch.Tensor):
        for call in reversed(_recent):
            if any(result() is value for result in call.results):
                return call
    return _recent[-1] if _recent else None
