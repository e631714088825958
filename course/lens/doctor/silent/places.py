"""Whose code runs: the learner's frame and line, under those of libraries and the lens."""

from __future__ import annotations

import inspect
import sys
import sysconfig
from functools import lru_cache
from pathlib import Path
from types import FrameType

import numpy
import torch

LENS = str(Path(__file__).resolve().parents[2])
LIBRARIES = tuple(
    {
        LENS + "/",
        str(Path(torch.__file__).parent) + "/",
        str(Path(numpy.__file__).parent) + "/",
        sysconfig.get_path("stdlib") + "/",
        sysconfig.get_path("purelib") + "/",
        sysconfig.get_path("platlib") + "/",
    }
)


@lru_cache(maxsize=4096)
def is_own(filename: str) -> bool:
    """Whether a file is the learner's: no library, not the lens, no frozen module."""
    return not filename.startswith((*LIBRARIES, "<frozen", "<__array_function__", "<eval_with_key"))


def own_frame(depth: int = 1) -> FrameType | None:
    """The innermost frame that runs the learner's code."""
    frame = sys._getframe(depth)
    while frame is not None and not is_own(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def position(frame: FrameType) -> tuple[int, int, int, int] | None:
    """(line, last line, column, last column) of the expression that a frame is running."""
    for i, place in enumerate(frame.f_code.co_positions()):
        if i == frame.f_lasti // 2:
            return place if None not in place else None
    return None


def locals_of(frame: FrameType) -> dict[str, object]:
    """The local names of a frame, as a copy.

    Until Python 3.13, a function's `f_locals` is a snapshot that stays with the frame and would
    keep tensors alive that the function has let go: it is emptied.
    """
    names = frame.f_locals
    copy = dict(names)
    snapshot = frame.f_code.co_flags & inspect.CO_OPTIMIZED and sys.version_info < (3, 13)
    ours_only = sys.getrefcount(names) <= 3  # the frame, this name, the question itself
    if snapshot and ours_only and sys.gettrace() is None:
        names.clear()
    return copy


def names_of(frame: FrameType, value: object) -> list[str]:
    """The learner's names for this very object."""
    known = {**frame.f_globals, **locals_of(frame)}
    return [name for name, each in known.items() if each is value and not name.startswith("_")]
