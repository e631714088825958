"""nbclient's executor, for kernels whose code is not trusted.

A kernel's death is known at once, nothing is polled, and no message from it raises: what nbclient
cannot make sense of is left out. One `CellClient` belongs to one kernel.
"""

import asyncio
import logging
from dataclasses import dataclass

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionComplete, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from autograder.engine.outputs import Recorder, count_of, error_of, errors_in, output_of

READY = 60  # seconds that a kernel has to say its first word
GRACE = 5  # seconds between the two signs of a cell's end: its reply, and the kernel's idle state
DRAIN = 0.05  # seconds to read what a kernel said before it ended
QUIET = logging.Logger("autograder.engine", logging.CRITICAL)


class EngineFault(RuntimeError):
    """The engine failed, not the code that it ran: the same run may well succeed again."""


@dataclass(frozen=True)
class Done:
    """One run of one cell.

    `end` is "ok", "error", "not_run", or, where the kernel is of no further use, "died", "lost" or
    "output"; `started` says whether the kernel was seen to take the cell up.
    """

    end: str
    started: bool
    outputs: list[NotebookNode]
    execution_count: int | None
    request: str = ""  # the id of the message that asked for it

    @property
    def kernel_lives(self) -> bool:
        return self.end in ("ok", "error", "not_run")


