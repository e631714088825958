"""A traceback as IPython formats it, with what lies in libraries folded to one line."""

from __future__ import annotations

import re

from lens.doctor.scene import LENS, LIBRARIES
from lens.language import say

ANSI = re.compile(r"\x1b\[[0-9;]*m")
PLACE = re.compile(r"\s*File (?P<file>.+?)(?::\d+|, line \d+)")


def fold(parts: list[str]) -> list[str]:
    """Each run of library frames as one line; everything else stays as it was."""
    folded: list[str] = []
    run: list[str] = []
    for part in parts:
        library = library_of(part)
        if library:
            run.append(library)
            continue
        if run:
            folded.append(_note(run))
            run = []
        folded.append(part)
    return [*folded, _note(run)] if run else folded


def library_of(part: str) -> str:
    """The name of the library in which a formatted frame stands, "" for the learner's own."""
    match = PLACE.match(ANSI.sub("", part))
    if match is None:
        return ""
    file = match["file"].strip()
    if file.startswith(LENS + "/"):
        return "lens"
    for home in sorted(LIBRARIES, key=len, reverse=True):
        if file.startswith(home + "/"):
            return file.removeprefix(home + "/").split("/")[0].removesuffix(".py")
    return ""


def _note(run: list[str]) -> str:
    names = ", ".join(dict.fromkeys(run))
    frames = "frame" if len(run) == 1 else "frames"
    return say(f"… {len(run)} {frames} in {names}\n", f"……（{names} 内部 {len(run)} 层）\n")
