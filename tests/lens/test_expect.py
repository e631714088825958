import numpy as np
import pytest
import torch
from torch import nn

import lens
from lens.language import speak
from lens.outcomes import CheckFailed

T = torch.tensor


def says(expect, *args, **options) -> str:
    """The message of a failed check; "" where it holds."""
    try:
        expect(*args, **options)
    except CheckFailed as failed:
        return str(failed)
    return ""


# --- order -------------------------------------------------------------------------------------

ORDER = [  # each differs from the wanted in everything that is checked later, too
    ("None", None, "There is `None` where the result should be."),
    ("type", 3.0, "The type of the result is wrong."),
    ("layout", torch.ones(2, dtype=torch.int64).to_sparse(), "The layout of the result is wrong."),
    ("shape", torch.ones(3, dtype=torch.int64, device="meta"), "The shape of the result is wrong."),
    ("dtype", torch.ones(2, dtype=torch.int64, device="meta"), "The dtype of the result is wrong."),
    ("device", torch.ones(2, device="meta"), "The device of the result is wrong."),
    ("values", torch.ones(2), "2 of 2 elements of the result differ; the first is at [0]."),
]


@pytest.mark.parametrize(
    ("got", "headline"), [each[1:] for each in ORDER], ids=[o[0] for o in ORDER]
)
def test_the_first_difference_is_reported_before_any_later_one(got, headline):
    assert says(lens.expect_close, got, torch.zeros(2)).splitlines()[0] == f"✗ failed. {headline}"


def test_every_message_says_expected_got_and_next():
    for _, got, _ in ORDER:
        lines = says(lens.expect_close, got, torch.zeros(2)).splitlines()[1:]
        assert [line.split(":")[0].strip() for line in lines] == ["Expected", "Got", "Next"]


# --- type, shape, dtype, device ----------------------------------------------------------------


def test_type_holds_for_subclasses_but_a_bool_is_no_int():
    assert not says(lens.expect_type, nn.Parameter(torch.ones(1)))
    assert not says(lens.expect_type, True, bool)
    assert not says(lens.expect_type, True, object)
    assert not says(lens.expect_type, 3, (int, float))
    assert "`True` and `False` are not counts" in says(lens.expect_type, True, int)
    assert "Expected: `int` or `float`" in says(lens.expect_type, "a", (int, float))


@pytest.mark.parametrize(
    ("got", "kind", "step"),
    [
        (None, torch.Tensor, "Is a `return` missing?"),
        (T(3.0), float, "take it out with `.item()`"),
        (torch.ones(3), float, "reduce it, then `.item()`"),
        (np.ones(3), torch.Tensor, "`torch.from_numpy` shares the memory"),
        (3.0, torch.Tensor, "look for an `.item()`"),
        ([T(1)], torch.Tensor, "`torch.stack` or `torch.cat`"),
        ("a", torch.Tensor, "Look at what your `return` gives back."),
        (T(3.0), np.ndarray, "Look at what your `return` gives back."),
        (np.ones(3), str, "Look at what your `return` gives back."),
        ([T(1)], str, "Look at what your `return` gives back."),
        (True, str, "Look at what your `return` gives back."),
        ("a", int, "Look at what your `return` gives back."),
    ],
)
def test_a_wrong_type_has_the_next_step_that_fits(got, kind, step):
    assert step in says(lens.expect_type, got, kind)


def test_shape_takes_none_for_any_size_and_an_int_for_one_axis():
    for shape in [(2, 3), [2, 3], torch.Size([2, 3]), (2, None), (None, None)]:
        assert not says(lens.expect_shape, torch.ones(2, 3), shape)
    assert not says(lens.expect_shape, torch.ones(3), 3)
    assert not says(lens.expect_shape, T(3), ())
    assert not says(lens.expect_shape, np.ones((2, 3)), (2, 3))
    assert "Expected: (3, ?)" in says(lens.expect_shape, torch.ones(2, 3), (3, None))
    assert "Expected: (2, ?, 3)" in says(lens.expect_shape, torch.ones(2, 3), (2, None, 3))
    assert "Is a `return` missing?" in says(lens.expect_shape, None, (2,))


@pytest.mark.parametrize(
    ("got", "want", "step"),
    [
        ((3, 1), (3,), "Only axes of size 1 differ"),
        ((1, 2), (2, 1), "Only axes of size 1 differ"),
        ((3, 2), (2, 3), "their order is not"),
        ((6,), (2, 3), "2 axes are wanted, 1 came"),
        ((2, 4), (2, 3), "Print the shape after every step"),
    ],
)
def test_a_wrong_shape_has_the_next_step_that_fits(got, want, step):
    assert step in says(lens.expect_shape, torch.ones(got), want)
    assert step in says(lens.expect_close, torch.ones(got), torch.ones(want))


