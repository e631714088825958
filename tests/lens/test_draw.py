"""Pictures: their geometry, and that drawing shows them and leaves nothing behind."""

from io import BytesIO

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from PIL import Image

from lens import draw, paper
from lens.geometry import (
    Cell,
    curve_of,
    grid_of,
    histograms_of,
    kept,
    kind_of,
    number_text,
    points_of,
)
from lens.language import speak


@pytest.fixture
def shown(monkeypatch):
    """What a notebook would be shown: a list of (data, metadata)."""
    outputs = []
    monkeypatch.setattr(paper.InteractiveShell, "initialized", lambda: True)
    monkeypatch.setattr(
        paper, "display", lambda data, raw, metadata: outputs.append((data, metadata))
    )
    return outputs


def texts(grid):
    return [[cell.text for cell in panel.cells] for panel in grid.panels]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (1.0, "1."),
        (0.25, "0.25"),
        (-1 / 3, "-0.3333"),
        (1e-9, "1e-09"),
        (123456.0, "1.235e+05"),
        (True, "True"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (1 - 2j, "1-2j"),
    ],
)
def test_a_float_keeps_its_point_and_an_integer_has_none(value, text):
    assert number_text(value) == text


@pytest.mark.parametrize(
    "dtype", [torch.float64, torch.bfloat16, torch.float16, torch.uint8, torch.int16, torch.bool]
)
def test_every_dtype_has_texts(dtype):
    assert len(texts(grid_of("x", torch.ones(2, dtype=dtype)))[0]) == 2


def test_a_matrix_is_one_panel_of_rows_and_columns():
    grid = grid_of("x", torch.tensor([[1, 2, 3], [4, 5, -6]]))
    (panel,) = grid.panels
    assert (panel.rows, panel.columns) == (("0", "1"), ("0", "1", "2"))
    assert panel.cells[1] == Cell(row=0, column=1, text="2", tint=2 / 6)
    assert panel.cells[5] == Cell(row=1, column=2, text="-6", tint=-1.0)
    assert grid.kind == "(2, 3) int64"


def test_a_stack_is_one_panel_a_slice():
    grid = grid_of("x", torch.arange(12).view(2, 3, 2))
    assert [panel.label for panel in grid.panels] == ["[0]", "[1]"]
    assert texts(grid)[1] == ["6", "7", "8", "9", "10", "11"]


def test_no_dimension_is_one_cell_and_no_element_is_no_cell():
    assert texts(grid_of("x", torch.tensor(3.0))) == [["3."]]
    assert texts(grid_of("x", torch.empty(0))) == [[]]
    assert texts(grid_of("x", torch.empty(2, 0))) == [[]]
    assert texts(grid_of("x", torch.empty(0, 2, 2))) == []


def test_a_large_tensor_loses_its_middle():
    assert kept(5, 5) == (0, 1, 2, 3, 4)
    assert kept(100, 6) == (0, 1, 2, None, 98, 99)
    (panel,) = grid_of("x", torch.arange(400).view(20, 20)).panels
    assert panel.rows == ("0", "1", "2", "3", "4", "…", "18", "19")
    assert panel.cells[-1].text == "399"
    assert {cell.text for cell in panel.cells if cell.row == 5} == {"…"}


def test_a_tensor_without_values_still_has_its_shape():
    assert texts(grid_of("x", torch.empty(2, device="meta"))) == [["…", "…"]]


def test_not_a_number_has_no_tint():
    (panel,) = grid_of("x", torch.tensor([float("nan"), float("inf"), -4.0])).panels
    assert [cell.tint for cell in panel.cells] == [0.0, 0.0, -1.0]


def test_four_dimensions_are_refused_with_a_next_step():
    with pytest.raises(ValueError, match=r"at most 3 dimensions, got 4 .* x\[0\]"):
        grid_of("x", torch.zeros(1, 1, 1, 1))


def test_points_keep_their_values_and_few_of_them_are_labelled():
    assert points_of("x", torch.linspace(0, 1, 3)).labels == ("0.", "0.5", "1.")
    assert points_of("x", torch.arange(3)).labels == ("0", "1", "2")
    assert points_of("x", torch.arange(100)).labels == ()


def test_whole_numbers_get_a_bar_each():
    (bars,) = histograms_of({"dice": torch.tensor([1, 1, 3, 2])})
    assert bars.edges == (0.5, 1.5, 2.5, 3.5)
    assert bars.heights == (0.5, 0.25, 0.25)


def test_the_bars_of_each_histogram_end_at_its_extremes_and_add_up_to_one():
    one, two = histograms_of({"one": torch.linspace(0, 1, 1000), "two": torch.linspace(-4, 4, 99)})
    assert (one.edges[0], one.edges[-1]) == (0.0, 1.0)
    assert (two.edges[0], two.edges[-1]) == (-4.0, 4.0)
    assert sum(one.heights) == pytest.approx(1) == sum(two.heights)


def test_equally_likely_values_give_bars_of_equal_height_beside_a_wider_histogram():
    flat = torch.linspace(-1, 1, 10_000) * 512**-0.5
    bars, _ = histograms_of({"flat": flat, "wide": torch.linspace(-0.27, 0.25, 100)})
    assert min(bars.heights) > 0.95 * max(bars.heights)


