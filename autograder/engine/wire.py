"""What the fork server and its clients say to each other: short JSON lines over a Unix socket.

client -> {"launch": {"level": ..., "limits": ...}}, with the descriptors LAUNCH names, once
client -> {"signal": n} | {"budget": {"cpu": s, "wall": s}} | {"inspect": "nonce"}
server -> {"pid": n} | {"witness": text or null} | {"exit": status, "why", "error", "cpu"}
server -> {"error": text}, where it forks no kernel

What only the kernel needs (its key, environment, files) travels in a memory file that the server
hands on unread: nothing of one submission stays in the server's memory for the next one to find.
"""

import json
import os
import socket
from array import array

CHANNELS = ("shell", "iopub", "stdin", "control", "hb")
LAUNCH = ("body", *CHANNELS)  # the descriptors that come with a launch, in this order
LINE = 1 << 16  # bytes; a longer line ends its connection
LONGEST_PATH = 107  # bytes of a Unix socket's path


class Garbage(ValueError):
    """The other side sent what is no message."""


class Lines:
    """Whole lines out of a stream that arrives in pieces; a line too long raises Garbage."""

    def __init__(self, longest: int = LINE):
        self._longest = longest
        self._pieces = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        self._pieces += data
        *lines, rest = self._pieces.split(b"\n")
        if max(map(len, (*lines, rest))) > self._longest:
            raise Garbage(f"expected lines of at most {self._longest} bytes")
        self._pieces = rest
        return [bytes(line) for line in lines]


def encode(message: dict) -> bytes:
    return json.dumps(message).encode() + b"\n"


def decode(line: bytes) -> dict:
    """A message: a JSON object that is not empty. Raises Garbage."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Garbage(f"expected a line of JSON, got {line[:60]!r}") from error
    if not isinstance(message, dict) or not message:
        raise Garbage(f"expected a JSON object, got {line[:60]!r}")
    return message


def write_body(body: dict) -> int:
    """A memory file with the body of a launch; returns its descriptor."""
    body_file = os.memfd_create("launch", os.MFD_CLOEXEC)
    with open(body_file, "w", closefd=False) as writing:
        json.dump(body, writing)
    return body_file


def read_body(body_file: int) -> dict:
    """What `write_body` wrote; closes the descriptor."""
    with open(body_file) as reading:
        reading.seek(0)
        return json.load(reading)


def receive(connected: socket.socket) -> tuple[bytes, list[int]]:
    """What has arrived, and the descriptors that came with it; `socket.recv_fds` lets programs
    that are started later inherit them."""
    room = socket.CMSG_SPACE(4 * len(LAUNCH))
    data, ancillary, _, _ = connected.recvmsg(LINE, room, socket.MSG_CMSG_CLOEXEC)
    descriptors = array("i")
    for level, kind, content in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            descriptors.frombytes(content[: len(content) // 4 * 4])
    return data, descriptors.tolist()


def listen(path: str) -> socket.socket:
    """A listening Unix socket that only this user reaches. Raises ValueError for a long path."""
    if len(os.fsencode(path)) > LONGEST_PATH:
        raise ValueError(
            f"expected a socket's path of at most {LONGEST_PATH} bytes, got {path!r}. "
            "Set TMPDIR to a shorter folder."
        )
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listening.bind(path)
        os.chmod(path, 0o600)
        listening.listen(128)
    except OSError:
        listening.close()
        raise
    return listening