def test_nothing_is_broadcast():
    for got, want in [((1,), ()), ((), (1,)), ((3, 1), (3,)), ((1, 3), (3,)), ((0,), (0, 2))]:
        assert "shape" in says(lens.expect_close, torch.ones(got), torch.ones(want))


def test_dtype():
    assert not says(lens.expect_dtype, T(1), torch.int64)
    assert not says(lens.expect_dtype, np.ones(2), np.float64)
    assert "`dtype=torch.float32`" in says(lens.expect_dtype, T(1.0).double(), torch.float32)
    assert "Integers in, integers out" in says(lens.expect_dtype, T(1), torch.float32)
    assert "use `.to`" in says(lens.expect_dtype, T(1.0), torch.int64)
    assert "use `.to`" in says(lens.expect_dtype, T(1), torch.int8)
    assert "use `.to`" in says(lens.expect_dtype, T(1.0).double(), torch.float16)
    assert "use `.to`" in says(lens.expect_dtype, T(1.0).half(), torch.float32)
    assert "Is a `return` missing?" in says(lens.expect_dtype, None, torch.int64)


def test_device():
    assert not says(lens.expect_device, T(1), "cpu")
    assert not says(lens.expect_device, T(1), torch.device("cpu"))
    assert "`device=x.device`" in says(lens.expect_device, T(1), "cuda")
    assert "a shape and no values" in says(lens.expect_device, torch.ones(1, device="meta"), "cpu")
    assert not says(lens.expect_device, torch.ones(1, device="meta"), "meta")
    assert "Is a `return` missing?" in says(lens.expect_device, None, "cpu")


# --- values ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dtype",
    [torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64],
)
def test_the_tolerance_is_that_of_assert_close(dtype):
    want = torch.full((50,), 3.0, dtype=dtype)
    factors = 1 + torch.logspace(-9, -1, 50, dtype=torch.float64)
    for got in (
        (want.to(torch.complex128) * factors).to(dtype)
        if dtype.is_complex
        else (want.double() * factors).to(dtype)
    ):
        try:
            torch.testing.assert_close(got, want[0])
            close = True
        except AssertionError:
            close = False
        assert bool(says(lens.expect_close, got, want[0])) is not close


def test_a_given_tolerance_replaces_the_default():
    assert says(lens.expect_close, T(1.01), T(1.0))
    assert not says(lens.expect_close, T(1.01), T(1.0), rtol=0.1)
    assert not says(lens.expect_close, T(1.01), T(1.0), atol=0.1)
    assert says(lens.expect_close, T(1.000001), T(1.0), rtol=0, atol=0)


@pytest.mark.parametrize(
    "dtype", [torch.int8, torch.uint8, torch.uint16, torch.int64, torch.uint64]
)
def test_integers_are_compared_exactly(dtype):
    a = torch.arange(3).to(dtype)
    assert not says(lens.expect_close, a, a.clone())
    message = says(lens.expect_close, a, T([0, 1, 3]).to(dtype))
    assert "1 of 3 elements" in message and "Expected: 3 at [2] of tensor([0, 1, 3]" in message
    big = T([2**53])
    assert says(lens.expect_close, big, big + 1)


def test_bools_and_float8_are_compared():
    assert says(lens.expect_close, T([True]), T([False]))
    a = torch.ones(2).to(torch.float8_e4m3fn)
    assert not says(lens.expect_close, a, a.clone())
    assert says(lens.expect_close, a, (2 * torch.ones(2)).to(torch.float8_e4m3fn))


def test_nan_and_infinity_are_equal_in_the_same_place_only():
    nan, inf = float("nan"), float("inf")
    assert not says(lens.expect_close, T([nan, inf, 1.0]), T([nan, inf, 1.0]))
    assert "1 of 2" in says(lens.expect_close, T([inf, 1.0]), T([-inf, 1.0]))
    assert "1 of 2" in says(lens.expect_close, T([1.0 + nan * 1j, 1]), T([1.0 + 0j, 1]))
    assert "look for 0/0" in says(lens.expect_close, T([nan, 1.0]), T([2.0, 1.0]))
    assert "look for 0/0" not in says(lens.expect_close, T([2.0, 1.0]), T([nan, 1.0]))


def test_an_empty_tensor_equals_an_empty_tensor_of_its_shape():
    assert not says(lens.expect_close, torch.empty(0, 2), torch.empty(0, 2))
    assert says(lens.expect_close, torch.empty(0, 2), torch.empty(2, 0))


def test_the_first_place_and_both_values_are_shown():
    got, want = torch.zeros(6, 5), torch.zeros(6, 5)
    got[1, 2], got[3, 3] = 7.25, 1
    message = says(lens.expect_close, got, want)
    assert "2 of 30 elements of the result differ; the first is at [1, 2]." in message
    assert "Expected: 0.0 at [1, 2]\n  Got: 7.25 at [1, 2]\n" in message
    assert "Expected: 0.1\n  Got: 0.3\n" in says(lens.expect_close, T(0.3), T(0.1))
    assert "Got: 1.000022" in says(lens.expect_close, T([1.0000221, 1]), T([1.0, 1]))


