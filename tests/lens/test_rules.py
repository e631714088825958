import operator

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import lens
from lens.outcomes import CheckFailed, NotAttempted
from lens.rules import public_name

from .notebook import STUB, Notebook, answer
from .test_expect import says

T = torch.tensor
WHY = "It is the other one. || 是另一个。"

# --- known mistakes ----------------------------------------------------------------------------

MISTAKES = [
    (T([1.0, 2.0]), T([1.0, 2.0])),
    (T([1.0, 2.0]), T([1.0, 2.0 + 1e-7])),
    (nn.Parameter(T([1.0])), T([1.0])),
    ((T(1), 2), (T(1), 2)),
    (3, 3),
    ("a", "a"),
    (None, None),
    (T([1]), lambda y: y.dtype == torch.int64),
    (T([1]), lambda y: (y == 1).all()),
    (T([1]), T(1) == 1),
    (T([1]), True),
    (T(True), T(True)),
    (None, T(1) == 1),
]
OTHERS = [
    (T([1.0, 2.0]), T([1.0, 3.0])),
    (T([1.0, 1.0]), T(1.0)),
    (T([[1.0], [1.0]]), T([1.0, 1.0])),
    (T([1.0]), T([1.0], dtype=torch.float64)),
    (T([1]), T([1.0])),
    (None, T([1.0])),
    (3.0, T(3.0)),
    ("a", T([1.0])),
    (1, 1.5),
    (True, 1),
    (T([1, 2]), 1),
    (T([1.0]), (T([1.0]),)),
    (None, lambda y: y.dtype == torch.int64),
    (T([1]), lambda y: y.nonsense),
    (T([1, 2]), lambda y: y == 1),  # ambiguous: an error, so no match
    (T([1]), False),
    (T([1]), T([True])),
    (T([1]), T(1) == 2),
    (T(False), T(True)),
]


@pytest.mark.parametrize(("got", "wrong"), MISTAKES)
def test_a_known_mistake_gets_its_own_message(got, wrong):
    message = says(lens.expect_not, got, wrong, WHY)
    assert message.startswith("✗ failed. It is the other one.\n")
    assert "Got: " in message


@pytest.mark.parametrize(("got", "wrong"), OTHERS)
def test_what_is_not_that_mistake_passes(got, wrong):
    assert says(lens.expect_not, got, wrong, WHY) == ""


def test_the_dtype_can_be_left_out():
    wrong = T([1.0], dtype=torch.float64)
    assert says(lens.expect_not, T([1.0]), wrong, WHY, same_dtype=False)
    assert says(lens.expect_not, T([1]), wrong, WHY, same_dtype=False)
    assert not says(lens.expect_not, T([2]), wrong, WHY, same_dtype=False)
    assert says(lens.expect_not, T([1]), wrong + 1e-9, WHY, same_dtype=False)
    assert says(lens.expect_not, T([1 + 0j]), wrong + 1e-9, WHY, same_dtype=False)


