"""What a rule is: how a message is recognised, what it means in two languages, what to look at."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from lens.doctor.scene import Scene, Seen
from lens.language import say
from lens.outcomes import pick


@dataclass(frozen=True)
class Told:
    """What looking at the scene gave: which of the rule's texts, the blanks in it, and the fix."""

    text: str = "plain"
    fix: str = ""
    blanks: dict[str, object] = field(default_factory=dict)
    more: str = ""
    others: tuple[Seen, ...] = ()


def told(text="plain", fix="", more="", others: Iterable[Seen] = (), **blanks: object) -> Told:
    """A `Told`, its blanks given by name; `others` are operands from elsewhere in the program."""
    return Told(text, fix, blanks, more, tuple(others))


Look = Callable[[Scene, re.Match], "Told | None"]


@dataclass(frozen=True)
class Rule:
    """One message of torch; `says` holds the causes as {"en": …, "zh": …}, blanks in braces."""

    name: str
    family: str
    messages: tuple[str, ...]
    says: dict[str, dict[str, str]]
    look: Look | None
    triggers: tuple[str, ...]
    passes: str

    @cached_property
    def regex(self) -> re.Pattern:
        return re.compile("|".join(self.messages), re.DOTALL)

    def match(self, error: BaseException) -> re.Match | None:
        """The match of the pattern in "Type: message"."""
        return self.regex.search(f"{type(error).__name__}: {error}")

    def diagnose(self, scene: Scene, found: re.Match) -> tuple[str, str, tuple[Seen, ...]]:
        """(cause, fix, operands from elsewhere), in the language of the lens."""
        groups = {k: v or "" for k, v in found.groupdict().items()}
        try:
            seen = (self.look and self.look(scene, found)) or Told()
            cause = say(**self.says[seen.text]).format(**{**groups, **seen.blanks})
            return join(cause, pick(seen.more)), seen.fix, seen.others
        except Exception:
            return say(**self.says["plain"]).format(**groups), "", ()


def join(cause: str, more: str) -> str:
    """Two sentences in a row: English wants a space between them, Chinese none."""
    gap = "" if not more or cause.endswith(("。", "：")) else " "
    return (cause + gap + more).strip()
