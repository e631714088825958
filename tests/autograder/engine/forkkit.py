"""Forked kernels for tests, driven as a front end drives them."""

import asyncio
import contextlib
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from jupyter_client.manager import KernelManager
from jupyter_core.utils import run_sync

from autograder.engine import servers, wire
from autograder.engine.kernelspecs import NAME, ForkKernelSpecs, fork_kernel_spec
from autograder.limits import Limits
from autograder.sandbox import why_not


def require(level: str) -> None:
    """Skip where the machine does not give the level; where CI is set, fail."""
    if reason := why_not(level):
        if os.environ.get("CI"):
            pytest.fail(f"level {level}: {reason} (CI is set, so this is not skipped)")
        pytest.skip(f"level {level}: {reason}")


@dataclass
class Kernel:
    manager: KernelManager
    client: object

    @property
    def provisioner(self):
        return self.manager.provisioner

    def run(self, code: str, timeout: float = 60) -> list[dict]:
        """The outputs of a cell, as contents of messages with their type."""
        outputs = []

        def collect(message):
            kind = message["header"]["msg_type"]
            if kind in ("stream", "display_data", "execute_result", "error"):
                outputs.append({"type": kind, **message["content"]})

        self.client.execute_interactive(code, timeout=timeout, output_hook=collect)
        return outputs

    def printed(self, code: str) -> str:
        """What a cell prints; an error in it fails the test."""
        outputs = self.run(code)
        assert [each for each in outputs if each["type"] != "stream"] == []
        return "".join(each["text"] for each in outputs)

    def wait(self, coroutine, timeout: float = 30):
        """Run a coroutine of the provisioner's."""
        return run_sync(asyncio.wait_for)(coroutine, timeout)

    def ended(self, timeout: float = 60) -> dict:
        return self.wait(self.provisioner.wait_ended(), timeout)


def environment() -> dict[str, str]:
    """This process's, but ipykernel would capture no file descriptors under pytest."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}


@contextlib.contextmanager
def fork_kernel(level: str = "none", limits: Limits | None = None, **start) -> Iterator[Kernel]:
    """A forked kernel that is ready."""
    specs = ForkKernelSpecs(spec=fork_kernel_spec(level, limits))
    manager = KernelManager(kernel_name=NAME, kernel_spec_manager=specs)
    manager.start_kernel(**{"env": environment()} | start)
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        yield Kernel(manager, client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


class Caller:
    """A client of a fork server that says what a test wants it to say."""

    def __init__(self, address: str):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(address)
        self.lines = self.socket.makefile("rb")

    def hear(self) -> dict:
        """The next message; {} where the server hung up."""
        try:
            return json.loads(self.lines.readline() or b"{}")
        except ConnectionResetError:
            return {}

    def launch(self, folder, level: str = "none", limits: dict | None = None, **body) -> dict:
        """Have a kernel forked that listens on sockets in `folder`; what the server answers."""
        told = {
            "connection": {"key": "k", "signature_scheme": "hmac-sha256"},
            "connection_file": "c.json",
            "env": dict(os.environ),
            "cwd": str(folder),
            "files": None,
            "limits": limits or {},
            "argv": ["ipykernel_launcher.py"],
            "arguments": [],
        }
        sockets = [wire.listen(f"{folder}/{name}") for name in wire.CHANNELS]
        descriptors = [wire.write_body(told | body), *(each.detach() for each in sockets)]
        message = wire.encode({"launch": {"level": level, "limits": limits or {}}})
        socket.send_fds(self.socket, [message], descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        for name in wire.CHANNELS:
            os.unlink(f"{folder}/{name}")
        return self.hear()

    def close(self) -> None:
        self.lines.close()
        self.socket.close()


@contextlib.contextmanager
def fork_server(level: str = "none", **options) -> Iterator[servers.Server]:
    """A server of the test's own, without the libraries that take long to import."""
    with servers.start_server(level, preload=(), **options) as server:
        yield server


def wait_until(true: Callable[[], bool], seconds: float = 30) -> None:
    """Fail where it does not become true."""
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends, "it did not become true"
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    """Whether a process lives, zombies left out."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
