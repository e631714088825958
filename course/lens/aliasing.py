"""Who shares memory with whom, and who was changed: views, copies, mutation, random state."""

from __future__ import annotations

import copy
import random
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np
import torch

from lens.compare import EXACT, Difference, first_difference
from lens.expect import expect_type
from lens.language import say
from lens.outcomes import failed
from lens.summary import SMALL, summarise


def shares_memory(one: object, other: object) -> bool:
    """Whether two tensors or NumPy arrays stand on one piece of memory (one storage)."""
    a, b = _extent(one), _extent(other)
    if a is None or b is None:
        return False
    if a[0] == b[0]:  # the same storage, also an empty one
        return True
    return a[1] == b[1] and max(a[2], b[2]) < min(a[3], b[3])


def _extent(thing: object) -> tuple | None:
    """(identity, device, first byte, end) of the memory under a tensor or an array."""
    if isinstance(thing, torch.Tensor):
        if thing.layout is not torch.strided:
            return None
        storage = thing.untyped_storage()
        first = storage.data_ptr()
        end = first + storage.nbytes() if first else 0  # on meta and when empty, no address
        return ("storage", storage._cdata), str(thing.device), first, end
    while isinstance(thing.base, np.ndarray):
        thing = thing.base
    first, end = np.lib.array_utils.byte_bounds(thing)
    return ("array", id(thing)), "cpu", first, end if thing.size else first


def expect_view_of(got: object, base: object, what: str | None = None) -> None:
    """`got` is a view of `base` (tensor or NumPy array): one memory. Values are not looked at."""
    expect_type(got, (torch.Tensor, np.ndarray), what)
    if shares_memory(got, base):
        return
    raise failed(
        say("The result does not share memory with the input.", "结果没有与输入共享内存。"),
        expected=say("a view: the same memory", "视图：同一块内存"),
        got=say("a copy: memory of its own", "副本：自己的一块内存"),
        then=say(
            "Equal values are not a view. Look for what copies: `clone`, `contiguous`,"
            " `torch.tensor`, `reshape`, indexing with a list or a mask.",
            "值相等不等于是视图。找出做了拷贝的操作：`clone`、`contiguous`、`torch.tensor`、`reshape`、"
            "用列表或布尔掩码索引。",
        ),
        about=got,
    )


def expect_copy(got: object, *bases: object) -> None:
    """`got` (tensor, array, or a tuple, list, dict of them) shares no memory with any base."""
    if got is None:
        expect_type(got)
    for part in _arrays(got):
        for base in bases:
            for each in _arrays(base):
                if shares_memory(part, each):
                    raise _still_shared(got)


def _still_shared(got: object):
    return failed(
        say("The result shares memory with the input.", "结果与输入共享内存。"),
        expected=say("a copy: memory of its own", "副本：自己的一块内存"),
        got=say("a view: the same memory", "视图：同一块内存"),
        then=say(
            "Writing into one would change the other: use `clone()` (NumPy: `copy()`).",
            "写入其中一个会改变另一个：用 `clone()`（NumPy 用 `copy()`）。",
        ),
        about=got,
    )


def _arrays(thing: object) -> Iterator:
    """The tensors and arrays in a value."""
    if isinstance(thing, (torch.Tensor, np.ndarray)):
        yield thing
    elif isinstance(thing, torch.nn.Module):
        yield from thing.state_dict().values()
    elif isinstance(thing, Mapping):
        for each in thing.values():
            yield from _arrays(each)
    elif isinstance(thing, (tuple, list)):
        for each in thing:
            yield from _arrays(each)


@contextmanager
def expect_unchanged(*things: object) -> Iterator[None]:
    """Inside the block, none of these changes.

    Tensors and arrays (values, shape, dtype, stride, `requires_grad`), modules (parameters,
    buffers, mode), generators, plain values, and containers of these.
    """
    frame = sys._getframe(2)
    known = (frame.f_globals | frame.f_locals).items()
    names = {id(value): name for name, value in known if not name.startswith("_")}
    before = [(thing, _snapshot(thing)) for thing in things]
    yield
    for thing, old in before:
        new = _snapshot(thing)
        if first_difference(new, old, EXACT) is not None:
            raise _changed(thing, names.get(id(thing)), old, new)


