"""Pictures of live tensors, free of words: what they hold, and which memory they share."""

from collections.abc import Mapping, Sequence
from io import BytesIO

import numpy as np
import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from lens.geometry import Array, Grid, Panel, Points, curve_of, grid_of, histograms_of, points_of
from lens.language import say
from lens.memory import Storage, storages_of

# Okabe and Ito's colours, which every kind of colour vision tells apart.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
MARKERS = ("o", "s", "^", "D", "v", "P")
INK, FAINT, EDGE, EMPTY = "#1b1f24", "#5d6773", "#9aa5b1", "#eceff2"
STYLE = {"font.family": "DejaVu Sans Mono", "axes.edgecolor": EDGE, "axes.linewidth": 0.8}

DPI = 100  # on the page; files have twice that, for sharp screens
UNIT = 0.4  # inches of one cell
LETTER = 0.19  # cells of one letter at 9 points
WIDEST = 23.0  # cells side by side

_in_style = style.context(["default", STYLE])  # whatever a learner set for their own plots


@_in_style
def show_tensor(*tensors: Array, **named: Array) -> None:
    """Draw tensors of up to three dimensions as grids of their values; large ones are cut short."""
    items = [("", tensor) for tensor in tensors] + list(named.items())
    _check("show_tensor", items)
    grids = [grid_of(name, tensor) for name, tensor in items]
    places, width, height = _flow([_grid_size(grid) for grid in grids])
    figure, paper = _paper(width, height)
    for grid, (left, top) in zip(grids, places, strict=True):
        _draw_grid(paper, grid, left, top)
    _show(figure, grids)


@_in_style
def show_storage(**named: Array) -> None:
    """Draw memory: one row of numbered cells a storage, below it the positions of each name."""
    _check("show_storage", named.items())
    storages = storages_of(named)
    colours = dict(zip(named, COLOURS * len(named), strict=False))
    strips = [strip for storage in storages for strip in storage.strips]
    margin = max(len(f"{strip.name} {strip.kind}") for strip in strips) * LETTER + 0.6
    cell = _cell_width(box.text for storage in storages for box in storage.values)
    width = margin + max(len(storage.numbers) for storage in storages) * cell + 0.3
    heights = [1.9 + 0.75 * len(storage.strips) for storage in storages]
    figure, paper = _paper(max(width, margin + 2), sum(heights))
    for storage, bottom in zip(storages, np.cumsum(heights), strict=True):
        top = bottom - 1.9 - 0.75 * len(storage.strips)
        _draw_storage(paper, storage, colours, margin, top + 0.5, cell)
    _show(figure, storages)


@_in_style
def show_points(**named: Array) -> None:
    """Draw the values of each name as points on one number line."""
    _check("show_points", named.items())
    lines = [points_of(name, values) for name, values in named.items()]
    figure = Figure(figsize=(7.2, 0.6 + 0.55 * len(lines)), dpi=DPI)
    axes = figure.add_axes((0.18, 0.4 / (0.6 + 0.55 * len(lines)), 0.79, 0.55 * len(lines) / 1.0))
    axes.set_position((0.18, 0.42 / figure.get_figheight(), 0.79, 1 - 0.5 / figure.get_figheight()))
    for row, line in enumerate(lines):
        _draw_points(axes, line, row)
    axes.set_ylim(len(lines) - 0.6, -0.75)
    axes.set_yticks(range(len(lines)), [line.name for line in lines], fontsize=10, color=INK)
    axes.margins(x=0.06)
    axes.grid(axis="x", color=EMPTY)
    _plain_axes(axes, "bottom")
    _show(figure, lines)


@_in_style
def show_histogram(**named: Array) -> None:
    """Draw how often each value occurs: one histogram a name, over one common range."""
    _check("show_histogram", named.items())
    bars = histograms_of(named)
    figure = Figure(figsize=(7.2, 0.35 + 1.05 * len(bars)), dpi=DPI, layout="constrained")
    rows = figure.subplots(len(bars), sharex=True, squeeze=False)[:, 0]
    for axes, each, colour in zip(rows, bars, COLOURS * len(bars), strict=False):
        axes.stairs(each.heights, each.edges, fill=True, color=colour)
        axes.set_yticks([])
        axes.set_ylabel(each.name, rotation=0, ha="right", va="center", fontsize=10, color=INK)
        _plain_axes(axes, "bottom")
    _show(figure, bars)


