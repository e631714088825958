"""The rules: for each family a file of messages and texts, and modules that look at the scene.

A file is named for its family and read in the order of FAMILIES; the first pattern found counts.
The keys of a rule: `message`, regular expressions that are searched in "Type: message", whose
groups are blanks for the texts; `elsewhere`, those of messages that need another machine (a GPU);
`triggers`, programs that together raise every message, and `passes`, one that must not raise;
`look`, the function that looks at the scene, where the message does not say it all; `says`, the
causes. "plain" needs the groups only and stands in where nothing could be read.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path

from lens.doctor.rule import Look, Rule

FAMILIES = (
    "layer-input",
    "loss-target",
    "broadcast-shapes",
    "matmul-shapes",
    "join-shapes",
    "view-layout",
    "operand-dtype",
    "inplace-cast",
    "dtype-unsupported",
    "index",
    "device",
    "inplace-autograd",
    "backward",
    "create-convert",
    "model-bookkeeping",
    "other",
)


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, in the order in which they are tried."""
    return tuple(rule for family in FAMILIES for rule in _read(family))


def _read(family: str) -> list[Rule]:
    path = Path(__file__).with_name(f"{family}.toml")
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    shared = data.get("says", {})
    return [_rule(family, shared, each) for each in data["rule"]]


def _rule(family: str, shared: dict, data: dict) -> Rule:
    return Rule(
        name=data["name"],
        family=family,
        messages=(*data.get("message", []), *data.get("elsewhere", [])),
        says={**shared, **data["says"]},
        look=_look(data.get("look", "")),
        triggers=tuple(data.get("triggers", ())),
        passes=data["passes"],
    )


def _look(name: str) -> Look | None:
    """`"broadcast.look"`: a function in a module of this package."""
    if not name:
        return None
    module, _, function = name.partition(".")
    return getattr(import_module(f"lens.doctor.rules.{module}"), function)
