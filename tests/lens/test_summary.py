import numpy as np
import pytest
import torch
from torch import nn

from lens.calls import begin_call
from lens.summary import LONG, SMALL, number, summarise, type_name

CASES = [
    (torch.tensor([[1.0], [2.0]]), "tensor([[1.], [2.]])"),
    (nn.Parameter(torch.ones(1)), "tensor([1.])"),
    (torch.ones(SMALL + 1), f"tensor(shape=({SMALL + 1},), dtype=float32)"),
    (torch.eye(2).to_sparse(), "tensor(shape=(2, 2), dtype=float32, layout=torch.sparse_coo)"),
    (torch.ones(2, device="meta"), "tensor(shape=(2,), dtype=float32, device='meta')"),
    (np.arange(2), "array([0, 1])"),
    (np.ones(SMALL + 1), f"array(shape=({SMALL + 1},), dtype=float64)"),
    (torch.Size([2, 3]), "(2, 3)"),
    ([1, 2, 3, 4, 5, 6], "[1, 2, 3, 4, 5, 6]"),
    ([1, 2, 3, 4, 5, 6, 7], "[1, 2, 3, 4, 5, 6, …]"),
    ((1,), "(1,)"),
    ((), "()"),
    ({i: i for i in range(7)}, "{0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, …}"),
    (nn.Linear(2, 2), "Linear(…)"),
    (torch.float32, "torch.float32"),
    (torch.sin, "sin"),
    (object(), "<object>"),
    (None, "None"),
    ("a", "'a'"),
    ("a" * (LONG - 2), repr("a" * (LONG - 2))),
    ("a" * LONG, "'" + "a" * (LONG - 2) + "…"),
]


@pytest.mark.parametrize(("value", "text"), CASES, ids=[text[:40] for _, text in CASES])
def test_a_value_is_summarised_in_one_line(value, text):
    assert summarise(value) == text


def test_the_largest_small_tensor_is_written_out():
    assert summarise(torch.zeros(SMALL, dtype=torch.int64)).startswith("tensor([0, 0,")
    assert summarise(np.zeros(SMALL, dtype=np.int64)).startswith("array([0, 0,")


def test_a_nest_that_does_not_end_is_cut():
    nest: list = []
    nest.append(nest)
    assert summarise(nest) == "[[[[[...]]]]]"


def test_a_value_that_cannot_show_itself_is_named_by_its_type():
    class Shy:
        def __repr__(self):
            raise ValueError

    assert summarise(Shy()) == "<Shy>"


def test_types_have_the_names_that_learners_write():
    kinds = [torch.Tensor, np.ndarray, float, nn.Linear, torch.dtype, nn.Parameter]
    names = ["torch.Tensor", "numpy.ndarray", "float", "nn.Linear", "torch.dtype", "nn.Parameter"]
    assert [type_name(kind) for kind in kinds] == names


def test_a_number_has_the_digits_of_its_dtype():
    assert number(torch.tensor(0.1)) == "0.1"
    assert number(torch.tensor(1 / 3)) == "0.33333334"
    assert number(torch.tensor(1 / 3, dtype=torch.float64)) == "0.3333333333333333"
    assert number(torch.tensor(7)) == "7"
    assert number(torch.tensor(True)) == "True"
    assert number(torch.tensor(1j)) == "1j"


def test_what_went_in_is_written_out_to_a_smaller_size_than_what_came_out():
    sixteen = torch.arange(16)
    assert begin_call("f", (sixteen,), {}).text == "f(tensor(shape=(16,), dtype=int64))"
    assert summarise(sixteen).startswith("tensor([ 0,")
