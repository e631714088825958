"""Which section of the course teaches a family of errors."""

from __future__ import annotations

from lens.language import say

SECTIONS: dict[str, tuple[str, str, str]] = {}


def link(family: str) -> str:
    """Chapter and section, where one exists."""
    if family not in SECTIONS:
        return ""
    chapter, en, zh = SECTIONS[family]
    return f"{chapter}.ipynb#{say(en, zh)}"