class CellClient(NotebookClient):
    """Runs cells in one started kernel.

    `kernel` knows about its process: `wait_ended()`, `budget(cpu, wall)`. More than `flood` bytes
    from one cell end its run.
    """

    def __init__(self, manager, kernel, context, flood: int):
        super().__init__(
            NotebookNode(cells=[None]),
            km=manager,
            log=QUIET,
            allow_errors=True,
            record_timing=False,
            iopub_timeout=GRACE,
            raise_on_iopub_timeout=True,
        )
        self.kernel, self.context, self.flood = kernel, context, flood
        self.death = asyncio.ensure_future(kernel.wait_ended())
        self.forged: set[str] = set()  # kinds of messages that no honest kernel sends
        self.answered_twice: set[str] = set()  # requests
        self._count = 0
        self._answered: set[tuple] = set()

    async def async_start_new_kernel_client(self):
        """Connect. Raises EngineFault where no kernel answers."""
        self.kc = self.km.client(context=self.context)
        self.kc.listen()
        self.kc.shell_channel.weigh = self.kc.iopub_channel.weigh = self._weigh
        self.kc.shell_channel.heard = self._heard_reply
        self.kc.iopub_channel.heard = self._heard_state
        self._begin(Recorder(0))
        first = asyncio.ensure_future(self.kc.iopub_channel.get_msg())
        try:
            for _ in range(READY):
                done, _ = await asyncio.wait(
                    {first, self.death}, timeout=1, return_when=asyncio.FIRST_COMPLETED
                )
                if first in done:
                    return self.kc
                if self.death in done:
                    break
                self.kc.kernel_info()  # an older kernel greets nobody: let it say something
        finally:
            first.cancel()
        how = f"it ended: {self.death.result()}" if self.death.done() else "it said nothing"
        raise EngineFault(f"expected a kernel that answers within {READY} s; {how}")

    def close(self) -> None:
        self.death.cancel()
        if self.kc is not None:
            self.kc.stop_channels()

    async def run(self, source: str, room: int) -> Done:
        """Run one cell; keep at most `room` bytes of its output. Raises CancelledError only."""
        self._begin(Recorder(room))
        cell = NotebookNode(
            cell_type="code", source=source, metadata={}, outputs=[], execution_count=None
        )
        end = None
        try:
            await self.async_execute_cell(cell, 0)
        except CellTimeoutError:
            end = "lost"
        except DeadKernelError:
            if asyncio.current_task().cancelling():
                raise asyncio.CancelledError() from None
            end = self._stopped or "died"
        finally:
            if self._timer:
                self._timer.cancel()
        end = end or self._judge()
        count = count_of(cell.execution_count)
        return Done(end, self._started, self._recorder.finish(), count, self.kc.latest)

    async def is_done(self) -> bool:
        """Whether the kernel has really ended its last cell: it answers after it.

        Waits as long as the kernel lives; its limits bound that.
        """
        asked = self.kc.kernel_info()
        answer = asyncio.ensure_future(self._reply_to(asked))
        await asyncio.wait({answer, self.death}, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            await asyncio.wait({answer}, timeout=DRAIN)
        answered = answer.done()
        answer.cancel()
        return answered

    async def _reply_to(self, asked: str) -> None:
        while (await self.kc.shell_channel.get_msg())["parent_header"].get("msg_id") != asked:
            pass

    def _begin(self, recorder: Recorder) -> None:
        self._recorder, self._shown = recorder, {}
        self._weight, self._stopped, self._timer, self._started = 0, "", None, False
        self._reply: dict = {}

    def _judge(self) -> str:
        """How a cell ended that the kernel has answered; its error shows among the outputs."""
        status, before = self._reply.get("status"), self._count
        count = count_of(self._reply.get("execution_count"))
        self._count = count or 0
        if status == "error" and not any(errors_in(self._recorder.outputs)):
            self._recorder.add(error_of(self._reply))
        if asks_to_exit(self._reply):
            return "died"  # IPython ends the process a moment later, in the midst of other cells
        if status not in ("ok", "error") or count is None or count <= before:
            return "not_run"
        return "error" if any(errors_in(self._recorder.outputs)) else "ok"

    def _weigh(self, size: int) -> None:
        self._weight += size
        if self._weight > self.flood:
            self._stop("output")

    def _stop(self, end: str) -> None:
        self._stopped = end
        if self.task_poll_for_reply is not None:
            self.task_poll_for_reply.cancel()

    def _heard_reply(self, message: dict) -> None:
        self._heard("reply", message["parent_header"].get("msg_id"))

    def _heard_state(self, message: dict) -> None:
        if message["msg_type"] == "status" and message["content"].get("execution_state") == "idle":
            self._heard("idle", message["parent_header"].get("msg_id"))

    def _heard(self, what: str, asked: object) -> None:
        if not isinstance(asked, str) or asked not in self.kc.asked:
            if what == "reply":
                self.forged.add("unasked")
        elif (what, asked) in self._answered:
            self.forged.add("twice")
            self.answered_twice.update([asked] if what == "reply" else [])
        else:
            self._answered.add((what, asked))

    async def _async_poll_kernel_alive(self) -> None:
        await asyncio.wait({self.death})
        await asyncio.sleep(DRAIN)
        self.task_poll_for_reply.cancel()

    async def _check_raise_for_error(self, cell, cell_index, exec_reply) -> None:
        self._reply = exec_reply["content"]

    def process_message(self, msg, cell, cell_index):
        self._started = self._started or msg["msg_type"] in ("status", "execute_input")
        try:
            return super().process_message(msg, cell, cell_index)
        except CellExecutionComplete:
            if not self._timer:
                self._timer = asyncio.get_running_loop().call_later(GRACE, self._stop, "lost")
            raise
        except Exception:  # a message of a shape that no honest kernel sends
            return None

    def output(self, outs, msg, display_id, cell_index):
        made = output_of(msg["msg_type"], msg["content"])
        if made is not None:
            self._recorder.add(made)
            if display_id:
                self._shown.setdefault(display_id, []).append(made)

    def _update_display_id(self, display_id, msg):
        for shown in self._shown.get(display_id, ()):
            if "data" in shown:
                self._recorder.update(shown, msg["content"])

    def clear_output(self, outs, msg, cell_index):
        self._recorder.clear(wait=bool(msg["content"].get("wait")))

    def handle_comm_msg(self, outs, msg, cell_index):
        """Widgets have nobody to talk to here."""


def asks_to_exit(reply: dict) -> bool:
    """Whether the cell called `exit()` or `quit()`."""
    payload = reply.get("payload")
    return isinstance(payload, list) and any(
        isinstance(each, dict) and each.get("source") == "ask_exit" for each in payload
    )