def test_bars_are_about_equally_wide_in_all_histograms():
    one, two = histograms_of({"one": torch.linspace(0, 1, 50), "two": torch.linspace(-4, 4, 99)})
    assert one.edges[1] - one.edges[0] == pytest.approx(two.edges[1] - two.edges[0], rel=0.2)


def test_equal_values_make_a_histogram():
    (bars,) = histograms_of({"x": torch.full((3,), 0.5)})
    assert sum(bars.heights) == 1
    bars, _ = histograms_of({"x": torch.full((3,), 0.5), "y": torch.linspace(0, 1, 9)})
    assert sum(bars.heights) == 1


def test_a_curve_stands_at_its_places_or_counts_from_0():
    assert curve_of("x", [3.0, 4.0]).places == (0.0, 1.0)
    assert curve_of("x", torch.tensor([3.0, 4.0]), [10, 20]).places == (10.0, 20.0)


def test_a_curve_refuses_what_it_cannot_draw():
    with pytest.raises(ValueError, match="as many places as values, got 1 and 2"):
        curve_of("x", [1, 2], [1])
    with pytest.raises(ValueError, match="values above 0, got 0.0"):
        curve_of("x", [0, 2], log=True)
    with pytest.raises(ValueError, match="finite numbers, got nan"):
        curve_of("x", [float("nan")])
    with pytest.raises(ValueError, match="got none in 'x'"):
        histograms_of({"x": torch.empty(0)})


def test_a_kind_is_shape_and_dtype_as_code():
    assert kind_of(torch.zeros(2, 1)) == "(2, 1) float32"
    assert kind_of(np.zeros(3)) == "(3,) float64"


DRAWINGS = {
    "tensor": lambda: draw.show_tensor(torch.eye(2), stack=torch.ones(2, 2, 2), e=torch.empty(0)),
    "many": lambda: draw.show_tensor(*[torch.rand(8, 8)] * 5),
    "no_slice": lambda: draw.show_tensor(x=torch.empty(0, 2, 2)),
    "storage": lambda: draw.show_storage(a=np.ones(3), b=torch.ones(30)),
    "no_storage": lambda: draw.show_storage(a=torch.empty(0)),
    "points": lambda: draw.show_points(a=torch.arange(3), b=torch.linspace(0, 1, 50)),
    "histogram": lambda: draw.show_histogram(a=torch.arange(5), b=np.ones(3)),
    "curve": lambda: draw.show_curve([1, 2], log=True, a=[1, 10], b=torch.tensor([2.0, 3.0])),
}


@pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=DRAWINGS)
def test_drawing_shows_one_picture_and_leaves_nothing(shown, drawing):
    state, settings = torch.get_rng_state(), dict(plt.rcParams)
    assert drawing() is None
    ((data, metadata),) = shown
    image = Image.open(BytesIO(data["image/png"]))
    assert image.width == pytest.approx(2 * metadata["image/png"]["width"], abs=2)
    assert metadata["image/png"]["width"] <= 960
    assert data["text/plain"] == metadata["image/png"]["alt"] != ""
    assert plt.get_fignums() == []
    assert dict(plt.rcParams) == settings
    assert drawing is DRAWINGS["many"] or torch.equal(torch.get_rng_state(), state)


def test_drawing_twice_gives_the_same_bytes_whatever_the_learner_set(shown):
    x = torch.arange(6.0).view(2, 3)
    draw.show_storage(x=x, t=x.t())
    with plt.rc_context({"font.size": 30, "lines.linewidth": 9, "savefig.dpi": 10}):
        draw.show_storage(x=x, t=x.t())
    assert shown[0] == shown[1]


def test_outside_a_notebook_a_picture_is_told_in_text(capsys):
    draw.show_tensor(x=torch.tensor([[1, 2], [3, 4]]))
    assert capsys.readouterr().out == "x (2, 2) int64: 1 2; 3 4\n"


@pytest.mark.parametrize("name", ["tensor", "storage", "points", "histogram", "curve"])
def test_wrong_input_is_named_in_both_languages(name):
    show = getattr(draw, f"show_{name}")
    with pytest.raises(TypeError, match=rf"show_{name}: expected something to draw, got nothing"):
        show()
    with pytest.raises(TypeError, match="expected a tensor or a NumPy array, got str in 'x'"):
        show(x="words")
    with pytest.raises(TypeError, match="expected a dense tensor, got torch.sparse_coo in 'x'"):
        show(x=torch.eye(2).to_sparse())
    speak("zh")
    try:
        with pytest.raises(TypeError, match="需要张量或 NumPy 数组，'x' 是 str"):
            show(x="words")
    finally:
        speak("en")


def test_pictures_hold_no_words_that_would_need_a_language(shown):
    for drawing in DRAWINGS.values():
        drawing()
    told = " ".join(data["text/plain"] for data, _ in shown)
    words = {word for word in told.replace(":", " ").split() if word.isalpha()}
    assert words <= {"stack", "e", "a", "b", "x"}
