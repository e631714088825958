"""The first difference between what came and what was wanted: found here, worded in expect.py."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

_TOLERANCES = {  # dtype: (rtol, atol), as in torch.testing.assert_close
    torch.float16: (1e-3, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-5),
    torch.float32: (1.3e-6, 1e-5),
    torch.float64: (1e-7, 1e-7),
    torch.complex32: (1e-3, 1e-5),
    torch.complex64: (1.3e-6, 1e-5),
    torch.complex128: (1e-7, 1e-7),
}


@dataclass(frozen=True)
class Rules:
    """How close is close. A tolerance of None means the default of the dtype."""

    rtol: float | None = None
    atol: float | None = None
    dtype: bool = True

    def of(self, dtype: torch.dtype) -> tuple[float, float]:
        """(rtol, atol) for a dtype: zero for integers and bools."""
        rtol, atol = _TOLERANCES.get(dtype, (0.0, 0.0))
        return (
            rtol if self.rtol is None else self.rtol,
            atol if self.atol is None else self.atol,
        )


CLOSE = Rules()
EXACT = Rules(rtol=0.0, atol=0.0)


@dataclass(frozen=True)
class Difference:
    """`kind` is one of none, type, length, keys, layout, shape, dtype, device, values, plain.

    `path` leads to the place in nested results, as `[0]["loss"]`; for values, `bad` is how many
    elements differ and `place` the index of the first.
    """

    kind: str
    got: object
    want: object
    path: str = ""
    bad: int = 0
    place: tuple[int, ...] = ()


def first_difference(
    got: object, want: object, rules: Rules = CLOSE, path: str = ""
) -> Difference | None:
    """None when they agree. Type, shape, dtype, device, and only then values; no broadcasting."""
    if got is None and want is not None:
        return Difference("none", got, want, path)
    if isinstance(want, torch.Tensor):
        with torch.no_grad(), torch._C.DisableTorchFunction():
            return _tensors(got, want, rules, path)
    if isinstance(want, np.ndarray):
        return _arrays(got, want, rules, path)
    if isinstance(want, Mapping):
        return _mappings(got, want, rules, path)
    if isinstance(want, (tuple, list)):
        return _sequences(got, want, rules, path)
    return _plain(got, want, rules, path)


def _tensors(got, want, rules, path) -> Difference | None:
    if not is_tensor(got):
        return Difference("type", got, want, path)
    got = plain(got)
    if got.layout is not want.layout:
        return Difference("layout", got, want, path)
    if got.shape != want.shape:
        return Difference("shape", got, want, path)
    if rules.dtype and got.dtype != want.dtype:
        return Difference("dtype", got, want, path)
    if got.device != want.device:
        return Difference("device", got, want, path)
    if want.device.type == "meta":
        return None
    bad = mismatches(got, want, *rules.of(want.dtype))
    if not bad.any():
        return None
    place = tuple(bad.nonzero()[0].tolist())
    return Difference("values", dense(got), dense(want), path, int(bad.sum()), place)


def is_tensor(thing: object) -> bool:
    """Whether its real class is a tensor's: `isinstance` believes what an object says of itself."""
    return issubclass(type(thing), torch.Tensor)


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """The same tensor without what a class of its own may have put before torch's methods."""
    if type(tensor) is torch.Tensor:
        return tensor
    return torch.Tensor.as_subclass(tensor, torch.Tensor)


def dense(tensor: torch.Tensor) -> torch.Tensor:
    """The same values, strided."""
    return tensor if tensor.layout is torch.strided else tensor.to_dense()


def mismatches(got, want, rtol: float, atol: float) -> torch.Tensor:
    """Where two tensors of one shape differ: (…), (…) -> bool (…). NaN equals NaN."""
    got, want = _wide(dense(got)).cpu(), _wide(dense(want)).cpu()
    if got.dtype != want.dtype:
        wide = torch.complex128 if got.is_complex() or want.is_complex() else torch.float64
        got, want = got.to(wide), want.to(wide)
    if got.is_floating_point() or got.is_complex():
        return ~torch.isclose(got, want, rtol=rtol, atol=atol, equal_nan=True)
    return got != want


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    """A dtype in which comparing is exact and everywhere implemented."""
    if tensor.is_complex():
        return tensor.to(torch.complex128)
    if tensor.is_floating_point():
        return tensor.to(torch.float64)
    if tensor.dtype is torch.uint64:
        return tensor.view(torch.int64)
    return tensor.to(torch.int64)


def _arrays(got, want, rules, path) -> Difference | None:
    if not isinstance(got, np.ndarray):
        return Difference("type", got, want, path)
    if got.shape != want.shape:
        return Difference("shape", got, want, path)
    if rules.dtype and got.dtype != want.dtype:
        return Difference("dtype", got, want, path)
    if want.dtype.kind not in "fciub" or got.dtype.kind not in "fciub":
        return None if np.array_equal(got, want) else Difference("plain", got, want, path)
    a, b = torch.tensor(got.copy()), torch.tensor(want.copy())
    bad = mismatches(a, b, *rules.of(b.dtype)).numpy()
    if not bad.any():
        return None
    place = tuple(int(i[0]) for i in bad.nonzero()) if bad.ndim else ()
    return Difference("values", got, want, path, int(bad.sum()), place)


def _mappings(got, want, rules, path) -> Difference | None:
    if not isinstance(got, Mapping):
        return Difference("type", got, want, path)
    if set(got) != set(want):
        return Difference("keys", got, want, path)
    pairs = ((got[key], want[key], f"{path}[{key!r}]") for key in want)
    return next(filter(None, (first_difference(g, w, rules, p) for g, w, p in pairs)), None)


def _sequences(got, want, rules, path) -> Difference | None:
    kind = tuple if isinstance(want, tuple) else list
    if not isinstance(got, kind):
        return Difference("type", got, want, path)
    if len(got) != len(want):
        return Difference("length", got, want, path)
    pairs = ((g, w, f"{path}[{i}]") for i, (g, w) in enumerate(zip(got, want, strict=True)))
    return next(filter(None, (first_difference(g, w, rules, p) for g, w, p in pairs)), None)


def _plain(got, want, rules, path) -> Difference | None:
    if not _kind_fits(got, want):
        return Difference("type", got, want, path)
    if isinstance(want, (float, complex)):
        rtol, atol = rules.of(torch.float32)
        if _number_close(got, want, rtol, atol):
            return None
        return Difference("plain", got, want, path)
    return None if _equal(got, want) else Difference("plain", got, want, path)


def _kind_fits(got: object, want: object) -> bool:
    if want is None:
        return True  # then equality decides
    if isinstance(want, bool) or isinstance(got, bool):
        return isinstance(want, bool) and isinstance(got, bool)
    if isinstance(want, complex):
        return isinstance(got, (int, float, complex))
    if isinstance(want, float):
        return isinstance(got, (int, float))
    return isinstance(got, type(want))


def _number_close(got, want, rtol: float, atol: float) -> bool:
    if got == want or (got != got and want != want):
        return True
    gap = abs(got - want)
    return math.isfinite(gap) and gap <= atol + rtol * abs(want)


def _equal(got: object, want: object) -> bool:
    try:
        return got is want or bool(got == want)
    except Exception:
        return False
