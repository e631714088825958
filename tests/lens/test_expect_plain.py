import numpy as np
import pytest
import torch

import lens

from .test_expect import says

T = torch.tensor


# --- plain values ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (3, 3),
        (3, 3.0),
        (float("nan"), float("nan")),
        (1j, 1j),
        (1.0, 1 + 0j),
        (True, True),
        ("a", "a"),
        (None, None),
        (torch.float32, torch.float32),
        (torch.device("cpu"), torch.device("cpu")),
        (torch.Size([2, 3]), (2, 3)),
        ({"a": [1, (2.0, None)]}, {"a": [1, (2.0, None)]}),
        ({1, 2}, {2, 1}),
        ((T([1, 2]), 3), (T([1, 2]), 3)),
    ],
)
def test_equal_plain_values_are_equal(got, want):
    assert not says(lens.expect_equal, got, want)


@pytest.mark.parametrize(
    ("got", "want", "words"),
    [
        (True, 1, "`True` and `False` are not counts"),
        (1, True, "Expected: `bool`"),
        (1.0, 1, "Expected: `int`"),
        (np.int64(1), 1, "Got: `numpy.int64`"),
        (T(1), 1, "take it out with `.item()`"),
        (T(True), True, "take it out with `.item()`"),
        (T([1, 2]), 1, "reduce it, then `.item()`"),
        (T([1, 2]), "a", "Got: `torch.Tensor`: tensor([1, 2])"),
        (T([1, 2]), None, "Expected: None"),
        (None, 1, "Is a `return` missing?"),
        ("float32", torch.float32, "Expected: `torch.dtype`"),
        (0.1 + 0.2, 0.3, "Got: 0.30000000000000004"),
        ([1, 2], [1, 3], "The value of `[1]` of the result is wrong."),
        ((1, 2), [1, 2], "Expected: `list`"),
        ((True, 2), (1, 2), "Expected: `int`"),
        (float("inf"), 1.0, "Got: inf"),
        (1.0, float("inf"), "Got: 1.0"),
        (float("nan"), 1.0, "Got: nan"),
        (1.0, float("nan"), "Got: 1.0"),
        (True, 1.0, "Expected: `float`"),
        ("a", 1.0, "Expected: `float`"),
        ("a", 1j, "Expected: `complex`"),
    ],
)
def test_unequal_plain_values_have_their_message(got, want, words):
    assert words in says(lens.expect_equal, got, want)


def test_a_number_may_be_close():
    assert not says(lens.expect_close, 0.1 + 0.2, 0.3)
    assert says(lens.expect_close, 0.31, 0.3)
    assert says(lens.expect_close, float("inf"), 1.0)
    assert says(lens.expect_close, float("-inf"), float("inf"))
    assert says(lens.expect_close, 1.0, float("inf"))
    assert says(lens.expect_close, True, 1.0)


# --- gradients ---------------------------------------------------------------------------------


def test_a_gradient_is_compared():
    w = torch.ones(2, requires_grad=True)
    (3 * w).sum().backward()
    assert not says(lens.expect_grad, w, T([3.0, 3.0]))
    assert "2 of 2 elements of `.grad` differ" in says(lens.expect_grad, w, T([2.0, 2.0]))
    assert "The shape of `.grad`" in says(lens.expect_grad, w, T(2.0))
    assert "A gradient has arrived" in says(lens.expect_grad, w, None)
    assert "shape of `w.grad`" in says(lens.expect_grad, w, T(2.0), what="`w.grad`")


def test_a_missing_gradient_has_its_own_message():
    w = torch.ones(2, requires_grad=True)
    assert not says(lens.expect_grad, w, None)
    assert "Was `backward()` called" in says(lens.expect_grad, w, torch.ones(2))
    assert "Only leaves keep their gradient" in says(lens.expect_grad, 2 * w, torch.ones(2))
    assert "`requires_grad=False`" in says(lens.expect_grad, torch.ones(2), torch.ones(2))
    assert "Is a `return` missing?" in says(lens.expect_grad, None, torch.ones(2))


def test_requires_grad():
    w = torch.ones(2, requires_grad=True)
    assert not says(lens.expect_requires_grad, w)
    assert not says(lens.expect_requires_grad, w.detach(), False)
    assert "what cuts the graph" in says(lens.expect_requires_grad, w.detach())
    assert "`torch.no_grad()`" in says(lens.expect_requires_grad, w, False)
    assert "Is a `return` missing?" in says(lens.expect_requires_grad, None)