def test_a_transpose_and_a_permutation_are_recognised():
    square = torch.arange(9.0).reshape(3, 3)
    assert "This is the transpose" in says(lens.expect_close, square.T, square)
    wide = torch.arange(12.0).reshape(3, 4)
    assert "their places are not" in says(lens.expect_close, wide.T.reshape(3, 4), wide)
    assert "their places are not" not in says(lens.expect_close, wide + 1, wide)
    assert "work out this place" in says(lens.expect_close, square + 1, square)
    assert "work out this place" in says(lens.expect_close, T([1j, 2]), T([2, 1j]))
    assert "work out this place" in says(lens.expect_close, T([2.0]), T([1.0]))


def test_parameters_gradients_views_and_strides_do_not_matter():
    want = nn.Parameter(torch.arange(6.0).reshape(2, 3))
    for got in (want * 1, want.detach(), want.detach().T.contiguous().T, nn.Parameter(want.data)):
        assert not says(lens.expect_close, got, want)
    assert says(lens.expect_close, (want + 1), want)


def test_sparse_and_meta_tensors():
    sparse = torch.eye(3).to_sparse()
    assert "`.to_dense()`" in says(lens.expect_close, sparse, torch.eye(3))
    assert "`to_sparse()`" in says(lens.expect_close, torch.eye(3), sparse)
    assert not says(lens.expect_close, sparse, sparse.clone())
    assert "3 of 9" in says(lens.expect_close, 2 * sparse, sparse)
    meta = torch.ones(3, device="meta")
    assert not says(lens.expect_close, meta, meta.clone())


def test_numpy_arrays():
    assert not says(lens.expect_close, np.ones(2), np.ones(2))
    assert "Got: 1.0 at [0] of array([1., 1.])" in says(lens.expect_close, np.ones(2), np.zeros(2))
    assert "The shape" in says(lens.expect_close, np.ones((2, 1)), np.ones(2))
    assert "The dtype" in says(lens.expect_close, np.ones(2, dtype=int), np.ones(2))
    assert "Expected: `numpy.ndarray`" in says(lens.expect_close, torch.ones(2), np.ones(2))
    assert not says(lens.expect_close, np.array(["a"]), np.array(["a"]))
    assert says(lens.expect_close, np.array(["a"]), np.array(["b"]))
    frozen = np.arange(4.0)[::-1]
    frozen.flags.writeable = False
    assert not says(lens.expect_close, frozen, frozen.copy())


def test_a_difference_inside_a_container_has_its_path():
    want = {"a": (T(1.0), [T([1, 2])])}
    assert not says(lens.expect_close, {"a": (T(1.0), [T([1, 2])])}, want)
    message = says(lens.expect_close, {"a": (T(1.0), [T([1, 3])])}, want)
    assert "1 of 2 elements of `['a'][1][0]` of the result differ" in message
    message = says(lens.expect_close, {"a": (T(1.0), [None])}, want)
    assert "There is `None` where `['a'][1][0]` of the result should be." in message
    assert "Add 'a'; remove 'b'." in says(lens.expect_close, {"b": 1}, want)
    assert "Expected: 2 items\n  Got: 1 items: (tensor(1),)" in says(
        lens.expect_close, (T(1),), (T(1), T(2))
    )
    assert "Expected: `tuple`" in says(lens.expect_close, [T(1)], (T(1),))
    assert "Expected: `dict`" in says(lens.expect_close, T(1), want)


def test_the_pair_that_max_returns_is_a_tuple():
    x = T([[1.0, 3.0]])
    assert not says(lens.expect_close, x.max(dim=1), (T([3.0]), T([1])))


def test_what_names_the_thing():
    message = says(lens.expect_close, T(1.0), T(2.0), what="`w.grad`")
    assert "The value of `w.grad` is wrong." in message
    speak("zh")
    message = says(lens.expect_shape, T(1.0), (2,), what="the loss || 损失")
    assert message.startswith("✗ 未通过。损失的形状不对。")
    assert "`w.grad` 的值不对。" in says(lens.expect_close, T(1.0), T(2.0), what="`w.grad`")
    assert "结果的 `[0]` 的值不对。" in says(lens.expect_close, (T(1.0),), (T(2.0),))


def test_a_list_of_numbers_is_told_from_a_list_of_tensors():
    assert "A list is not yet a tensor" in says(lens.expect_close, [1.0, 2.0], torch.ones(2))
    assert "torch.stack" in says(lens.expect_close, [torch.ones(2)], torch.ones(2))
