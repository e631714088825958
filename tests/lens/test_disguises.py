"""Objects that only pretend: a check looks at what a result is, not at what it says of itself."""

import sys

import pytest
import torch

import lens
from lens import CheckFailed


class Spoof:
    """`isinstance` takes it for a tensor; it equals everything."""

    __class__ = torch.Tensor
    layout, device, dtype, shape = torch.strided, torch.device("cpu"), torch.float32, (2,)

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __getattr__(self, name):
        return lambda *args, **kwargs: self


class Fetching(torch.Tensor):
    """A tensor whose conversions give what is wanted, out of the frame that compares."""

    def to(self, *args, **kwargs):
        frame = sys._getframe(1)
        while frame and "want" not in frame.f_locals:
            frame = frame.f_back
        return frame.f_locals["want"].to(*args, **kwargs)

    def any(self):
        return torch.tensor(False)


def test_what_only_says_that_it_is_a_tensor_is_none():
    with pytest.raises(CheckFailed, match="type"):
        lens.expect_type(Spoof())
    with pytest.raises(CheckFailed, match="type"):
        lens.expect_close(Spoof(), torch.zeros(2))


def test_a_class_of_its_own_cannot_change_how_a_tensor_is_compared():
    disguised = torch.ones(2).as_subclass(Fetching)
    with pytest.raises(CheckFailed, match="2 of 2 elements"):
        lens.expect_close(disguised, torch.zeros(2))
    lens.expect_close(disguised, torch.ones(2))


def test_parameters_and_sparse_tensors_are_tensors():
    lens.expect_close(torch.nn.Parameter(torch.ones(2)), torch.ones(2))
    lens.expect_close(torch.eye(2).to_sparse(), torch.eye(2).to_sparse())
