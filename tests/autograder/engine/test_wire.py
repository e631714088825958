"""Messages between the fork server and its clients."""

import os
import socket

import pytest

from autograder.engine import wire


def test_lines_arrive_whole_however_they_are_cut():
    lines = wire.Lines()
    assert [lines.feed(piece) for piece in (b'{"a"', b": 1}\n{", b"}\n")] == [
        [],
        [b'{"a": 1}'],
        [b"{}"],
    ]


def test_a_line_that_is_too_long_is_garbage_before_it_ends():
    lines = wire.Lines(10)
    lines.feed(b"x" * 10)
    with pytest.raises(wire.Garbage, match="at most 10 bytes"):
        lines.feed(b"x")


@pytest.mark.parametrize("line", [b"", b"no json", b"[]", b"{}", b"[" * 60_000, b"\xff"])
def test_what_is_no_message_is_garbage(line):
    with pytest.raises(wire.Garbage):
        wire.decode(line)


def test_a_body_travels_through_memory():
    assert wire.read_body(wire.write_body({"key": "矩"})) == {"key": "矩"}


def test_descriptors_that_arrive_are_not_inherited_by_programs():
    here, there = socket.socketpair()
    with here, there:
        socket.send_fds(there, [b"x"], [0, 1])
        data, descriptors = wire.receive(here)
    assert data == b"x" and [os.get_inheritable(each) for each in descriptors] == [False, False]
    for each in descriptors:
        os.close(each)


def test_a_socket_whose_path_is_too_long_says_what_to_do(tmp_path):
    with pytest.raises(ValueError, match="TMPDIR"):
        wire.listen(str(tmp_path / ("x" * 100)))
