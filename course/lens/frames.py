"""Where in the learner's own code an error came from."""

from __future__ import annotations

import dis
import inspect
import linecache
import traceback
from types import FrameType

from lens.language import say
from lens.stubs import code_of


def own_frames(error: BaseException, *homes: dict) -> list[tuple[FrameType, int]]:
    """(frame, line) of the traceback that run in one of these global namespaces, outermost first.

    A notebook's cells share one namespace; libraries and the lens have others.
    """
    ours = {id(home) for home in homes}
    steps = traceback.walk_tb(error.__traceback__)
    return [(frame, line) for frame, line in steps if id(frame.f_globals) in ours]


def raised_by_statement(error: BaseException, frame: FrameType) -> bool:
    """Whether a `raise` in this very frame raised the error, not a function that it called."""
    step = error.__traceback__
    while step.tb_next:
        step = step.tb_next
    opcode = step.tb_frame.f_code.co_code[step.tb_lasti]
    return step.tb_frame is frame and dis.opname[opcode] == "RAISE_VARARGS"


def homes_of(target: object) -> list[dict]:
    """The global namespaces in which the functions of an answer run."""
    members = vars(target).values() if inspect.isclass(target) else [target]
    functions = [inspect.unwrap(getattr(m, "__func__", m)) for m in members if code_of(m)]
    return [getattr(function, "__globals__", {}) for function in functions]


def where(frame: FrameType, line: int, answer: str | None = None) -> str:
    """`line 3 of its cell: …`, with the function's name where it is not the answer's own."""
    code = frame.f_code
    text = linecache.getline(code.co_filename, line).strip()
    inside = ""
    if code.co_name != answer and not code.co_name.startswith("<"):
        inside = say(f" in `{code.co_name}`", f"（`{code.co_name}` 中）")
    place = say(f"line {line} of its cell", f"单元格第 {line} 行") + inside
    return place + (say(": ", "：") + f"`{text}`" if text else "")
