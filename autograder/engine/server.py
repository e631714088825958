"""The fork server: imports the slow libraries once and forks a ready kernel for each launch.

    python -m autograder.engine.server SOCKET '{"level": "none", "preload": ["torch"]}'

One connection per kernel; `wire` has the messages. A closed connection ends its kernel, and the
server ends with its standard input. It has a single thread for life and runs no learner's code.
"""

import contextlib
import gc
import importlib.util
import json
import os
import selectors
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path

from autograder.engine import pages, preload, wire
from autograder.engine.allowance import Allowance
from autograder.engine.clients import Client, complain
from autograder.engine.forked import Forked, is_lost, start_reaper
from autograder.limits import Limits
from autograder.sandbox import Level, before_fork, clean, enter_server, sweep

TICK = 0.25  # seconds between two looks at what kernels use
BATCH = 1 << 16  # bytes read at once


class Born(BaseException):
    """Raised in a kernel after the fork: its stack is to be as short as an ordinary kernel's, and
    nothing of the server and of other kernels within its reach."""

    def __init__(self, slot: int, descriptors: dict[str, int], server: socket.socket):
        self.slot, self.descriptors, self.server = slot, descriptors, server


class Server:
    """Serves until its standard input ends."""

    def __init__(self, listening: socket.socket, heritage):
        self.heritage, self.sandbox = heritage, heritage.sandbox
        self.selector = selectors.DefaultSelector()
        self.kernels: dict[int, Forked] = {}  # by slot
        self.listening = listening
        listening.setblocking(False)
        self.watch(listening, self.accept)
        self.woken, waking = socket.socketpair()
        for end in (self.woken, waking):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waking.detach(), warn_on_full_buffer=False)
        self.watch(self.woken, self.reap)

    def watch(self, file, act: Callable[[], None]) -> None:
        self.selector.register(file, selectors.EVENT_READ, act)

    def forget(self, watched: socket.socket) -> None:
        """Stop watching a socket and close it; nothing where that was done."""
        with contextlib.suppress(KeyError, ValueError):
            self.selector.unregister(watched)
        watched.close()

    def run(self) -> None:
        """Serve until SystemExit is raised: by a signal, or by the end of standard input."""
        try:
            while True:
                for key, _ in self.selector.select(TICK if self.kernels else None):
                    if key.fd in self.selector.get_map():  # nothing before closed it
                        key.data()
                now = time.monotonic()
                for kernel in list(self.kernels.values()):
                    kernel.check(now)
        except SystemExit:
            for kernel in self.kernels.values():
                kernel.end()
            raise

    def abandon(self) -> None:
        """In a forked kernel: close what is open. Later the numbers would be those of others."""
        for key in list(self.selector.get_map().values()):
            if key.fileobj != 0:
                key.fileobj.close()
        for kernel in self.kernels.values():
            kernel.witness.close()
        self.selector.close()

    def accept(self) -> None:
        with contextlib.suppress(BlockingIOError):
            connected, _ = self.listening.accept()
            credentials = connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
            _, user, _ = struct.unpack("iII", credentials)
            if user in (0, os.geteuid()):
                connected.setblocking(False)
                self.watch(connected, Client(self, connected).read)
            else:
                complain(f"refused a connection of user {user}")
                connected.close()

    def fork(self, client: Client, limits: Limits | None) -> Forked:
        """A new kernel; raises Born in it. Raises OSError or UnsafeFork where none comes to be."""
        preload.check_safe()
        slot = next(slot for slot in range(len(self.kernels) + 1) if slot not in self.kernels)
        ours, theirs = socket.socketpair()
        reaper, tether = 0, -1
        before_fork(self.sandbox)
        if self.sandbox.level == Level.NAMESPACES:
            reaper, tether = start_reaper()
            for kernel in list(self.kernels.values()):
                for lost in filter(is_lost, kernel.living):
                    self.note_end(lost, signal.SIGKILL, 0.0)
        pid = os.fork()
        if pid == 0:
            descriptors = dict(zip(wire.LAUNCH, client.descriptors, strict=True))
            client.descriptors.clear()
            raise Born(slot, descriptors, theirs)
        theirs.close()
        ours.setblocking(False)
        allowance = Allowance(limits, time.monotonic())
        made = Forked(pid, slot, self.sandbox, allowance, ours, client.tell, reaper, tether)
        self.kernels[slot] = made
        lines = wire.Lines()
        self.watch(ours, lambda: self.hear(made, lines))
        return made

    def reap(self) -> None:
        """Take note of ended processes; orphans may come to this one, too."""
        self.woken.recv(BATCH)
        with contextlib.suppress(ChildProcessError):
            while (ended := os.wait4(-1, os.WNOHANG))[0]:
                pid, status, used = ended
                self.note_end(pid, status, used.ru_utime + used.ru_stime)

    def note_end(self, pid: int, status: int, cpu: float) -> None:
        """Tell a kernel's client when the last of its processes has ended."""
        for kernel in self.kernels.values():
            if pid in kernel.living:
                if kernel.reap(pid, status, cpu):
                    self.bury(kernel)
                return

    def bury(self, kernel: Forked) -> None:
        del self.kernels[kernel.slot]
        self.forget(kernel.witness)
        kernel.close()
        sweep(self.sandbox, [other.pid for other in self.kernels.values()])
        clean(self.sandbox, kernel.slot)
        end = {"exit": kernel.status, "why": kernel.why, "error": kernel.error}
        kernel.tell(end | {"cpu": kernel.cpu})

    def hear(self, kernel: Forked, lines: wire.Lines) -> None:
        """Read what a kernel's witness says; a kernel that sends garbage is heard no more."""
        try:
            data = kernel.witness.recv(BATCH)
            for line in lines.feed(data):
                kernel.hear(line)
        except (OSError, wire.Garbage):
            data = b""
        if not data:
            self.selector.unregister(kernel.witness)


def make_heritage(level: Level, base: Path, options: dict):
    """Enter the sandbox's level, warm up, and note what kernels take over."""
    path = tuple(sys.path[1:])  # the first is there to find this module
    sandbox = enter_server(level, base, options.get("readable", []))
    threads = preload.warm_up(options.get("preload", []))
    from autograder.engine.kernel import Heritage

    baseline = None
    if importlib.util.find_spec("autograder.engine.witness"):
        from autograder.engine import witness

        baseline = witness.baseline()
    sys.path[:] = path
    gc.collect()
    gc.freeze()  # a collection in a kernel would write to, and so copy, every page
    pages.use_large_pages()
    return Heritage(level, sandbox, baseline, path, threads)


def serve(address: str, options: dict) -> tuple:
    """Serve until the end; returns only in a forked kernel, with what it needs to run."""
    if "listening" in options:
        listening = socket.socket(fileno=options["listening"])
        listening.set_inheritable(False)
    else:
        listening = wire.listen(address)
    level = Level(options.get("level", Level.NONE))
    heritage = make_heritage(level, Path(address).parent / "base", options)
    server = Server(listening, heritage)
    if options.get("tethered"):  # standard input ends with the process that started this one
        server.watch(0, lambda: os.read(0, BATCH) or sys.exit(0))
    try:
        server.run()
    except Born as born:
        server.abandon()
        return heritage, born.slot, born.descriptors, born.server


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    needed = serve(sys.argv[1], json.loads(sys.argv[2]))
    gc.collect()  # the server, as far as it is gone
    from autograder.engine import kernel

    kernel.run(*needed)


if __name__ == "__main__":
    main()
