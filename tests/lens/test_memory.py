"""Which names share a storage, and which of its positions each covers."""

import numpy as np
import pytest
import torch

from lens.memory import Box, storages_of


def test_an_array_and_the_tensor_made_from_it_stand_in_one_row():
    array = np.zeros(3, dtype=np.float32)
    array[1] = 7
    (storage,) = storages_of({"array": array, "tensor": torch.from_numpy(array)})
    assert [box.text for box in storage.values] == ["0.", "7.", "0."]
    assert [strip.positions for strip in storage.strips] == [(0, 1, 2), (0, 1, 2)]
    assert storage.unit == 4


def test_a_copy_stands_in_a_row_of_its_own():
    array = np.arange(3)
    storages = storages_of({"a": array, "copy": torch.tensor(array), "b": torch.from_numpy(array)})
    assert [[strip.name for strip in each.strips] for each in storages] == [["a", "b"], ["copy"]]


def test_a_transpose_covers_the_same_positions_in_another_order():
    x = torch.arange(6).view(2, 3)
    (storage,) = storages_of({"x": x, "t": x.t()})
    assert storage.strips[1].positions == (0, 3, 1, 4, 2, 5)
    assert [box.text for box in storage.strips[1].boxes] == [
        "0,0",
        "1,0",
        "2,0",
        "0,1",
        "1,1",
        "2,1",
    ]


def test_a_part_shows_the_rest_of_its_storage():
    (storage,) = storages_of({"part": torch.arange(10, 15)[1:4:2]})
    assert [box.text for box in storage.values] == ["10", "11", "12", "13", "14"]
    assert storage.strips[0].boxes == (Box(1, 1, "0"), Box(3, 1, "1"))


def test_a_part_of_an_array_shows_the_rest_of_the_array():
    (storage,) = storages_of({"part": np.arange(10, 15)[::-2]})
    assert [box.text for box in storage.values] == ["10", "11", "12", "13", "14"]
    assert storage.strips[0].positions == (4, 2, 0)


def test_elements_on_one_position_are_counted():
    (storage,) = storages_of({"rows": torch.arange(2).expand(3, 2)})
    assert [box.text for box in storage.strips[0].boxes] == ["×3", "×3"]


def test_two_dtypes_on_one_storage_share_the_smaller_cell():
    x = torch.arange(2)
    (storage,) = storages_of({"x": x, "halves": x.view(torch.int32)})
    assert (storage.unit, storage.size) == (4, 4)
    assert storage.values == (Box(0, 2, "0"), Box(2, 2, "1"))
    assert storage.strips[0].boxes[1] == Box(2, 2, "1")
    assert storage.strips[1].boxes[1] == Box(1, 1, "1")


def test_a_bytearray_and_a_tensor_on_it_share():
    buffer = bytearray([1, 0, 2, 0])
    array = np.frombuffer(buffer, dtype=np.uint8)
    (storage,) = storages_of({"a": array, "x": torch.frombuffer(buffer, dtype=torch.int16)})
    assert (storage.unit, storage.size) == (1, 4)


def test_names_that_meet_through_a_third_come_together():
    x = torch.arange(6)
    left, right = torch.from_numpy(x.numpy()[:2]), torch.from_numpy(x.numpy()[4:])
    assert len(storages_of({"left": left, "right": right})) == 2
    assert len(storages_of({"left": left, "right": right, "x": x})) == 1


def test_an_empty_tensor_has_a_storage_without_cells():
    storages = storages_of({"x": torch.empty(0), "y": torch.empty(0), "z": np.empty(0)})
    assert [storage.size for storage in storages] == [0, 0, 0]


def test_a_large_storage_loses_its_middle():
    (storage,) = storages_of({"x": torch.arange(10**6)})
    assert storage.size == 10**6
    assert storage.numbers[-3:] == ("…", "999998", "999999")
    assert len(str(storage)) < 300


def test_a_tensor_that_requires_grad_can_be_drawn():
    w = torch.ones(2, requires_grad=True)
    (storage,) = storages_of({"w": w, "d": w.detach()})
    assert len(storage.strips) == 2


def test_the_meta_device_has_no_memory_to_draw():
    with pytest.raises(ValueError, match="on the meta device"):
        storages_of({"x": torch.empty(2, device="meta")})
