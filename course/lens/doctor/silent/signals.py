"""Who is told what: detectors sign up here for operations and for the steps of a training loop."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

AFTER: dict[str, list[Callable]] = defaultdict(list)  # operation → detectors, told when it ran
BEFORE: dict[str, list[Callable]] = defaultdict(list)  # told before it runs
EVERY: list[Callable] = []  # told of every operation that made a tensor
MOMENTS: dict[str, list[Callable]] = defaultdict(list)

MOMENT_NAMES = (
    "before_backward",  # (session, event, root)
    "after_backward",  # (session, event, root, ok)
    "before_step",  # (session, optimizer, frame)
    "after_step",  # (session, optimizer, frame)
    "before_forward",  # (session, module, args)
    "after_forward",  # (session, module, args, result)
    "registered",  # (session, module, name, parameter)
    "end",  # (session,)
)


def words(text: str) -> tuple[str, ...]:
    """Names of operations, as they stand in a line of text."""
    return tuple(text.split())


def after(*operations: str) -> Callable:
    """The function is told of these operations once they ran, as `function(event)`."""

    def sign_up(function: Callable) -> Callable:
        for operation in operations:
            AFTER[operation].append(function)
        return function

    return sign_up


def before(*operations: str) -> Callable:
    """The function is told of these operations before they run."""

    def sign_up(function: Callable) -> Callable:
        for operation in operations:
            BEFORE[operation].append(function)
        return function

    return sign_up


def every(function: Callable) -> Callable:
    """The function is told of every operation that made a tensor."""
    EVERY.append(function)
    return function


def at(moment: str) -> Callable:
    """The function is told at this moment, one of MOMENT_NAMES."""
    assert moment in MOMENT_NAMES, moment

    def sign_up(function: Callable) -> Callable:
        MOMENTS[moment].append(function)
        return function

    return sign_up


_DUNDER = {
    "truediv": "div",
    "rtruediv": "div",
    "rdiv": "div",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "radd": "add",
    "rsub": "rsub",
    "rmul": "mul",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "invert": "bitwise_not",
}
_SAME = {
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "subtract_": "sub_",
    "multiply_": "mul_",
    "divide_": "div_",
    "true_divide_": "div_",
    "permute_dims": "permute",
    "swapaxes": "transpose",
    "swapdims": "transpose",
    "absolute": "abs",
    "negative": "neg",
    "not_equal": "ne",
    "negative_": "neg_",
    "greater": "gt",
    "less": "lt",
    "concat": "cat",
    "concatenate": "cat",
    "special_log_softmax": "log_softmax",
    "special_softmax": "softmax",
    "clip": "clamp",
    "type_as": "to",
}
_names: dict[Callable, str] = {}


def operation(func: Callable) -> str:
    """`add` for `+`, `add_` for `+=`, `getitem`, `get:grad` for the attribute `grad`."""
    name = _names.get(func)
    if name is None:
        name = _names[func] = _operation(func)
    return name


def _operation(func: Callable) -> str:
    name = getattr(func, "__name__", "")
    if name in ("__get__", "__set__", "__delete__"):
        return f"{name.strip('_')}:{getattr(func.__self__, '__name__', '')}"
    if name.startswith("__"):
        name = name.strip("_")
        if name[0] == "i" and name[1:] in ("add", "sub", "mul", "truediv", "floordiv", "pow"):
            return _DUNDER.get(name[1:], name[1:]) + "_"
        return _DUNDER.get(name, name)
    return _SAME.get(name, name)