@_in_style
def show_curve(places: object = None, /, *, log: bool = False, **named: object) -> None:
    """Draw a line for each name, at `places` or at 0, 1, 2, …; `log` makes the heights' scale so."""
    _check("show_curve", named.items(), lists=True)
    curves = [curve_of(name, heights, places, log=log) for name, heights in named.items()]
    figure = Figure(figsize=(7.2, 3), dpi=DPI, layout="constrained")
    axes = figure.subplots()
    for curve, colour, marker in zip(curves, COLOURS, MARKERS, strict=False):
        axes.plot(
            curve.places, curve.heights, color=colour, marker=marker, ms=4.5, label=curve.name
        )
    axes.set_yscale("log" if log else "linear")
    axes.grid(color=EMPTY)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5), labelcolor=INK)
    _plain_axes(axes, "left", "bottom")
    _show(figure, curves)


def _draw_grid(paper: Axes, grid: Grid, left: float, top: float) -> None:
    paper.text(left, top + 0.3, grid.name, size=10, weight="bold", color=INK, va="center")
    indent = (len(grid.name) + 1) * LETTER * 1.12 if grid.name else 0
    paper.text(left + indent, top + 0.3, grid.kind, size=8, color=FAINT, va="center")
    for panel in grid.panels:
        width = _cell_width(cell.text for cell in panel.cells)
        x, y = left + _row_label_width(panel), top + 1.3
        if panel.label:
            paper.text(x, top + 0.78, panel.label, size=8, weight="bold", color=INK, va="center")
            y += 0.3
        for column, name in enumerate(panel.columns):
            _label(paper, x + (column + 0.5) * width, y - 0.2, name)
        for row, name in enumerate(panel.rows):
            _label(paper, x - 0.25, y + row + 0.5, name)
        if not panel.cells:
            paper.add_patch(Rectangle((x, y), 0.3, 0.9, fc=EMPTY, ec=EDGE, ls=":"))
        for cell in panel.cells:
            corner = (x + cell.column * width, y + cell.row)
            if cell.text != "…":
                _box(paper, corner, width, 1, cell.text, _tint(cell.tint))
            else:
                _label(paper, corner[0] + width / 2, corner[1] + 0.5, "…")
        left += _panel_width(panel) + 0.5


def _draw_storage(
    paper: Axes, storage: Storage, colours: Mapping, left: float, top: float, cell: float
) -> None:
    covered = {box.first for strip in storage.strips for box in strip.boxes}
    for column, number in enumerate(storage.numbers):
        _label(paper, left + (column + 0.5) * cell, top - 0.2, number)
    if not storage.numbers:
        paper.add_patch(Rectangle((left, top), 0.3, 0.9, fc=EMPTY, ec=EDGE, ls=":"))
    for box in storage.values:
        face = "white" if box.first in covered else EMPTY
        _box(paper, (left + box.first * cell, top), box.width * cell, 1, box.text, face)
    for row, strip in enumerate(storage.strips):
        y = top + 1.15 + 0.75 * row
        paper.text(0.2, y + 0.3, strip.name, size=9, weight="bold", color=INK, va="center")
        indent = 0.2 + (len(strip.name) + 1) * LETTER
        paper.text(indent, y + 0.3, strip.kind, size=8, color=FAINT, va="center")
        for box in strip.boxes:
            corner = (left + box.first * cell, y)
            _box(paper, corner, box.width * cell, 0.6, box.text, _pale(colours[strip.name]), 7.5)


