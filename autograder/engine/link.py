"""A client's end of the connection to one forked kernel."""

import asyncio
import contextlib
import json
import socket
from collections.abc import Callable

from autograder.engine import wire

LINE = 1 << 20  # bytes of a line of the server's: a witness's text is escaped in it
LOST = {
    "exit": -9,
    "why": "",
    "error": "the fork server ended, and the kernel with it",
    "cpu": 0.0,
}


class Link:
    """Keeps what the server said. Usable from one event loop after the other, not from two at once.

    jupyter_client's blocking managers let a loop run only during their calls.
    """

    def __init__(self, address: str):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.socket.connect(address)
        except OSError as error:
            self.socket.close()
            raise RuntimeError(
                f"expected a fork server at {address}, got {error}. It has ended: start it again, "
                "or unset AUTOGRADER_FORK_SERVER."
            ) from error
        self.socket.setblocking(False)
        self.pid: int | None = None
        self.refusal = ""  # why there is no kernel
        self.ended: dict | None = None
        self.testimony: list[str | None] = []  # what the witness answered
        self._lines = wire.Lines(LINE)
        self._waiting: list[asyncio.Future] = []

    def send(self, message: dict, descriptors: list[int] | None = None) -> None:
        """Send a message; nothing where the other side is gone, which shows when reading."""
        with contextlib.suppress(OSError):
            if descriptors:
                socket.send_fds(self.socket, [wire.encode(message)], descriptors)
            else:
                self.socket.sendall(wire.encode(message))

    def read(self) -> None:
        """Take in what has arrived, without waiting."""
        while self.socket.fileno() >= 0:
            try:
                data = self.socket.recv(1 << 16)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if not data:
                self.close()
                return
            for line in self._lines.feed(data):
                self._hear(wire.decode(line))

    def _hear(self, message: dict) -> None:
        if "pid" in message:
            self.pid = message["pid"]
        elif "witness" in message:
            self.testimony.append(message["witness"])
        elif "exit" in message:
            self.ended = message
        else:
            self.refusal = message["error"]
        self._wake()

    def _wake(self) -> None:
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)

    async def wait(self, done: Callable[[], bool], timeout: float | None = None) -> None:
        """Wait until `done`; raises TimeoutError after `timeout` seconds."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(timeout):
            self.read()
            while not done():
                waiting = loop.create_future()
                self._waiting.append(waiting)
                loop.add_reader(self.socket, self.read)
                try:
                    await waiting
                finally:
                    self._waiting.remove(waiting)
                    if not self._waiting and self.socket.fileno() >= 0:
                        loop.remove_reader(self.socket)

    def close(self) -> None:
        """Hang up: the server ends the kernel where that is still alive."""
        if self.socket.fileno() < 0:
            return
        if self._waiting:
            self._waiting[0].get_loop().remove_reader(self.socket)
        self.socket.close()
        if self.ended is None:
            self.ended = dict(LOST)
        self._wake()


def parse_testimony(text: str | None) -> dict | None:
    """A witness's answer, which a learner's code may have forged; None where it is no object."""
    try:
        answer = json.loads(text or "null")
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None
