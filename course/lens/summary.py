"""Values as short text for messages: small tensors written out, larger ones by shape and dtype."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import torch

SMALL = 24  # elements: a tensor up to this size is written out
LONG = 80  # characters: a longer repr is cut


def summarise(value: object, small: int = SMALL) -> str:
    """One line that stands for the value; tensors up to `small` elements are written out.

    Never raises, never calls a forbidden operation.
    """
    try:
        with torch.no_grad(), torch._C.DisableTorchFunction():
            return _summarise(value, 0, small)
    except Exception:
        return f"<{type(value).__name__}>"


def _summarise(value: object, depth: int, small: int) -> str:
    if isinstance(value, torch.Tensor):
        return _tensor(value, small)
    if isinstance(value, np.ndarray):
        if value.size <= small:
            return re.sub(r"\s+", " ", repr(value))
        return f"array(shape={value.shape}, dtype={value.dtype})"
    if isinstance(value, torch.nn.Module):
        return f"{type(value).__name__}(…)"
    if isinstance(value, torch.Generator):
        return f"Generator(seed={value.initial_seed()})"
    if isinstance(value, torch.Size):
        return _shape(value)
    if isinstance(value, (list, tuple, Mapping)) and depth < 3:
        return _container(value, depth, small)
    if callable(value) and hasattr(value, "__name__"):
        return value.__name__
    text = re.sub(r"\s+", " ", repr(value))
    if " at 0x" in text:
        return f"<{type(value).__name__}>"
    return text if len(text) <= LONG else text[: LONG - 1] + "…"


def _shape(shape) -> str:
    return str(tuple(shape))


def _tensor(value: torch.Tensor, small: int) -> str:
    plain = value.layout is torch.strided and value.device.type != "meta"
    if plain and value.numel() <= small:
        return re.sub(r"\s+", " ", repr(value.detach()))
    parts = [f"shape={_shape(value.shape)}", f"dtype={dtype_name(value.dtype)}"]
    if value.layout is not torch.strided:
        parts.append(f"layout={value.layout}")
    if value.device.type != "cpu":
        parts.append(f"device={str(value.device)!r}")
    return f"tensor({', '.join(parts)})"


def _container(value, depth: int, small: int) -> str:
    def part(item: object) -> str:
        return _summarise(item, depth + 1, small)

    more = ["…"] if len(value) > 6 else []
    if isinstance(value, Mapping):
        items = list(value.items())[:6]
        inner = [f"{part(k)}: {part(v)}" for k, v in items]
        return "{" + ", ".join(inner + more) + "}"
    inner = [part(item) for item in list(value)[:6]] + more
    if isinstance(value, list):
        return "[" + ", ".join(inner) + "]"
    return "(" + ", ".join(inner) + ("," if len(inner) == 1 else "") + ")"


def dtype_name(dtype: object) -> str:
    """`torch.float32` → `float32`; NumPy's names are already so."""
    return str(dtype).removeprefix("torch.")


def type_name(kind: type) -> str:
    """The name that a learner would write: `torch.Tensor`, `numpy.ndarray`, `float`."""
    if kind is torch.Tensor:
        return "torch.Tensor"
    module = kind.__module__
    if module in ("builtins", "__main__"):
        return kind.__qualname__
    if module.startswith("torch.nn"):
        return f"nn.{kind.__qualname__}"
    return f"{module.split('.')[0]}.{kind.__qualname__}"


def number(value: torch.Tensor) -> str:
    """One element, with as many digits as tell it from its neighbours. () -> text."""
    if value.dtype in (torch.float16, torch.bfloat16, torch.float32):
        return str(np.float32(value.item()))
    return str(value.item())
