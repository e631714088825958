"""The client's end of a kernel's sockets, made for kernels that lie: bounded and never raising.

The code that runs in a kernel knows its key and holds its sockets, so that any message may be
forged. What is not a message is dropped; what is one may still say what it likes.
"""

import json
import uuid
from collections.abc import Callable
from hmac import compare_digest

import zmq
import zmq.asyncio
from jupyter_client.asynchronous import AsyncKernelClient
from jupyter_client.channels import AsyncZMQSocketChannel
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.session import Session
from traitlets import Instance, Type, default


class Wire(Session):
    """Messages with ids that cannot be guessed: nobody answers a request before it was sent."""

    @property
    def msg_id(self) -> str:
        return uuid.uuid4().hex

    def deserialize(self, msg_list, content=True, copy=True):
        """The message of these frames; raises where they are none.

        Dates stay text: reading them takes longer than all the rest.
        """
        signature, *parts = msg_list
        if len(parts) < 4:
            raise ValueError(f"a message: expected at least 5 frames, got {len(msg_list)}")
        if not compare_digest(signature, self.sign(parts[:4])):
            raise ValueError("a message: its signature is wrong")
        header, parent, metadata, body = map(json.loads, parts[:4])
        message = {"header": header, "parent_header": parent, "metadata": metadata, "buffers": []}
        message |= {"content": body, "msg_type": header["msg_type"], "msg_id": header.get("msg_id")}
        if not isinstance(message["msg_type"], str):
            raise TypeError("a message: its type is not text")
        if not (isinstance(parent, dict) and isinstance(body, dict)):
            raise TypeError("a message: expected objects in its frames")
        return message


class BoundedChannel(AsyncZMQSocketChannel):
    """A socket whose messages are weighed before they are read."""

    weigh: Callable[[int], None] | None = None  # gets the bytes of each message
    heard: Callable[[dict], None] | None = None  # gets each message that is one

    async def get_msg(self, timeout: float | None = None) -> dict:
        """The next message that is one; waits without end, as nbclient is set up to want."""
        while True:
            frames = await self.socket.recv_multipart()
            if self.weigh is not None:
                self.weigh(sum(map(len, frames)))
            try:
                _, parts = self.session.feed_identities(frames)
                message = self.session.deserialize(parts)
            except (ValueError, TypeError, KeyError, RecursionError):
                continue
            if self.heard is not None:
                self.heard(message)
            return message


class BoundedClient(AsyncKernelClient):
    """A client that listens on two sockets and starts no thread."""

    shell_channel_class = Type(BoundedChannel)
    iopub_channel_class = Type(BoundedChannel)

    def __init__(self, **options):
        super().__init__(**options)
        self.asked: set[str] = set()  # the ids of all requests
        self.latest = ""

    def listen(self) -> None:
        self.start_channels(shell=True, iopub=True, stdin=False, hb=False, control=False)

    def execute(self, *args, **options) -> str:
        return self._ask(super().execute(*args, **options))

    def kernel_info(self) -> str:
        return self._ask(super().kernel_info())

    def _ask(self, request: str) -> str:
        self.asked.add(request)
        self.latest = request
        return request


class QuickManager(AsyncKernelManager):
    """Starts and kills kernels without the waits that are there for people and their work."""

    spec = Instance(KernelSpec)

    @property
    def kernel_spec(self) -> KernelSpec:
        return self.spec

    @default("client_factory")
    def _client_factory_default(self):
        return BoundedClient

    @default("session")
    def _session_default(self):
        return Wire(parent=self)

    async def start_kernel(self, **options) -> None:
        self._attempted_start = True
        command, options = await self.pre_start_kernel(**options)
        await self._async_launch_kernel(command, **options)
        await self.provisioner.post_launch(**options)

    async def shutdown_kernel(self, now: bool = True, restart: bool = False) -> None:
        """Kill it. There is nothing in it worth asking for."""
        if self.has_kernel:
            await self.provisioner.kill()
            await self.provisioner.wait()


def bounded_context(largest: int) -> zmq.asyncio.Context:
    """A context whose sockets take messages of at most `largest` bytes, and drop the peer that
    sends a larger one."""
    context = zmq.asyncio.Context()
    context.linger = 0
    context.maxmsgsize = largest
    context.rcvhwm = 1000
    return context
