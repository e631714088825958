"""What a silent fault is, as data: its family, its texts, a program that has it and one that has not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One kind of silent fault.

    `seen` says in one sentence what evidence is needed. `cause` and `fix` are "English || 中文" with
    blanks in braces, which the detector fills; `fix` is code to try. `bad` must be reported as this
    fault, `good` must not be reported at all.
    """

    name: str
    family: str
    seen: str
    cause: str
    fix: str
    bad: str
    good: str
