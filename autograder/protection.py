"""How well submissions are shut in: decided before any runs, and never less without asking."""

import os

from autograder.errors import Told
from autograder.sandbox import Level, best_level, describe, why_not

VARIABLE = "AUTOGRADER_SANDBOX"


class Unprotected(Told):
    """This machine does not give the protection that is asked for."""


def choose_level(accepted: str | None = None) -> Level:
    """The level to grade at: namespaces, unless a weaker one is accepted by name.

    `accepted` stands before the variable AUTOGRADER_SANDBOX. Raises Unprotected.
    """
    asked = accepted or os.environ.get(VARIABLE) or Level.NAMESPACES
    try:
        level = Level(asked)
    except ValueError:
        choices = ", ".join(Level)
        raise Unprotected(f"Sandbox: expected one of {choices}; got {asked!r}.") from None
    if reason := why_not(level):
        raise Unprotected(_offer(level, reason))
    return level


def _offer(level: Level, reason: str) -> str:
    """What this machine gives in place of `level`, what that does not stop, how to accept it."""
    best = best_level()
    let_through = "\n".join(f"  - {each}" for each in describe(best).lets_through)
    return (
        f"This machine does not give the sandbox level {level.value!r}: {reason}\n"
        f"It gives {best.value!r}. That would not stop a submission from this:\n{let_through}\n"
        f"To accept it, add --sandbox {best.value} (or set {VARIABLE}={best.value}); else grade "
        "on a Linux machine or in a container where user namespaces are allowed."
    )
