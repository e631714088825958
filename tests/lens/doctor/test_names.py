import ast
import inspect

import torch
from torch import nn

from lens.doctor.names import UNKNOWN, Reader


def read(text, **names):
    locals().update(names)
    frame = inspect.currentframe()
    reader = Reader(frame)
    reader.names = reader.names.new_child(names)
    return reader.read(ast.parse(text, mode="eval").body)


class Trap:
    def __init__(self):
        self.plain = 3

    @property
    def loud(self):
        raise AssertionError("it ran")

    def __getattr__(self, name):
        raise AssertionError("it ran")

    def __getitem__(self, key):
        raise AssertionError("it ran")


class Loud(torch.Tensor):
    @classmethod
    def __torch_function__(cls, *args, **kwargs):
        raise AssertionError("it ran")


def test_names_attributes_and_items_of_plain_objects_are_read():
    x = torch.ones(2, 3)
    assert read("x", x=x) is x
    assert read("trap.plain", trap=Trap()) == 3
    assert read("parts[1]", parts=[1, 2]) == 2
    assert read("d['a'].T", d={"a": x}).shape == (3, 2)
    assert read("x[:, 0]", x=x).shape == (2,)
    assert read("n // 2 * 3", n=7) == 9


def test_parameters_and_layers_of_a_model_are_read():
    net = nn.Sequential(nn.Linear(2, 3))
    assert read("net[0].weight", net=net) is net[0].weight


def test_no_property_no_getattr_and_no_getitem_of_the_learners_runs():
    for text in ("trap.loud", "trap.other", "trap[0]", "trap()", "trap + trap"):
        assert read(text, trap=Trap()) is UNKNOWN


def test_a_tensor_of_a_class_of_the_learners_is_left_alone():
    loud = torch.ones(2).as_subclass(Loud)
    assert read("loud.T", loud=loud) is UNKNOWN
    assert read("loud[0]", loud=loud) is UNKNOWN


def test_calls_are_not_read():
    assert read("print('x')") is UNKNOWN
    assert read("x.float()", x=torch.ones(1)) is UNKNOWN
