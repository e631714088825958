"""Pictures of live tensors, free of words: what they hold, and which memory they share."""

from collections.abc import Iterable, Mapping

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from lens.geometry import Array, Grid, Panel, Points, curve_of, grid_of, histograms_of, points_of
from lens.language import say
from lens.memory import Storage, storages_of
from lens.paper import (
    COLOURS,
    DPI,
    EDGE,
    EMPTY,
    FAINT,
    INK,
    MARKERS,
    cell_width,
    flow,
    in_style,
    new_paper,
    pale,
    put_box,
    put_label,
    put_nothing,
    put_title,
    show,
    tint,
    title_width,
)


@in_style
def show_tensor(*tensors: Array, **named: Array) -> None:
    """Draw tensors of up to three dimensions as grids of their values; large ones are cut short."""
    items = [("", tensor) for tensor in tensors] + list(named.items())
    _check("show_tensor", items)
    grids = [grid_of(name, tensor) for name, tensor in items]
    places, width, height = flow([_grid_size(grid) for grid in grids])
    figure, paper = new_paper(width, height)
    for grid, (left, top) in zip(grids, places, strict=True):
        _draw_grid(paper, grid, left, top)
    show(figure, grids)


@in_style
def show_storage(**named: Array) -> None:
    """Draw memory: one row of numbered cells a storage, below it the positions of each name."""
    _check("show_storage", named.items())
    storages = storages_of(named)
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(named)}
    strips = [strip for storage in storages for strip in storage.strips]
    margin = max(title_width(strip.name, strip.kind) for strip in strips) + 0.6
    cell = cell_width(box.text for storage in storages for box in storage.values)
    width = margin + max(1, *(len(storage.numbers) for storage in storages)) * cell + 0.3
    heights = [1.75 + 0.72 * len(storage.strips) for storage in storages]
    figure, paper = new_paper(width, sum(heights))
    for storage, bottom, height in zip(storages, np.cumsum(heights), heights, strict=True):
        _draw_storage(paper, storage, colours, margin, bottom - height + 0.5, cell)
    show(figure, storages)


@in_style
def show_points(**named: Array) -> None:
    """Draw the values of each name as points on one number line."""
    _check("show_points", named.items())
    lines = [points_of(name, values) for name, values in named.items()]
    figure = Figure(figsize=(7.2, 0.55 + 0.55 * len(lines)), dpi=DPI, layout="constrained")
    axes = figure.subplots()
    for row, line in enumerate(lines):
        _draw_points(axes, line, row)
    axes.set_ylim(len(lines) - 0.6, -0.75)
    axes.set_yticks(range(len(lines)), [line.name for line in lines], fontsize=10)
    axes.margins(x=0.06)
    axes.grid(axis="x", color=EMPTY)
    _plain_axes(axes, "bottom")
    show(figure, lines)


@in_style
def show_histogram(**named: Array) -> None:
    """Draw how often each value occurs: one histogram a name, on one common scale."""
    _check("show_histogram", named.items())
    histograms = histograms_of(named)
    size = (7.2, 0.35 + 1.05 * len(histograms))
    figure = Figure(figsize=size, dpi=DPI, layout="constrained")
    rows = figure.subplots(len(histograms), sharex=True, squeeze=False)[:, 0]
    for i, (axes, bars) in enumerate(zip(rows, histograms, strict=True)):
        edges = np.array(bars.edges)
        colour = COLOURS[i % len(COLOURS)]
        axes.bar(edges[:-1], bars.heights, np.diff(edges), align="edge", color=colour, ec="white")
        axes.set_yticks([])
        axes.set_ylabel(bars.name, rotation=0, ha="right", va="center", fontsize=10, color=INK)
        _plain_axes(axes, "bottom")
    show(figure, histograms)


@in_style
def show_curve(places: object = None, /, *, log: bool = False, **named: object) -> None:
    """Draw a line a name, at `places` or at 0, 1, 2, …; `log` gives the heights a log scale."""
    _check("show_curve", named.items(), lists=True)
    curves = [curve_of(name, heights, places, log=log) for name, heights in named.items()]
    figure = Figure(figsize=(7.2, 3), dpi=DPI, layout="constrained")
    axes = figure.subplots()
    for i, curve in enumerate(curves):
        look = {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)], "ms": 4.5}
        axes.plot(curve.places, curve.heights, label=curve.name, **look)
    axes.set_yscale("log" if log else "linear")
    if all(place.is_integer() for curve in curves for place in curve.places):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(color=EMPTY)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5), labelcolor=INK)
    _plain_axes(axes, "left", "bottom")
    show(figure, curves)


