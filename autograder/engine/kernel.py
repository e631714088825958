"""The forked child: it confines itself, becomes an ordinary IPython kernel and serves."""

import atexit
import base64
import contextlib
import ctypes
import multiprocessing
import os
import random
import signal
import socket
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Collection
from dataclasses import dataclass

import ipykernel.kernelapp
import zmq
from zmq.eventloop.zmqstream import ZMQStream

from autograder.engine import environment, output, wire
from autograder.limits import Limits
from autograder.sandbox import Level, ServerSandbox, confine

PR_SET_PDEATHSIG = 1
NAME = "learner"  # some libraries ask for the user's name, and a confined one has none


@dataclass(frozen=True)
class Heritage:
    """What a kernel takes over from the fork server."""

    level: Level
    sandbox: ServerSandbox
    baseline: object  # the witness's; None without one
    path: tuple[str, ...]  # sys.path of an ordinary kernel
    threads: int  # of torch, by default


def run(heritage: Heritage, slot: int, descriptors: dict[str, int], server: socket.socket) -> None:
    """Be a kernel until it ends. Never returns; a failed start is told to the server."""
    complaints = os.dup(2)
    try:
        _leave_the_server()
        body = wire.read_body(descriptors.pop("body"))
        _enter(heritage, slot, body)
        _end_with(server)
        _close_all_but([*descriptors.values(), server.fileno(), complaints])
        _be_unique(heritage)
        app = _make_app(body, descriptors)
        app.initialize(body["arguments"])
        _start_witness(heritage, app, server)
        os.close(complaints)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.write(complaints, traceback.format_exc().encode())
            server.sendall(wire.encode({"failed": f"{type(error).__name__}: {error}"[:2000]}))
        os._exit(1)
    try:
        app.start()
    finally:
        _exit()


def _exit() -> None:
    """What the interpreter does at its end, without tearing down what came from the server."""
    status = 0
    try:
        threading._shutdown()
        atexit._run_exitfuncs()
    except BaseException:
        status = 1
    os._exit(status)


def _leave_the_server() -> None:
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    os.close(null)


def _close_all_but(keep: Collection[int]) -> None:
    """Nothing of the server's and of other kernels' stays open."""
    last = 2
    for kept in sorted(keep):
        os.closerange(last + 1, kept)
        last = kept
    os.closerange(last + 1, os.sysconf("SC_OPEN_MAX"))


def _enter(heritage: Heritage, slot: int, body: dict) -> None:
    """The environment, the folder and, where there is a level, the sandbox."""
    free = heritage.level == Level.NONE
    names = {"USER": NAME, "LOGNAME": NAME}
    os.environ.clear()
    os.environ.update(body["env"] if free else environment.for_kernel(body["env"]) | names)
    time.tzset()
    if body["files"] is None:
        os.chdir(body["cwd"])
    else:
        files = {name: base64.b64decode(data) for name, data in body["files"].items()}
        confine(heritage.sandbox, slot, Limits.from_json(body["limits"]), files)
        os.environ["IPYTHONDIR"] = os.path.join(os.environ["TMPDIR"], ".ipython")
    tempfile.tempdir = None
    multiprocessing.process.ORIGINAL_DIR = os.getcwd()
    sys.path[:] = heritage.path
    sys.argv[:] = body["argv"]
    sys.orig_argv[:] = [sys.executable, "-m", "ipykernel_launcher", *sys.argv[1:]]


def _end_with(server: socket.socket) -> None:
    """Die when the server does. To be called confined: a change of user takes it back."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    with contextlib.suppress(BlockingIOError):
        if not server.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT):
            raise ConnectionError("the fork server has ended")


def _be_unique(heritage: Heritage) -> None:
    """Nothing random may come from before the fork: all kernels would share it."""
    random.seed()
    multiprocessing.current_process().authkey = os.urandom(32)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()
    if "torch" in sys.modules:
        torch = sys.modules["torch"]
        torch.default_generator.seed()  # torch.seed would also queue a call to CUDA
        torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS") or heritage.threads))
    if "matplotlib" in sys.modules and os.environ.get("MPLBACKEND"):
        sys.modules["matplotlib"].rcParams["backend"] = os.environ["MPLBACKEND"]
    with warnings.catch_warnings():
        pass  # it makes every module forget which warnings it has shown


class KernelApp(ipykernel.kernelapp.IPKernelApp):
    """IPython's kernel application on sockets that somebody else has bound."""

    listening: dict[int, int] = {}  # port -> descriptor
    connection: dict = {}

    def init_connection_file(self):
        self.load_connection_info(self.connection)

    def write_connection_file(self, **kwargs):
        pass

    def init_shell(self):
        super().init_shell()
        # IPython keeps all that cells show, for a history that nobody saves: a flood fills memory.
        self.shell.history_manager.outputs = output.Forgetful(list)

    def init_poller(self):
        pass  # the fork server ends a kernel whose client is gone

    def _bind_socket(self, s, port):
        bind_to_descriptor(s, self.listening[port])
        return port

    def init_control(self, context):
        super().init_control(context)
        # The debugger is off, and the sandbox has no path to the shell's socket: it would retry.
        address = self.shell_socket.getsockopt(zmq.LAST_ENDPOINT)
        self.debug_shell_socket.disconnect(address)


class Heartbeat(ipykernel.kernelapp.Heartbeat):
    """The heartbeat on a socket that somebody else has bound."""

    def _bind_socket(self):
        bind_to_descriptor(self.socket, KernelApp.listening[self.port])


class IOPub(output.CappedIOPub):
    """Takes what forked processes print over an abstract socket: a sandbox has no TCP."""

    def _setup_pipe_in(self):
        self._pipe_uuid = os.urandom(16)
        self._pipe_port = 0
        self._pipe_address = f"ipc://@iopub-{os.urandom(16).hex()}"
        pipe_in = self.socket.context.socket(zmq.PULL)
        pipe_in.linger = 0
        pipe_in.bind(self._pipe_address)
        self._pipe_in = ZMQStream(pipe_in, self.io_loop)
        self._pipe_in.on_recv(self._handle_pipe_msg)

    def _setup_pipe_out(self):
        context = zmq.Context()
        pipe_out = context.socket(zmq.PUSH)
        pipe_out.linger = 3000
        pipe_out.connect(self._pipe_address)
        return context, pipe_out


def bind_to_descriptor(bound: zmq.Socket, descriptor: int) -> None:
    """Let a zmq socket accept on a listening Unix socket."""
    bound.setsockopt(zmq.USE_FD, descriptor)
    bound.bind("ipc://kernel")  # a name for messages only


def _make_app(body: dict, descriptors: dict[str, int]) -> KernelApp:
    ipykernel.kernelapp.Heartbeat = Heartbeat
    ipykernel.kernelapp.IOPubThread = IOPub
    ports = {f"{channel}_port": number for number, channel in enumerate(wire.CHANNELS, 1)}
    KernelApp.connection = body["connection"] | ports | {"transport": "ipc", "ip": "kernel"}
    KernelApp.listening = {
        number: descriptors[channel] for number, channel in enumerate(wire.CHANNELS, 1)
    }
    app = KernelApp.instance(parent_handle=0, log_level=50)
    app.connection_file = body["connection_file"]
    if body["limits"]:
        limits = Limits.from_json(body["limits"])
        output.cap_output(app, output.OutputCap(limits.cell_output, limits.output))
    return app


def _start_witness(heritage: Heritage, app: KernelApp, server: socket.socket) -> None:
    if heritage.baseline is not None:
        from autograder.engine import witness

        witness.start(heritage.baseline, lambda: app.shell, server)