def _draw_points(axes: Axes, line: Points, row: int) -> None:
    colour = COLOURS[row % len(COLOURS)]
    axes.axhline(row, color=EDGE, lw=0.8, zorder=1)
    axes.plot(line.places, [row] * len(line.places), "o", ms=6, color=colour, zorder=3)
    for place, label in zip(line.places, line.labels, strict=False):
        axes.annotate(
            label,
            (place, row),
            xytext=(0, 6),
            textcoords="offset points",
            ha="center",
            size=8,
            color=INK,
        )


def _flow(sizes: Sequence[tuple[float, float]]) -> tuple[list[tuple[float, float]], float, float]:
    """Places (left, top) of blocks side by side, wrapped at WIDEST; and the size of it all."""
    places, left, top, line, right = [], 0.3, 0.1, 0.0, 0.0
    for width, height in sizes:
        if left > 0.3 and left + width > WIDEST:
            left, top, line = 0.3, top + line + 0.4, 0.0
        places.append((left, top))
        left, line = left + width + 0.9, max(line, height)
        right = max(right, left)
    return places, right - 0.6, top + line + 0.2


def _grid_size(grid: Grid) -> tuple[float, float]:
    title = len(f"{grid.name} {grid.kind}") * LETTER + 0.3
    width = sum(_panel_width(panel) for panel in grid.panels) + 0.5 * (len(grid.panels) - 1)
    rows = max((len(panel.rows) for panel in grid.panels), default=0)
    labelled = any(panel.label for panel in grid.panels)
    return max(width, title), 1.3 + 0.3 * labelled + max(rows, 1)


def _panel_width(panel: Panel) -> float:
    cells = len(panel.columns) * _cell_width(cell.text for cell in panel.cells)
    return _row_label_width(panel) + max(cells, 0.3)


def _row_label_width(panel: Panel) -> float:
    return 0.5 if any(panel.rows) else 0.0


def _cell_width(texts) -> float:
    return max(1.0, 0.35 + LETTER * max((len(text) for text in texts), default=0))


def _box(paper, corner, width, height, text, face, size=9) -> None:
    paper.add_patch(Rectangle(corner, width, height, fc=face, ec=EDGE, lw=0.8))
    x, y = corner[0] + width / 2, corner[1] + height / 2
    paper.text(x, y, text, size=size, color=INK, ha="center", va="center_baseline")


def _label(paper, x, y, text) -> None:
    paper.text(x, y, text, size=7, color=FAINT, ha="center", va="center")


def _tint(share: float) -> tuple[float, ...]:
    """White for 0, towards blue above it and towards orange below it."""
    return _pale(COLOURS[0] if share > 0 else COLOURS[1], 0.45 * abs(share))


def _pale(colour: str, strength: float = 0.45) -> tuple[float, ...]:
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return tuple(1 - strength * (1 - part) for part in parts)


def _paper(width: float, height: float) -> tuple[Figure, Axes]:
    """An empty sheet measured in cells, from the top left corner."""
    figure = Figure(figsize=(width * UNIT, height * UNIT), dpi=DPI)
    paper = figure.add_axes((0, 0, 1, 1))
    paper.set(xlim=(0, width), ylim=(height, 0))
    paper.axis("off")
    return figure, paper


def _plain_axes(axes: Axes, *sides: str) -> None:
    axes.spines[:].set_visible(False)
    axes.spines[list(sides)].set_visible(True)
    axes.tick_params(labelsize=8, colors=FAINT, length=0)
    axes.tick_params(axis="y", labelcolor=INK)
    axes.set_axisbelow(True)


def _show(figure: Figure, pictures: Sequence[object]) -> None:
    """Show inline; what is drawn stands beside it as text, for screen readers and comparison."""
    text = "\n".join(map(str, pictures))
    if not InteractiveShell.initialized():
        print(text)
        return
    file = BytesIO()
    figure.savefig(file, format="png", dpi=2 * DPI, facecolor="white", metadata={"Software": None})
    size = {"width": round(figure.get_figwidth() * DPI), "alt": text}
    data = {"image/png": file.getvalue(), "text/plain": text}
    display(data, raw=True, metadata={"image/png": size})


def _check(show: str, items, *, lists: bool = False) -> None:
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
