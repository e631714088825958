"""A traceback as IPython formats it, with what lies in libraries folded to one line."""

from __future__ import annotations

import re
import traceback
from types import TracebackType

from lens.doctor.scene import LENS, LIBRARIES
from lens.language import say

ANSI = re.compile(r"\x1b\[[0-9;]*m")
PLACE = re.compile(r"\s*File \"?(?P<file>.+?)\"?(?::\d+|, line \d+)")


def fold(parts: list[str], indent: str = "") -> list[str]:
    """Each run of library frames as one line; everything else stays as it was."""
    folded: list[str] = []
    run: list[str] = []
    for part in parts:
        library = library_of(part)
        if library:
            run += [library] if library != "lens" else []
            continue
        if run:
            folded.append(indent + _note(run))
            run = []
        folded.append(part)
    return [*folded, indent + _note(run)] if run else folded


def plain_traceback(error: BaseException, trace: TracebackType | None) -> list[str]:
    """Python's own traceback from `trace` on, library frames folded."""
    whole = traceback.TracebackException(type(error), error, trace)
    if whole.__cause__ or (whole.__context__ and not whole.__suppress_context__):
        return list(whole.format())
    frames = whole.stack.format() if whole.stack else []
    last = list(whole.format_exception_only())
    head = ["Traceback (most recent call last):\n"] if frames else []
    return [*head, *fold(frames, "  "), *last]


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