def test_a_predicate_s_own_interrupt_is_not_swallowed():
    def interrupted(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lens.expect_not(1, interrupted, WHY)


# --- errors that are wanted, errors that are known ----------------------------------------------

TEST = "f = lens.attempt('f')\nwith lens.{}:\n    f(torch.ones(3))"
WANTED = TEST.format("expect_raises(ValueError, text='shape')")


def test_the_wanted_error_passes():
    assert Notebook().says(answer("raise ValueError('wrong shape')"), WANTED) == "passed"
    with lens.expect_raises((ValueError, TypeError)):
        raise TypeError


@pytest.mark.parametrize(
    ("body", "got"),
    [
        ("return x", "Got: no error"),
        ("raise TypeError('shape')", "Got: TypeError: shape"),
        ("raise ValueError('size')", "Got: ValueError: size"),
    ],
)
def test_another_error_or_none_fails(body, got):
    message = Notebook().says(answer(body), WANTED)
    assert message.startswith("CheckFailed ✗ f: failed. An error was due here.")
    assert "Expected: `ValueError`: shape" in message and got in message
    assert "Call: f(tensor([1., 1., 1.]))" in message
    assert "Next: Check the inputs first" in message


def test_why_the_error_is_wanted_can_be_told():
    test = TEST.format("expect_raises(ValueError, 'Refuse it. || 应拒绝。')")
    assert "Next: Refuse it." in Notebook().says(answer("return x"), test)


def test_what_is_no_error_of_the_answer_passes_through():
    wanted = "with lens.expect_raises(NotImplementedError):\n    lens.attempt('f')"
    assert isinstance(Notebook().outcome(STUB, wanted), NotAttempted)
    assert "is not defined here" in Notebook().says(wanted)
    failing = "with lens.expect_raises(Exception):\n    lens.expect_equal(1, 2)"
    assert "The value of the result is wrong" in Notebook().says(failing)


def test_a_known_error_is_explained_and_stays_raised():
    test = TEST.format("on_error(RuntimeError, 'A view needs strides. || 视图。', text='invalid')")
    message = Notebook().says(answer("return x.view(2, 2)"), test)
    assert message.startswith(
        "AnswerRaised ⚠ f: raised an error. A view needs strides.\n  Call: f(tensor("
    )
    assert "Error: RuntimeError: shape '[2, 2]' is invalid" in message
    assert "A view" not in Notebook().says(answer("return x @ x[:2]"), test)
    assert "A view" not in Notebook().says(answer("raise ValueError('invalid')"), test)
    assert Notebook().says(answer("return x"), test) == "passed"


def test_a_known_error_outside_an_attempt_is_explained_too():
    test = "with lens.on_error(ZeroDivisionError, 'Not by zero.'):\n    f(1)"
    message = Notebook().says(answer("return 1 / 0"), "lens.attempt('f')\n" + test)
    assert message.startswith("AnswerRaised ⚠ f: raised an error. Not by zero.")
    assert "Your line: line 2 of its cell in `f`: `return 1 / 0`" in message
    with pytest.raises(KeyError):
        Notebook().run(answer("return {}[1]"), test)
    with pytest.raises(ZeroDivisionError):
        Notebook().run(answer("return 1 / 0"), test.replace("'Not", "text='no', why='Not"))


# --- forbidden operations ----------------------------------------------------------------------


def x():
    return torch.ones(3, 3)


def in_place(t):
    t += 1


FORMS = [
    ("softmax", lambda: torch.softmax(x(), 0), "torch.softmax"),
    ("torch.softmax", lambda: x().softmax(0), "Tensor.softmax"),
    ("Tensor.softmax", lambda: F.softmax(x(), 0), "torch.nn.functional.softmax"),
    ("softmax", lambda: nn.Softmax(0)(x()), "torch.nn.functional.softmax"),
    ("Tensor.view", lambda: x().view(9), "Tensor.view"),
    ("matmul", lambda: x() @ x(), "Tensor.matmul"),
    ("T", lambda: x().T, "Tensor.T"),
    ("add", lambda: 1 + x(), "Tensor.add"),
    ("add", lambda: in_place(x()), "Tensor.add_"),
    ("add_", lambda: in_place(x()), "Tensor.add_"),
    ("sub", lambda: 1 - x(), "Tensor.__rsub__"),
    ("pow", lambda: 2 ** x(), "Tensor.__rpow__"),
    ("pow_", lambda: operator.ipow(x(), 2), "Tensor.__ipow__"),
    ("or", lambda: x().bool() | x().bool(), "Tensor.__or__"),
    ("bitwise_or", lambda: x().bool() | x().bool(), "Tensor.__or__"),
    ("bitwise_not", lambda: ~x().bool(), "Tensor.__invert__"),
    ("remainder", lambda: 2 % x(), "Tensor.__rmod__"),
    ("__getitem__", lambda: x()[0], "Tensor.__getitem__"),
    ("relu", lambda: x().relu_(), "Tensor.relu_"),
    ("numpy", lambda: x().numpy(), "Tensor.numpy"),
    ("torch.autograd.grad", lambda: grad(), "torch.autograd.grad"),
]


def grad():
    t = x().requires_grad_()
    return torch.autograd.grad(t.sum(), t)


@pytest.mark.parametrize(("name", "act", "called"), FORMS)
def test_a_forbidden_operation_is_found_in_every_form(name, act, called):
    with pytest.raises(CheckFailed) as caught, lens.forbid(name):
        act()
    message = str(caught.value)
    assert f"A rule of this exercise: without `{name}`." in message
    assert f"Got: a call of `{called}`" in message
    act()  # and allowed again afterwards


@pytest.mark.parametrize(
    ("name", "act"),
    [
        ("softmax", lambda: x().log_softmax(0)),
        ("add_", lambda: x() + 1),
        ("mm", lambda: x() @ x()),
        ("grad", grad),
        ("isclose", lambda: lens.expect_close(x(), x())),
    ],
)
def test_other_operations_are_free(name, act):
    with lens.forbid(name):
        act()


def test_the_checks_and_the_record_of_calls_use_no_forbidden_operation():
    names = (
        "'isclose', 'repr', '__repr__', 'detach', 'item', 'clone', 'to', 'any', 'nonzero', 'sort'"
    )
    test = (
        f"f = lens.attempt('f')\nx = torch.ones(3)\nwith lens.forbid({names}):\n"
        "    y = f(x)\n    lens.expect_close(y, x)\n    lens.expect_copy(y, torch.ones(1))\n"
        "    lens.expect_not(y, torch.zeros(3), 'no')\n    lens.expect_view_of(y, x)\n"
        "    with lens.expect_unchanged(x): f(x)\n"
    )
    assert Notebook().says(answer("return x"), test) == "passed"


def test_a_forbidden_operation_is_stopped_at_once():
    reached = []
    with pytest.raises(CheckFailed), lens.forbid("exp", "log"):
        reached.append(x().log())
    assert reached == []


def test_an_answer_that_swallows_the_report_is_found_at_the_end():
    body = "try:\n    return x.softmax(0)\nexcept Exception:\n    return x.exp() / x.exp().sum()"
    test = TEST.format("forbid('softmax', why='By hand. || 手写。')")
    message = Notebook().says(answer(body), test)
    assert message.startswith(
        "CheckFailed ✗ f: failed. A rule of this exercise: without `softmax`."
    )
    assert "Next: By hand." in message and "Call: f(tensor([1., 1., 1.]))" in message


@pytest.mark.parametrize("name", ["sofmax", "nand", "Tensor.nonsense", "numpy.dot_"])
def test_a_rule_that_would_forbid_nothing_is_the_author_s_error(name):
    with pytest.raises(ValueError, match=name), lens.forbid(name):
        pass


def test_names_are_the_ones_that_readers_know():
    assert public_name(torch.Tensor.view) == "Tensor.view"
    assert public_name(torch.softmax) == "torch.softmax"
    assert public_name(torch.Tensor.T.__get__) == "Tensor.T"
    assert public_name(torch.autograd.grad) == "torch.autograd.grad"
