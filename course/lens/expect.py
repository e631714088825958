"""What an answer must be: each `expect_*` returns None or raises CheckFailed.

Every message says what was expected, what came, and a next step, in the language in use. `what`
names the thing where it is not simply the result, as in `what="`w.grad`"`.
"""

from __future__ import annotations

import warnings
from typing import NoReturn

import numpy as np
import torch

from lens import wording
from lens.compare import EXACT, Difference, Rules, first_difference
from lens.language import say
from lens.outcomes import failed, pick
from lens.summary import summarise


def expect_type(got: object, kind: type | tuple = torch.Tensor, what: str | None = None) -> None:
    """`got` is a `kind`, or one of several; a bool is not taken for an int."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    lone_bool = isinstance(got, bool) and bool not in kinds and object not in kinds
    if issubclass(type(got), kinds) and not lone_bool:
        return
    raise wording.wrong_type(got, kinds, _subject(what))


def expect_shape(got: object, shape, what: str | None = None) -> None:
    """A tensor or array of exactly this shape; None stands for any size, an int for (n,)."""
    _expect_array(got, what)
    want = (shape,) if isinstance(shape, int) else tuple(shape)
    have = tuple(got.shape)
    fits = len(have) == len(want) and all(
        w is None or w == h for h, w in zip(have, want, strict=True)
    )
    if not fits:
        raise wording.wrong_shape(have, want, _subject(what), got)


def expect_dtype(got: object, dtype, what: str | None = None) -> None:
    """A tensor (or NumPy array) of exactly this dtype."""
    _expect_array(got, what)
    if got.dtype != dtype:
        raise wording.wrong_dtype(got.dtype, dtype, _subject(what), got)


def expect_device(got: object, device, what: str | None = None) -> None:
    """A tensor on this device; without an index ("cuda") any device of that type."""
    expect_type(got, what=what)
    want = torch.device(device)
    if got.device.type != want.type or want.index not in (None, got.device.index):
        raise wording.wrong_device(got.device, want, _subject(what), got)


def expect_close(
    got: object,
    want: object,
    rtol: float | None = None,
    atol: float | None = None,
    what: str | None = None,
) -> None:
    """`got` is `want` up to rounding: type, shape, dtype, device, then values; no broadcasting.

    Works on tensors of any shape, NumPy arrays, numbers, and tuples, lists and dicts of them; the
    message gives the path. Default tolerances are those of `torch.testing.assert_close` for the
    dtype of `want` (a Python float: as float32); integers and bools must be equal, NaN equals NaN.
    Gradients are not compared: both sides are detached.
    """
    _raise(first_difference(got, want, Rules(rtol, atol)), what, got)


def expect_equal(got: object, want: object, what: str | None = None) -> None:
    """`got` equals `want`, a plain Python value (number, string, tuple, dict, dtype …), exactly.

    A bool is not an int, a float is not an int; an int may stand for a float. A tensor in place of
    a number has its own message. Tensors inside are compared by value, exactly.
    """
    _raise(first_difference(got, want, EXACT), what, got)


def expect_grad(tensor: object, want: object, rtol=None, atol=None, what=None) -> None:
    """`tensor.grad` is close to `want` (same shape); with `want=None`, there is no gradient."""
    what = what or "`.grad`"
    expect_type(tensor)
    grad = grad_of(tensor)
    if want is None:
        if grad is not None:
            raise failed(
                say("A gradient has arrived where none belongs.", "不该有梯度的地方有了梯度。"),
                expected=f"{pick(what)} = None",
                got=summarise(grad),
                then=say(
                    "Detach what must not learn, or turn its `requires_grad` off.",
                    "不该学习的量要 `detach`，或关掉它的 `requires_grad`。",
                ),
            )
        return
    if grad is None:
        raise wording.no_grad(tensor, pick(what))
    _raise(first_difference(grad, want, Rules(rtol, atol)), what, tensor)


def expect_requires_grad(got: object, flag: bool = True, what: str | None = None) -> None:
    """A tensor whose `requires_grad` is `flag`."""
    expect_type(got, what=what)
    if got.requires_grad is flag:
        return
    if flag:
        then = say(
            "Look for what cuts the graph: `detach`, `.item()`, `.data`, `no_grad`, NumPy, a new"
            " `torch.tensor(...)`.",
            "找一找是什么切断了计算图：`detach`、`.item()`、`.data`、`no_grad`、NumPy，或新建的"
            " `torch.tensor(...)`。",
        )
    else:
        then = say(
            "Compute it under `torch.no_grad()`, or `detach` it.",
            "在 `torch.no_grad()` 下计算，或者用 `detach`。",
        )
    raise failed(
        say(
            f"`requires_grad` of {_subject(what)} is wrong.",
            f"{_subject(what)}的 `requires_grad` 不对。",
        ),
        expected=f"requires_grad={flag}",
        got=f"requires_grad={got.requires_grad}",
        then=then,
        about=got,
    )


def grad_of(tensor: torch.Tensor) -> torch.Tensor | None:
    """`.grad`, without the warning that a non-leaf gives."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tensor.grad


def _subject(what: str | None) -> str:
    return _spaced(pick(what) if what else say("the result", "结果"))


def _spaced(subject: str) -> str:
    """Chinese puts a space between code and the word that follows it; English has one anyway."""
    return say(subject, subject + " " if subject.endswith("`") else subject)


def _expect_array(got: object, what: str | None) -> None:
    if not isinstance(got, np.ndarray):
        expect_type(got, what=what)


def _raise(difference: Difference | None, what: str | None, about: object) -> NoReturn | None:
    if difference is None:
        return
    subject = _subject(what)
    if difference.path:
        path = f"`{difference.path}`"
        subject = say(f"{path} of {subject}", _spaced(f"{subject}的 {path}"))
    raise wording.of(difference, subject, about)
