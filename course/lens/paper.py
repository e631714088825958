"""The paper that pictures are drawn on: measures, colours, boxes with text, and showing it."""

from collections.abc import Iterable, Sequence
from io import BytesIO

from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from PIL import Image

# Okabe and Ito's colours, which every kind of colour vision tells apart.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
MARKERS = ("o", "s", "^", "D", "v", "P")
INK, FAINT, EDGE, EMPTY = "#1b1f24", "#5d6773", "#9aa5b1", "#eceff2"

DPI = 100  # on the page; files have twice that, for sharp screens
UNIT = 0.4  # inches of one cell
LETTER = 0.19  # cells of one letter at 9 points
WIDEST = 23.0  # cells side by side

# Whatever a learner set for their own plots, these pictures look the same.
in_style = style.context(
    ["default", {"font.family": "DejaVu Sans Mono", "axes.edgecolor": EDGE, "axes.linewidth": 0.8}]
)


def new_paper(width: float, height: float) -> tuple[Figure, Axes]:
    """An empty sheet measured in cells, from the top left corner."""
    figure = Figure(figsize=(width * UNIT, height * UNIT), dpi=DPI)
    paper = figure.add_axes((0, 0, 1, 1))
    paper.set(xlim=(0, width), ylim=(height, 0))
    paper.axis("off")
    return figure, paper


def put_box(paper: Axes, x, y, width, height, text: str, face, size: float = 9) -> None:
    """A rectangle with its text in the middle; (x, y) is its top left corner."""
    paper.add_patch(Rectangle((x, y), width, height, fc=face, ec=EDGE, lw=0.8))
    middle = x + width / 2, y + height / 2
    paper.text(*middle, text, size=size, color=INK, ha="center", va="center_baseline")


def put_nothing(paper: Axes, x: float, y: float) -> None:
    """The mark of a tensor without elements."""
    paper.add_patch(Rectangle((x, y), 0.3, 0.9, fc=EMPTY, ec=EDGE, ls=":"))


def put_label(paper: Axes, x: float, y: float, text: str) -> None:
    """A small grey number, such as an index, centred on (x, y)."""
    paper.text(x, y, text, size=7, color=FAINT, ha="center", va="center")


def put_title(paper: Axes, x: float, y: float, name: str, kind: str) -> None:
    """A name in bold, then shape and dtype in grey."""
    paper.text(x, y, name, size=9, weight="bold", color=INK, va="center")
    indent = (len(name) + 1) * LETTER if name else 0
    paper.text(x + indent, y, kind, size=8, color=FAINT, va="center")


def title_width(name: str, kind: str) -> float:
    """The room in cells that `put_title` takes at most."""
    return len(f"{name} {kind}") * LETTER


def cell_width(texts: Iterable[str]) -> float:
    """The width of cells that hold the longest of these texts."""
    return max(1.0, 0.35 + LETTER * max((len(text) for text in texts), default=0))


def tint(share: float) -> tuple[float, ...]:
    """White for 0, towards blue for 1 and towards orange for -1."""
    return pale(COLOURS[0] if share > 0 else COLOURS[1], 0.45 * abs(share))


def pale(colour: str, strength: float = 0.45) -> tuple[float, ...]:
    """The colour mixed with white, so that text on it is easy to read."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return tuple(1 - strength * (1 - part) for part in parts)


def flow(sizes: Sequence[tuple[float, float]]) -> tuple[list[tuple[float, float]], float, float]:
    """Places (left, top) of blocks side by side, wrapped at WIDEST; then the sheet's size."""
    places, left, top, line, right = [], 0.3, 0.1, 0.0, 0.0
    for width, height in sizes:
        if left > 0.3 and left + width > WIDEST:
            left, top, line = 0.3, top + line + 0.4, 0.0
        places.append((left, top))
        left, line = left + width + 0.9, max(line, height)
        right = max(right, left)
    return places, right - 0.6, top + line + 0.2


def show(figure: Figure, pictures: Sequence[object]) -> None:
    """Show inline; what is drawn stands beside it as text, for screen readers and comparison."""
    text = "\n".join(map(str, pictures))
    if not InteractiveShell.initialized():
        print(text)
        return
    width = round(figure.get_figwidth() * DPI)
    data = {"image/png": as_png(figure), "text/plain": text}
    display(data, raw=True, metadata={"image/png": {"width": width, "alt": text}})


def as_png(figure: Figure) -> bytes:
    """The picture in a few colours: a third of the size, and it is stored in notebooks."""
    full, small = BytesIO(), BytesIO()
    figure.savefig(full, format="png", dpi=2 * DPI, facecolor="white")
    image = Image.open(full).convert("RGB")
    image.quantize(48, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    return small.getvalue()
