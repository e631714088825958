import random

import numpy as np
import pytest
import torch
from torch import nn

import lens
from lens.outcomes import CheckFailed

from .test_expect import says


def x():
    return torch.arange(6.0).reshape(2, 3)


VIEWS = {
    "itself": lambda t: t,
    "transpose": lambda t: t.T,
    "slice": lambda t: t[1:],
    "expand": lambda t: t[:1].expand(4, 3),
    "detach": lambda t: t.detach(),
    "numpy": lambda t: t.numpy(),
    "there and back": lambda t: torch.from_numpy(t.numpy()),
    "one element": lambda t: t[1, 2],
}
COPIES = {
    "clone": lambda t: t.clone(),
    "contiguous": lambda t: t.T.contiguous(),
    "mask": lambda t: t[t >= 0],
    "list": lambda t: t[[0, 1]],
    "torch.tensor": lambda t: torch.tensor(t.tolist()),
    "numpy copy": lambda t: t.numpy().copy(),
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_a_view_is_a_view_and_no_copy(view):
    base = x()
    assert not says(lens.expect_view_of, view(base), base)
    assert "shares memory with the input" in says(lens.expect_copy, view(base), base)


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_equal_values_are_no_view(copy):
    base = x()
    assert "does not share memory" in says(lens.expect_view_of, copy(base), base)
    assert not says(lens.expect_copy, copy(base), base)


def test_a_numpy_array_can_be_the_base():
    base = np.arange(6.0)
    for view in (torch.from_numpy(base), torch.as_tensor(base)[2:], base[::-1], base.reshape(2, 3)):
        assert not says(lens.expect_view_of, view, base)
        assert says(lens.expect_copy, view, base)
    assert not says(lens.expect_view_of, torch.from_numpy(base[:3]), base[3:])  # one buffer
    for copy in (torch.tensor(base), torch.from_numpy(base[::-1].copy()), base + 0):
        assert says(lens.expect_view_of, copy, base)
        assert not says(lens.expect_copy, copy, base)


def test_empty_and_meta_tensors_share_only_their_own_storage():
    for make in (lambda: torch.empty(0, 3), lambda: torch.ones(3, device="meta")):
        one, other = make(), make()
        assert not says(lens.expect_view_of, one[:], one)
        assert not says(lens.expect_copy, one, other)
        assert says(lens.expect_view_of, one, other)


def test_a_sparse_tensor_shares_nothing():
    assert not says(lens.expect_copy, torch.eye(2).to_sparse(), torch.eye(2).to_sparse())
    assert says(lens.expect_view_of, torch.eye(2).to_sparse(), torch.eye(2))


def test_copies_are_looked_for_inside_containers_and_modules():
    base, layer = x(), nn.Linear(2, 2)
    assert says(lens.expect_copy, {"a": [base.clone(), base[0]]}, base)
    assert says(lens.expect_copy, base[0], [torch.ones(1), base])
    assert says(lens.expect_copy, layer.weight.detach(), layer)
    assert not says(lens.expect_copy, (base.clone(), 3), base, layer)
    assert "Is a `return` missing?" in says(lens.expect_copy, None, base)
    assert "Is a `return` missing?" in says(lens.expect_view_of, None, base)


def unchanged(thing, change) -> str:
    try:
        with lens.expect_unchanged(thing):
            change(thing)
    except CheckFailed as failed:
        return str(failed)
    return ""


def rewrite(thing):
    thing[0] = 9


CHANGES = [
    (x(), lambda t: t.add_(1)),
    (x(), rewrite),
    (x(), lambda t: t.t_()),
    (x(), lambda t: t.resize_(3)),
    (x(), lambda t: t.requires_grad_()),
    (torch.ones(3, 3), lambda t: t.t_().mul_(2)),
    (np.ones(3), rewrite),
    ([x()], lambda items: items[0].zero_()),
    ([1, 2], rewrite),
    ({"a": 1}, lambda d: d.update(b=2)),
    (nn.Linear(2, 2), lambda m: m.weight.data.zero_()),
    (nn.BatchNorm1d(2), lambda m: m(torch.ones(2, 2))),
    (nn.Linear(2, 2), lambda m: m.eval()),
    (nn.Linear(2, 2), lambda m: m.requires_grad_(False)),
    (torch.Generator(), lambda g: torch.rand(1, generator=g)),
]


@pytest.mark.parametrize(("thing", "change"), CHANGES)
def test_a_change_is_seen(thing, change):
    assert not unchanged(thing, lambda _: None)
    message = unchanged(thing, change)
    assert "Your code changed `thing`." in message
    assert "Expected: unchanged" in message


def test_nan_counts_as_unchanged():
    assert not unchanged(torch.tensor([float("nan")]), lambda _: None)


def test_the_message_shows_before_and_after():
    t = torch.ones(2)
    with pytest.raises(CheckFailed) as caught, lens.expect_unchanged(t):
        t += 1
    assert "Your code changed `t`." in str(caught.value)
    assert "Expected: unchanged tensor([1., 1.])\n  Got: tensor([2., 2.])" in str(caught.value)
    square = torch.ones(2, 2)
    with pytest.raises(CheckFailed, match=r"stride=\(1, 2\)"), lens.expect_unchanged(square):
        square.t_()


def test_a_generator_that_moved_shows_no_state():
    message = unchanged(torch.Generator(), lambda g: torch.rand(1, generator=g))
    assert "Expected: unchanged\n  Next:" in message


def test_an_error_inside_is_not_replaced():
    t = torch.ones(2)
    with pytest.raises(ZeroDivisionError), lens.expect_unchanged(t):
        t += 1
        _ = 1 / 0


SEEDS = {
    "torch seed": (lambda: torch.manual_seed(0), "torch changed"),
    "torch draw": (lambda: torch.rand(1), "torch changed"),
    "numpy draw": (lambda: np.random.rand(), "numpy.random changed"),
    "python draw": (lambda: random.random(), "Got: random changed"),
}


@pytest.mark.parametrize(("act", "words"), SEEDS.values(), ids=SEEDS)
def test_a_global_generator_that_moved_is_named(act, words):
    with pytest.raises(CheckFailed, match=words), lens.expect_seed_untouched():
        act()


def test_a_generator_of_its_own_leaves_the_global_ones():
    with lens.expect_seed_untouched():
        torch.rand(3, generator=torch.Generator().manual_seed(1))
        np.random.default_rng(1).random()
        random.Random(1).random()


def test_a_change_in_a_large_tensor_is_shown_at_its_first_place():
    large = torch.zeros(6, 5)
    with pytest.raises(CheckFailed) as caught, lens.expect_unchanged(large):
        large[2, 3] = 7
    assert "Expected: unchanged tensor(shape=(6, 5), dtype=float32), 0.0 at [2, 3]" in str(
        caught.value
    )
    assert "Got: tensor(shape=(6, 5), dtype=float32), 7.0 at [2, 3]" in str(caught.value)
