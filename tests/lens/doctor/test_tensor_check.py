import re

import pytest
import torch
from torch import nn

from lens.doctor.check import CheckError, check_gradients, check_inputs, check_loss
from lens.language import speak


def _lines(error):
    return str(error.value).splitlines()


def test_right_inputs_come_back_as_they_are():
    x, y = torch.rand(8, 4), torch.rand(8, 8)
    assert check_inputs(x, shape=(None, 4), dtype=torch.float32, device="cpu") is x
    assert check_inputs(x, y, shape=("n", None)) == (x, y)
    assert check_inputs(torch.tensor([1, 2]), dtype=torch.int64) is not None


@pytest.mark.parametrize(
    ("value", "expected", "says"),
    [
        ([1.0], {}, ["✗ x: type", "Expected: torch.Tensor", "Got: list"]),
        (torch.rand(8, 3), {"shape": (None, 4)}, ["✗ x: shape", "Expected: (*, 4)", "Got: (8, 3)"]),
        (torch.rand(8), {"shape": (None, 4)}, ["Expected: (*, 4)", "Got: (8,)"]),
        (torch.rand(2, 3), {"shape": ("n", "n")}, ["Expected: (n=2, n=2)", "Got: (2, 3)"]),
        (
            torch.rand(2).double(),
            {"dtype": torch.float32},
            ["✗ x: dtype", "Expected: torch.float32", "Got: torch.float64", "x.to(torch.float32)"],
        ),
        (
            torch.rand(2, device="meta"),
            {"device": "cpu"},
            ["✗ x: device", "Expected: cpu", "Got: meta"],
        ),
        (
            torch.tensor([1.0, float("nan"), float("inf")]),
            {},
            ["✗ x: values", "Got: 1 NaN and 1 infinite of 3", "lens.watch()"],
        ),
    ],
)
def test_a_wrong_input_is_told_with_expected_got_and_next(value, expected, says):
    with pytest.raises(CheckError) as error:
        check_inputs(value, name="x", **expected)
    assert all(each in str(error.value) for each in says)
    assert [line.split(":")[0].strip() for line in _lines(error)][1:] == ["Expected", "Got", "Next"]


def test_the_same_letter_stands_for_one_size_in_all_inputs():
    with pytest.raises(CheckError, match=re.escape("input 2: shape")):
        check_inputs(torch.rand(8, 4), torch.rand(6, 4), shape=("n", 4))


def test_numbers_that_are_not_finite_are_let_through_on_request():
    x = torch.tensor([float("nan")])
    assert check_inputs(x, finite=False) is x


def test_a_right_loss_comes_back_as_it_is():
    loss = nn.Linear(2, 1)(torch.rand(3, 2)).mean()
    assert check_loss(loss) is loss
    with torch.no_grad():
        check_loss(torch.tensor(1.0))


@pytest.mark.parametrize(
    ("loss", "says"),
    [
        (torch.rand(3, requires_grad=True) * 1, "Got: (3,)"),
        (torch.tensor(float("nan"), requires_grad=True) * 1, "1 NaN"),
        (torch.tensor(1.0), "grad_fn"),
        (torch.tensor(1.0, requires_grad=True), "grad_fn"),
        (0.5, "Got: float"),
    ],
)
def test_a_wrong_loss_is_told(loss, says):
    with pytest.raises(CheckError, match=re.escape(says)):
        check_loss(loss)


def test_gradients_are_there_and_finite():
    net = nn.Linear(2, 1)
    net(torch.rand(3, 2)).mean().backward()
    assert check_gradients(net) is net
    net.bias.grad.fill_(float("inf"))
    with pytest.raises(CheckError, match="gradient of bias: values"):
        check_gradients(net)


def test_frozen_parameters_need_no_gradient():
    net = nn.Sequential(nn.Linear(2, 2).requires_grad_(False), nn.Linear(2, 1))
    net(torch.rand(3, 2)).mean().backward()
    check_gradients(net)


def test_parameters_without_gradient_are_named():
    net = nn.Sequential(*(nn.Linear(2, 2) for _ in range(3)))
    net[0](torch.rand(3, 2)).mean().backward()
    with pytest.raises(CheckError, match="1.weight, 1.bias, 2.weight, 2.bias: gradient"):
        check_gradients(net)
    with pytest.raises(CheckError, match="ReLU: parameters"):
        check_gradients(nn.ReLU())


def test_the_messages_exist_in_chinese():
    speak("zh")
    with pytest.raises(CheckError) as error:
        check_inputs(torch.rand(8, 3), shape=(None, 4), name="x")
    assert _lines(error)[:3] == ["✗ x：shape", "  期望：(*, 4)", "  得到：(8, 3)"]


def test_a_notebook_shows_the_message_in_place_of_a_traceback():
    with pytest.raises(CheckError) as error:
        check_loss(torch.tensor(1.0))
    assert error.value._render_traceback_() == _lines(error)
