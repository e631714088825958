"""Doors that nobody should knock at: a TCP port, an abstract socket, a socket with a path."""

import selectors
import socket
import threading
from pathlib import Path


class Listeners:
    """Records every connection in `calls` while the context is open."""

    def __init__(self, abstract: str, path: Path):
        self.calls: list[str] = []
        self.abstract, self.path = abstract, path

    def __enter__(self) -> "Listeners":
        self.selector = selectors.DefaultSelector()
        tcp = self._listen(socket.AF_INET, ("127.0.0.1", 0), "TCP")
        self.port = tcp.getsockname()[1]
        self._listen(socket.AF_UNIX, f"\0{self.abstract}", "abstract socket")
        self._listen(socket.AF_UNIX, str(self.path), "socket with a path")
        self.ending, waker = socket.socketpair()
        self.selector.register(waker, selectors.EVENT_READ, None)
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()
        return self

    def _listen(self, family: int, address, name: str) -> socket.socket:
        made = socket.socket(family)
        made.bind(address)
        made.listen(16)
        self.selector.register(made, selectors.EVENT_READ, name)
        return made

    def _serve(self) -> None:
        while True:
            for key, _ in self.selector.select():
                if key.data is None:
                    return
                caller, _ = key.fileobj.accept()
                caller.close()
                self.calls.append(key.data)

    def __exit__(self, *error) -> None:
        self.ending.close()
        self.thread.join()
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()
