"""A thread in the kernel that says, when asked, what was tampered with in its process.

    before = baseline()                         # once, in the fork server, when all is imported
    start(before, lambda: app.shell, socket)    # in each kernel, in its main thread

It sees replaced functions of torch, numpy, lens and Python, changed code and class methods, other
modules under their names, IPython's hooks and transformers, replaced replies and display hooks,
tracers, modes, timers and threads of the notebook's, and a main thread that is not done with the
cell that it has answered.

What it cannot see, since the code that it watches runs in the same process and may do all that it
may: what was put back before the question came; what is written to memory directly (`ctypes`), to
it too; code that found the thread's own objects and changed them, or that answers in its place. To
stop the thread is no way out: silence is a sign. And an answer that only behaves as if it were
right (it looks for who calls it, or reads the tests) changes nothing that could be seen here. So a
sign is a reason for a person to look, and no sign is no proof.
"""

import _thread
import builtins
import json
import selectors
import socket as sockets
import sys
from asyncio.base_events import BaseEventLoop
from collections.abc import Callable

from tornado.ioloop import IOLoop

from autograder.engine.hooks import Hooks
from autograder.engine.watched import watch_all
from autograder.engine.words import Words

__builtins__ = dict(vars(builtins))  # replacing Python's own changes nothing for the functions here

PATIENCE = 1.5  # seconds that the main thread has to show that it is idle
MOST, LONGEST = 20, 200  # signs, and characters of each
QUESTION = 4096  # bytes of the longest question
WAITING = (selectors.DefaultSelector.select.__code__, BaseEventLoop._run_once.__code__)
BUSY = "The process was still at work after it had answered for a cell."


def baseline() -> Words:
    """How everything is in the fork server; every kernel compares itself with it."""
    return watch_all()


def start(before: Words, get_shell: Callable[[], object], socket: sockets.socket) -> None:
    """Answer questions on `socket`, one JSON line each: {"inspect": nonce}; never returns early.

    To be called in the main thread of a kernel that is set up and not yet running.
    """
    hooks = Hooks(get_shell())
    loop = IOLoop.current().asyncio_loop
    ask_main = _Main(hooks, loop.call_soon_threadsafe, _thread.allocate_lock)
    _thread.start_new_thread(_serve, (before, hooks, ask_main, socket))


class _Main:
    """Has the main thread look at itself: its event loop does so when no cell is running."""

    def __init__(self, hooks: Hooks, call: Callable, make_lock: Callable):
        self.hooks, self.call, self.make_lock = hooks, call, make_lock
        self.main, self.frames = _thread.get_ident(), sys._current_frames

    def __call__(self) -> list[str]:
        signs, done = [], self.make_lock()
        done.acquire()

        def look() -> None:
            try:
                signs.extend(self.hooks.changed_in_main())
            except Exception as error:
                signs.append(unknown(error))
            finally:
                done.release()

        self.call(look)
        if done.acquire(timeout=PATIENCE) or self.waits():
            return signs
        return [BUSY]

    def waits(self) -> bool:
        """Whether the main thread waits for messages, and only has not had its turn yet."""
        frame = self.frames().get(self.main)
        return frame is not None and frame.f_code in WAITING


def _serve(before: Words, hooks: Hooks, ask_main: _Main, socket: sockets.socket) -> None:
    receive, send, encode, decode = socket.recv, socket.sendall, _encoder(), json.JSONDecoder()
    told = b""
    while received := receive(QUESTION):
        told += received
        while b"\n" in told:
            line, told = told.split(b"\n", 1)
            nonce = decode.decode(line.decode())["inspect"]
            send(encode({"nonce": nonce, "signs": _signs(before, hooks, ask_main)}))


def unknown(error: Exception) -> str:
    """The sign that what is looked at was changed into something else."""
    return f"The check met something that it does not know: {type(error).__name__}."


def _encoder() -> Callable[[dict], bytes]:
    encode = json.JSONEncoder().encode
    return lambda answer: encode(answer).encode() + b"\n"


def _signs(before: Words, hooks: Hooks, ask_main: _Main) -> list[str]:
    # In the midst of a cell, IPython replaces things itself, to render tracebacks for one.
    signs = ask_main()
    if BUSY in signs:
        return signs
    try:
        signs += [f"`{name}` was replaced." for name in before.changed()]
        signs += hooks.changed()
    except Exception as error:
        signs.append(unknown(error))
    return [sign[:LONGEST] for sign in dict.fromkeys(signs)][:MOST]
