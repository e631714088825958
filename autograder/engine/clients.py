"""One connection to the fork server, and what its client asks for."""

import os
import signal
import socket
import sys
import time
from typing import Protocol

from autograder.engine import preload, wire
from autograder.engine.forked import Forked
from autograder.limits import Limits
from autograder.sandbox import ServerSandbox


class Forks(Protocol):
    """What a connection needs of the server."""

    sandbox: ServerSandbox

    def fork(self, client: "Client", limits: Limits | None) -> Forked: ...

    def forget(self, watched: socket.socket) -> None: ...


def complain(sentence: str) -> None:
    print(f"fork server: {sentence}", file=sys.stderr, flush=True)


class Client:
    """One connection, and the kernel that it launched."""

    def __init__(self, server: Forks, connected: socket.socket):
        self.server, self.socket = server, connected
        self.lines = wire.Lines()
        self.descriptors: list[int] = []
        self.kernel: Forked | None = None

    def read(self) -> None:
        """Act on what has arrived. Garbage ends this connection, and with it its kernel."""
        try:
            data, descriptors = wire.receive(self.socket)
            self.descriptors += descriptors
            if not data:
                return self.close()
            for line in self.lines.feed(data):
                self.act(wire.decode(line))
        except BlockingIOError:
            return None
        except OSError:
            self.close()
        except (wire.Garbage, KeyError, TypeError, ValueError) as error:
            complain(f"closed a connection: {type(error).__name__}: {error}")
            self.close()

    def act(self, message: dict) -> None:
        if "launch" in message:
            self.launch(message["launch"])
        elif self.kernel is None:
            raise wire.Garbage(f"expected a launch first, got {message}")
        elif "signal" in message:
            self.kernel.signal(signal.Signals(message["signal"]))
        elif "budget" in message:
            budget = message["budget"]
            self.kernel.allowance.start_cell(
                float(budget["cpu"]), float(budget["wall"]), time.monotonic()
            )
        elif "inspect" in message:
            self.kernel.ask(str(message["inspect"]))
        else:
            raise wire.Garbage(f"expected one of wire's messages, got {message}")

    def launch(self, wanted: dict) -> None:
        if self.kernel is not None or len(self.descriptors) != len(wire.LAUNCH):
            raise wire.Garbage("expected one launch a connection, with its descriptors")
        level = self.server.sandbox.level
        limits = Limits.from_json(wanted["limits"]) if wanted["limits"] else None
        try:
            if wanted["level"] != level:
                raise preload.UnsafeFork(f"this server gives {level}, not {wanted['level']}")
            self.kernel = self.server.fork(self, limits)
        except (OSError, preload.UnsafeFork) as error:
            complain(f"no kernel: {error}")
            self.tell({"error": f"{type(error).__name__}: {error}"})
        else:
            self.tell({"pid": self.kernel.pid})
        finally:
            self.drop_descriptors()

    def tell(self, message: dict) -> None:
        """Send a message; a client that reads none is gone."""
        try:
            self.socket.sendall(wire.encode(message))
        except OSError:
            self.close()

    def drop_descriptors(self) -> None:
        while self.descriptors:
            os.close(self.descriptors.pop())

    def close(self) -> None:
        self.server.forget(self.socket)
        self.drop_descriptors()
        if self.kernel is not None:
            self.kernel.kill("killed")
