"""Which positions of a storage each tensor or array covers: sharing and copying as plain data."""

import ctypes
import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

from lens.geometry import Array, kept, kind_of, number_text
from lens.language import say

MOST_CELLS = 20


@dataclass(frozen=True)
class Box:
    """A run of neighbouring cells of the picture, with a text."""

    first: int
    width: int
    text: str


@dataclass(frozen=True)
class Strip:
    """The positions that one name covers; each box holds the index of its element."""

    name: str
    kind: str  # shape and dtype
    positions: tuple[int, ...]  # in the order of the elements, counted in `unit`s
    boxes: tuple[Box, ...]

    def __str__(self) -> str:
        places = ["…" if i is None else self.positions[i] for i in kept(len(self.positions), 24)]
        return f"{self.name} {self.kind}: {' '.join(map(str, places))}".strip()


@dataclass(frozen=True)
class Storage:
    """One block of memory as a row of cells, and the names that look at it."""

    unit: int  # bytes of one cell
    size: int  # cells of the whole block
    numbers: tuple[str, ...]  # above the cells; "…" where cells are left out
    values: tuple[Box, ...]
    strips: tuple[Strip, ...]

    def __str__(self) -> str:
        values = " ".join(box.text for box in self.values)
        return "\n".join([f"[{values}]", *(f"  {strip}" for strip in self.strips)])


@dataclass(frozen=True)
class _Look:
    """One name: the block that it looks at, and the address of each of its elements, in bytes."""

    name: str
    array: Array
    device: str
    block: tuple[int, int]  # first byte, byte after the last
    addresses: np.ndarray


def storages_of(named: Mapping[str, Array]) -> tuple[Storage, ...]:
    """Names that share memory come together; the order is that of the names."""
    groups: list[list[_Look]] = []
    for name, array in named.items():
        look = _look(name, array)
        shared = [group for group in groups if any(_overlap(look, other) for other in group)]
        if shared:
            first, *others = shared
            for group in others:  # `look` is what they have in common
                first += group
                groups.remove(group)
            first.append(look)
        else:
            groups.append([look])
    return tuple(_storage(group) for group in groups)


def _look(name: str, array: Array) -> _Look:
    if isinstance(array, np.ndarray):
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        block = np.lib.array_utils.byte_bounds(owner) if owner.size else (0, 0)
        start, steps, device = array.ctypes.data, array.strides, "cpu"
    else:
        if array.is_meta:
            raise ValueError(
                say(
                    f"show_storage: expected memory, but {name!r} is on the meta device and has "
                    "none. Make it on the cpu.",
                    f"show_storage：{name!r} 在 meta 设备上，没有内存可画。请在 cpu 上创建它。",
                )
            )
        storage = array.untyped_storage()
        block = storage.data_ptr(), storage.data_ptr() + storage.nbytes()
        start, device = array.data_ptr(), str(array.device)
        steps = [step * array.element_size() for step in array.stride()]
    addresses = np.full(tuple(array.shape), start, dtype=np.int64)
    for axis, step in enumerate(steps):
        offsets = np.arange(array.shape[axis], dtype=np.int64) * step
        addresses += offsets.reshape([-1 if a == axis else 1 for a in range(array.ndim)])
    return _Look(name, array, device, block, addresses)


def _overlap(one: _Look, other: _Look) -> bool:
    start, end = max(one.block[0], other.block[0]), min(one.block[1], other.block[1])
    return one.device == other.device and start < end


def _storage(looks: list[_Look]) -> Storage:
    start = min(look.block[0] for look in looks)
    end = max(look.block[1] for look in looks)
    unit = math.gcd(*(_item(look) for look in looks))
    unit = math.gcd(unit, *(int(a) - start for look in looks for a in look.addresses.flat[:1]))
    size = (end - start) // unit
    shown = kept(size, MOST_CELLS)
    column = {cell: i for i, cell in enumerate(shown) if cell is not None}
    return Storage(
        unit,
        size,
        tuple("…" if cell is None else str(cell) for cell in shown),
        _values(looks, start, unit, column),
        tuple(_strip(look, start, unit, column) for look in looks),
    )


def _values(looks: list[_Look], start: int, unit: int, column: dict[int, int]) -> tuple[Box, ...]:
    """Every element of the block, read in the dtype of the first name that reaches it."""
    boxes: dict[int, Box] = {}
    taken: set[int] = set()
    for look in looks:
        width = _item(look) // unit
        begin, end = ((edge - start) // unit for edge in look.block)
        for cell in column:
            place, odd = divmod(cell - begin, width)
            cells = range(cell, cell + width)
            inside = begin <= cell and cells[-1] < end and cells[-1] in column
            if inside and not odd and taken.isdisjoint(cells):
                boxes[cell] = Box(column[cell], width, number_text(_read(look, place)))
                taken.update(cells)
    return tuple(boxes[cell] for cell in sorted(boxes))


def _read(look: _Look, place: int) -> complex:
    """Element number `place` of the whole block, also where the name itself does not reach."""
    if isinstance(look.array, torch.Tensor):
        return look.array.detach().as_strided((1,), (1,), place).item()
    size = _item(look)
    raw = ctypes.string_at(look.block[0] + place * size, size)
    return np.frombuffer(raw, look.array.dtype)[0].item()


def _strip(look: _Look, start: int, unit: int, column: dict[int, int]) -> Strip:
    positions = tuple(int(p) for p in ((look.addresses - start) // unit).flat)
    width = _item(look) // unit
    indices = defaultdict(list)
    for position, index in zip(positions, np.ndindex(look.addresses.shape), strict=True):
        if position in column and position + width - 1 in column:
            indices[position].append(index)
    boxes = tuple(
        Box(column[position], width, _index_text(found))
        for position, found in sorted(indices.items())
    )
    return Strip(look.name, kind_of(look.array), positions, boxes)


def _index_text(indices: list[tuple[int, ...]]) -> str:
    """`0,1` for the element [0, 1]; `×3` where three elements lie on one position."""
    return ",".join(map(str, indices[0])) if len(indices) == 1 else f"×{len(indices)}"


def _item(look: _Look) -> int:
    return look.array.dtype.itemsize