def _draw_grid(paper: Axes, grid: Grid, left: float, top: float) -> None:
    put_title(paper, left, top + 0.3, grid.name, grid.kind)
    if not grid.panels:
        put_nothing(paper, left, top + 1.3)
    for panel in grid.panels:
        width = cell_width(cell.text for cell in panel.cells)
        x, y = left + _room_for_rows(panel), top + 1.3
        if panel.label:
            paper.text(x, top + 0.78, panel.label, size=8, weight="bold", color=INK, va="center")
            y += 0.3
        for column, name in enumerate(panel.columns):
            put_label(paper, x + (column + 0.5) * width, y - 0.2, name)
        for row, name in enumerate(panel.rows):
            put_label(paper, x - 0.25, y + row + 0.5, name)
        if not panel.cells:
            put_nothing(paper, x, y)
        for cell in panel.cells:
            at = x + cell.column * width, y + cell.row
            if cell.text == "…":
                put_label(paper, at[0] + width / 2, at[1] + 0.5, cell.text)
            else:
                put_box(paper, *at, width, 1, cell.text, tint(cell.tint))
        left += _panel_width(panel) + 0.5


def _grid_size(grid: Grid) -> tuple[float, float]:
    """(width, height) in cells of a drawn grid, its title included."""
    width = sum(_panel_width(panel) for panel in grid.panels) + 0.5 * (len(grid.panels) - 1)
    rows = max((len(panel.rows) for panel in grid.panels), default=0)
    labelled = any(panel.label for panel in grid.panels)
    title = title_width(grid.name, grid.kind) + 0.3
    return max(width, title), 1.3 + 0.3 * labelled + max(rows, 1)


def _panel_width(panel: Panel) -> float:
    cells = len(panel.columns) * cell_width(cell.text for cell in panel.cells)
    return _room_for_rows(panel) + max(cells, 0.3)


def _room_for_rows(panel: Panel) -> float:
    return 0.5 if any(panel.rows) else 0.0


def _draw_storage(
    paper: Axes, storage: Storage, colours: Mapping, left: float, top: float, cell: float
) -> None:
    covered = {
        column
        for strip in storage.strips
        for box in strip.boxes
        for column in range(box.first, box.first + box.width)
    }
    if not storage.numbers:
        put_nothing(paper, left, top)
    for column, number in enumerate(storage.numbers):
        put_label(paper, left + (column + 0.5) * cell, top - 0.2, number)
    for box in storage.values:
        face = "white" if box.first in covered else EMPTY
        put_box(paper, left + box.first * cell, top, box.width * cell, 1, box.text, face)
    for row, strip in enumerate(storage.strips):
        y = top + 1.15 + 0.72 * row
        put_title(paper, 0.2, y + 0.3, strip.name, strip.kind)
        for box in strip.boxes:
            x, width = left + box.first * cell, box.width * cell
            put_box(paper, x, y, width, 0.6, box.text, pale(colours[strip.name]), size=7.5)


def _draw_points(axes: Axes, line: Points, row: int) -> None:
    colour = COLOURS[row % len(COLOURS)]
    axes.axhline(row, color=EDGE, lw=0.8, zorder=1)
    axes.plot(line.places, [row] * len(line.places), "o", ms=6, color=colour, zorder=3)
    above = {"xytext": (0, 6), "textcoords": "offset points", "ha": "center"}
    for place, label in zip(line.places, line.labels, strict=False):
        axes.annotate(label, (place, row), size=8, color=INK, **above)


def _plain_axes(axes: Axes, *sides: str) -> None:
    axes.spines[:].set_visible(False)
    axes.spines[list(sides)].set_visible(True)
    axes.tick_params(labelsize=8, colors=FAINT, length=0)
    axes.tick_params(axis="y", labelcolor=INK, labelsize=9)
    axes.set_axisbelow(True)


def _check(show: str, items: Iterable[tuple[str, object]], *, lists: bool = False) -> None:
    """Something to draw, and all of it tensors or arrays (or lists of numbers)."""
    items = list(items)
    if not items:
        raise TypeError(
            say(
                f"{show}: expected something to draw, got nothing. Write {show}(x=x).",
                f"{show}：没有可画的内容。请写 {show}(x=x)。",
            )
        )
    for name, item in items:
        if isinstance(item, torch.Tensor) and item.layout is not torch.strided:
            raise TypeError(
                say(
                    f"{show}: expected a dense tensor, got {item.layout} in {name!r}. "
                    "Use x.to_dense().",
                    f"{show}：需要稠密张量，{name!r} 是 {item.layout}。请用 x.to_dense()。",
                )
            )
        if not isinstance(item, (torch.Tensor, np.ndarray, *((list, tuple) if lists else ()))):
            kind = type(item).__name__
            raise TypeError(
                say(
                    f"{show}: expected a tensor or a NumPy array, got {kind} in {name!r}. "
                    "Use torch.tensor(…).",
                    f"{show}：需要张量或 NumPy 数组，{name!r} 是 {kind}。请用 torch.tensor(…)。",
                )
            )