def _snapshot(thing: object) -> object:
    """A copy that `first_difference` can compare with a later one."""
    if isinstance(thing, torch.Tensor):
        with torch.no_grad(), torch._C.DisableTorchFunction():
            dense = thing.layout is torch.strided
            stride = tuple(thing.stride()) if dense else ()
            return {"value": thing.detach().clone(), "stride": stride, "grad": thing.requires_grad}
    if isinstance(thing, np.ndarray):
        return {"value": thing.copy(), "stride": thing.strides}
    if isinstance(thing, torch.nn.Module):
        state = dict(thing.named_parameters()) | dict(thing.named_buffers())
        return {"state": _snapshot(state), "modes": [each.training for each in thing.modules()]}
    if isinstance(thing, torch.Generator):
        return thing.get_state()
    if isinstance(thing, Mapping):
        return {key: _snapshot(value) for key, value in thing.items()}
    if isinstance(thing, (tuple, list)):
        return [_snapshot(value) for value in thing]
    return copy.deepcopy(thing)


def _changed(thing: object, name: str | None, old: object, new: object):
    label = say(f"`{name}`", f" `{name}` ") if name else say("an input", "某个输入")

    def shown(state: object) -> str:
        if isinstance(state, dict) and "value" in state:
            difference = first_difference(new["value"], old["value"], EXACT)
            if difference is None:
                return f"{summarise(state['value'])}, stride={state['stride']}"
            return summarise(state["value"]) + _at(difference, state["value"])
        return "" if isinstance(thing, (torch.nn.Module, torch.Generator)) else summarise(thing)

    return failed(
        say(f"Your code changed {label}.", f"你的代码改动了{label}".rstrip() + "。"),
        expected=say("unchanged ", "不变 ") + (shown(old) if isinstance(old, dict) else ""),
        got=shown(new),
        then=say(
            "Methods that end in `_`, `+=` and `x[...] =` write into the caller's memory: work on"
            " `x.clone()`, or out of place.",
            "以 `_` 结尾的方法、`+=` 和 `x[...] =` 会写入调用者的内存：在 `x.clone()` 上操作，"
            "或改用非原地的运算。",
        ),
    )


def _at(difference: Difference, value: object) -> str:
    """The first element that changed, where the whole is too large to be shown."""
    size = value.numel() if isinstance(value, torch.Tensor) else value.size
    if difference.kind != "values" or size <= SMALL:
        return ""
    here = f"[{', '.join(map(str, difference.place))}]"
    element = value[difference.place].item()
    return say(f", {element} at {here}", f"，{here} 处是 {element}")


@contextmanager
def expect_seed_untouched() -> Iterator[None]:
    """Inside the block, no global generator is seeded or drawn from: torch's, NumPy's, Python's."""
    before = _random_states()
    yield
    after = _random_states()
    moved = [name for name in before if first_difference(after[name], before[name], EXACT)]
    if moved:
        raise failed(
            say("Your code moved a global random generator.", "你的代码动了全局随机数生成器。"),
            expected=say("a generator of its own", "用自己的生成器"),
            got=say(", ", "、").join(moved) + say(" changed", " 变了"),
            then=say(
                "Make `g = torch.Generator().manual_seed(seed)`; draw with `generator=g`.",
                "创建 `g = torch.Generator().manual_seed(seed)`，每次取随机数都传 `generator=g`。",
            ),
        )


def _random_states() -> dict[str, object]:
    states: dict[str, object] = {"torch": torch.get_rng_state()}
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        states["torch.cuda"] = torch.cuda.get_rng_state_all()
    kind, keys, *rest = np.random.get_state()
    states["numpy.random"] = (kind, keys.copy(), *rest)
    states["random"] = random.getstate()
    return states
