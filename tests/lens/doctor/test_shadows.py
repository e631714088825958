import ast

import pytest
import torch
from torch import nn

from lens.doctor.names import Reader
from lens.doctor.shadows import Unclear, shadow


def shade(text, **names):
    reader = Reader(None)
    reader.names = reader.names.new_child({"torch": torch, "nn": nn, **names})
    return shadow(reader, ast.parse(text, mode="eval").body)


def test_shapes_come_out_without_numbers():
    assert shade("x.t() @ torch.rand(2, 5)", x=torch.ones(2, 3)).shape == (3, 5)
    assert shade("net(x)", net=nn.Linear(3, 4), x=torch.ones(2, 3)).shape == (2, 4)
    assert shade("x.max(1).values", x=torch.ones(2, 3)).is_meta


def test_torch_itself_says_what_does_not_fit():
    with pytest.raises(RuntimeError):
        shade("x @ x", x=torch.ones(2, 3))


def test_no_random_number_is_drawn():
    before = torch.get_rng_state()
    shade("nn.Dropout()(torch.rand(3, 4))")
    shade("nn.Linear(3, 4)(torch.randn(2, 3))")
    assert torch.equal(torch.get_rng_state(), before)


def test_nothing_of_the_learners_changes():
    net = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    calls = []
    net.register_forward_hook(lambda *given: calls.append(given))
    before = {name: value.clone() for name, value in net.state_dict().items()}
    x = torch.ones(4, 3)
    shade("net(x.add_(1))", net=net, x=x)
    assert calls == []
    assert all(torch.equal(net.state_dict()[name], value) for name, value in before.items())
    assert x.eq(1).all()


def test_functions_and_models_of_the_learners_do_not_run():
    class Net(nn.Module):
        def forward(self, x):
            raise AssertionError("it ran")

    def own(x):
        raise AssertionError("it ran")

    for text in ("net(x)", "own(x)", "torch.manual_seed(0)", "print(x)", "x.item()"):
        with pytest.raises(Unclear):
            shade(text, net=Net(), own=own, x=torch.ones(1))
