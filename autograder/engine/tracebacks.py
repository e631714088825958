"""IPython's tracebacks, rendered in a tenth of the time: the same text, fewer searches.

For every frame `inspect` looks through all modules of the process, thousands once torch is there: a
traceback of a cell costs 20 ms, and that of endless recursion, 3000 frames, most of a minute.
While one traceback is rendered the answers are the same for all frames of a function.
"""

import contextlib
import functools
import inspect
from collections.abc import Callable

from IPython.core import ultratb


def render_fast() -> None:
    """Let IPython's renderer remember, within one traceback, where functions come from."""
    get_records = ultratb.VerboseTB.get_records

    @functools.wraps(get_records)
    def get_records_fast(*args, **kwargs):
        with remembering("getmodule"), remembering("getsourcelines"):
            return get_records(*args, **kwargs)

    ultratb.VerboseTB.get_records = get_records_fast


@contextlib.contextmanager
def remembering(name: str):
    """Let a function of `inspect` answer once for all frames of a function."""
    search = getattr(inspect, name)
    setattr(inspect, name, _remember(search))
    try:
        yield
    finally:
        setattr(inspect, name, search)


def _remember(search: Callable) -> Callable:
    known: dict = {}

    def find(asked, *more):
        code = getattr(asked, "f_code", asked)
        if not inspect.iscode(code):
            return search(asked, *more)
        if (code, more) not in known:
            known[code, more] = search(asked, *more)
        return known[code, more]

    return find
