"""What a picture shows, as plain data: `draw` puts it on paper, tests look at it here."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
import torch

from lens.language import say

MOST_ROWS, MOST_COLUMNS, MOST_SLICES = 8, 10, 4
MOST_LABELS = 12  # points that get their value written beside them
BARS, FEWEST_BARS = 40, 4

Array = torch.Tensor | np.ndarray


@dataclass(frozen=True)
class Cell:
    """One value: where it stands in its panel, its text, and its tint from -1 to 1."""

    row: int
    column: int
    text: str
    tint: float


@dataclass(frozen=True)
class Panel:
    """A matrix of cells; index labels are "…" where rows or columns are left out."""

    label: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Grid:
    """A tensor of up to three dimensions as panels, one per slice along the first of three."""

    name: str
    kind: str  # shape and dtype
    panels: tuple[Panel, ...]

    def __str__(self) -> str:
        slices = ("; ".join(_lines_of(panel)) for panel in self.panels)
        return f"{self.name} {self.kind}: {' | '.join(slices)}".strip()


@dataclass(frozen=True)
class Points:
    """The places of one name on a number line, and the text beside each (or none at all)."""

    name: str
    places: tuple[float, ...]
    labels: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}: {' '.join(number_text(place) for place in self.places)}"


@dataclass(frozen=True)
class Bars:
    """A histogram: bar i stands between edges i and i + 1; heights are shares of all values."""

    name: str
    edges: tuple[float, ...]
    heights: tuple[float, ...]

    def __str__(self) -> str:
        return self.name  # draws may differ in their last digit from machine to machine


@dataclass(frozen=True)
class Curve:
    """One line through (place, height) pairs."""

    name: str
    places: tuple[float, ...]
    heights: tuple[float, ...]

    def __str__(self) -> str:
        return f"{self.name}: {len(self.places)}"


def grid_of(name: str, tensor: Array) -> Grid:
    """The cells of a tensor of at most three dimensions; large ones lose their middle."""
    if tensor.ndim > 3:
        raise ValueError(
            say(
                f"show_tensor: expected at most 3 dimensions, got {tensor.ndim} of shape "
                f"{tuple(tensor.shape)}. Pick a part: x[0].",
                f"show_tensor：最多画 3 维，得到 {tensor.ndim} 维，形状 {tuple(tensor.shape)}。"
                "请先取出一部分：x[0]。",
            )
        )
    shape = (1,) * (3 - tensor.ndim) + tuple(tensor.shape)
    limits = (MOST_SLICES, MOST_ROWS, MOST_COLUMNS)
    slices, rows, columns = (kept(n, limit) for n, limit in zip(shape, limits, strict=True))
    values = {
        index: _value_at(tensor, index[3 - tensor.ndim :])
        for index in product(slices, rows, columns)
        if None not in index
    }
    largest = max((abs(v) for v in values.values() if _is_finite(v)), default=0)
    panels = []
    for at in slices:
        cells = tuple(
            Cell(i, j, *_text_and_tint(values.get((at, row, column)), largest))
            for (i, row), (j, column) in product(enumerate(rows), enumerate(columns))
        )
        label = _index_text(at) if tensor.ndim == 3 else ""
        row_names = _names(rows) if tensor.ndim >= 2 else ("",)
        panels.append(Panel(label, row_names, _names(columns) if tensor.ndim else ("",), cells))
    return Grid(name, kind_of(tensor), tuple(panels))


def points_of(name: str, values: Array) -> Points:
    """(n,) -> the places of n points, labelled where there are few."""
    places = _numbers("show_points", name, values)
    texts = tuple(number_text(v) for v in _flat(values).tolist())
    return Points(name, places, texts if len(places) <= MOST_LABELS else ())


def histograms_of(named: Mapping[str, Array]) -> tuple[Bars, ...]:
    """Histograms whose bars are about equally wide and end at the extremes of each name's values.

    Whole numbers in a small range get one bar each.
    """
    values = {name: _numbers("show_histogram", name, each) for name, each in named.items()}
    for name, each in values.items():
        if not each:
            raise ValueError(
                say(
                    f"show_histogram: expected values, got none in {name!r}. Pass a filled tensor.",
                    f"show_histogram：{name!r} 中没有值。请传入非空的张量。",
                )
            )
    low = min(min(each) for each in values.values())
    high = max(max(each) for each in values.values())
    whole = all(v.is_integer() for each in values.values() for v in each)
    made = []
    for name, each in values.items():
        if whole and high - low < BARS:
            edges = np.arange(low - 0.5, high + 1)
        else:
            edges = _edges(min(each), max(each), (high - low) / BARS)
        counts, _ = np.histogram(each, edges)
        made.append(Bars(name, tuple(edges.tolist()), tuple((counts / len(each)).tolist())))
    return tuple(made)


def curve_of(name: str, heights: object, places: object = None, *, log: bool = False) -> Curve:
    """(n,) heights at (n,) places, or at 0, 1, … n - 1; a log scale needs heights above 0."""
    ys = _numbers("show_curve", name, heights)
    xs = tuple(map(float, range(len(ys)))) if places is None else _numbers("show_curve", "", places)
    if len(xs) != len(ys):
        raise ValueError(
            say(
                f"show_curve: expected as many places as values, got {len(xs)} and {len(ys)} in "
                f"{name!r}. Give both the same length.",
                f"show_curve：横坐标与值的个数应相同，得到 {len(xs)} 和 {len(ys)}（{name!r}）。"
                "请让两者等长。",
            )
        )
    if log and min(ys, default=1) <= 0:
        raise ValueError(
            say(
                f"show_curve: a log scale expects values above 0, got {min(ys)} in {name!r}. "
                "Drop log=True.",
                f"show_curve：对数坐标要求值大于 0，得到 {min(ys)}（{name!r}）。请去掉 log=True。",
            )
        )
    return Curve(name, xs, ys)


def kept(size: int, limit: int) -> tuple[int | None, ...]:
    """The indices that are drawn; None stands for those left out of the middle."""
    if size <= limit:
        return tuple(range(size))
    return (*range(limit - 3), None, size - 2, size - 1)


def kind_of(tensor: Array) -> str:
    """Shape and dtype, as they are written in code."""
    return f"{tuple(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')}"


def number_text(value: complex) -> str:
    """A number as the pictures write it: a float keeps its point, `1.`, an integer has none."""
    if isinstance(value, bool | int):
        return str(value)
    if isinstance(value, complex):
        return f"{value.real:.3g}{value.imag:+.3g}j"
    text = f"{value:.4g}"
    return text if any(mark in text for mark in ".en") else text + "."


def _value_at(tensor: Array, index: tuple[int, ...]) -> complex | None:
    if isinstance(tensor, torch.Tensor) and tensor.is_meta:
        return None  # a shape without values
    return tensor[index].item()


def _text_and_tint(value: complex | None, largest: float) -> tuple[str, float]:
    if value is None:
        return "…", 0.0
    if not _is_finite(value) or isinstance(value, complex) or not largest:
        return number_text(value), 0.0
    return number_text(value), float(value / largest)


def _is_finite(value: complex | None) -> bool:
    return value is not None and math.isfinite(abs(value))


def _edges(low: float, high: float, width: float) -> np.ndarray:
    """Edges from `low` to `high`, about `width` apart: a bar that stuck out would be too short."""
    if low == high:
        half = width / 2 or 0.5
        return np.array([low - half, high + half])
    return np.linspace(low, high, max(FEWEST_BARS, round((high - low) / width)) + 1)


def _names(indices: tuple[int | None, ...]) -> tuple[str, ...]:
    return tuple("…" if i is None else str(i) for i in indices)


def _index_text(index: int | None) -> str:
    return "…" if index is None else f"[{index}]"


def _lines_of(panel: Panel) -> list[str]:
    return [
        " ".join(cell.text for cell in panel.cells if cell.row == row)
        for row in range(len(panel.rows))
    ]


def _flat(values: Array) -> Array:
    return values.detach().reshape(-1) if isinstance(values, torch.Tensor) else values.reshape(-1)


def _numbers(show: str, name: str, values: object) -> tuple[float, ...]:
    """Finite real numbers, from a tensor, an array or a list of numbers."""
    if not isinstance(values, torch.Tensor | np.ndarray):
        values = np.asarray(values, dtype=float)
    numbers = tuple(map(float, _flat(values).tolist()))
    strange = [number for number in numbers if not math.isfinite(number)]
    if strange:
        raise ValueError(
            say(
                f"{show}: expected finite numbers, got {strange[0]} in {name!r}. "
                "Leave those out: x[x.isfinite()].",
                f"{show}：需要有限的数，{name!r} 中有 {strange[0]}。"
                "请先去掉它们：x[x.isfinite()]。",
            )
        )
    return numbers
