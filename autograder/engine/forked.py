"""A forked kernel as the fork server sees it: its birth, its limits, its end."""

import contextlib
import os
import shutil
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from autograder.engine import wire
from autograder.engine.allowance import Allowance
from autograder.sandbox import ServerSandbox, Usage, end, usage

REAPER = shutil.which("cat") or "/bin/cat"
INSPECTION = 2.0  # seconds that a witness has to answer


def start_reaper() -> tuple[int, int]:
    """Process 1 of a new pid namespace: its pid, and a descriptor whose closing ends it.

    Orphans of the kernel's become its children. It ignores SIGCHLD, so that they leave no zombies
    there, which would count against the limit on processes. The kernel itself could not do that:
    code that waits for a process of its own would wait in vain. To fork process 1 and then the
    kernel from it would copy the server's page tables twice; this is a small program.

    A kernel that ends just while SIGCHLD is ignored here leaves no status: see `is_lost`.
    """
    reading, writing = os.pipe()
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the new process inherits that
    try:
        actions = [(os.POSIX_SPAWN_DUP2, reading, 0)]
        return os.posix_spawn(REAPER, [REAPER], {}, file_actions=actions), writing
    except OSError:
        os.close(writing)
        raise
    finally:
        signal.signal(signal.SIGCHLD, before)
        os.close(reading)


def is_lost(pid: int) -> bool:
    """Whether a child ended without leaving its status."""
    try:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True
    return False


@dataclass
class Forked:
    """One kernel; `tell` sends a message to its client."""

    pid: int
    slot: int
    sandbox: ServerSandbox
    allowance: Allowance
    witness: socket.socket
    tell: Callable[[dict], None]
    reaper: int = 0  # its pid; 0 where the level has no pid namespace
    tether: int = -1  # what keeps the reaper alive
    why: str = ""  # it was killed
    error: str = ""  # why it did not start
    status: int | None = None
    cpu: float = 0.0  # seconds that ended processes took
    asked: float | None = None  # when an inspection was asked for
    used: dict[int, Usage] = field(default_factory=dict)

    @property
    def living(self) -> list[int]:
        """The pids that are still to be waited for."""
        return [self.pid] * (self.status is None) + [self.reaper] * (self.reaper > 0)

    def signal(self, number: int) -> None:
        """Send a signal to the kernel and its process group, as jupyter_client does."""
        if number in (signal.SIGKILL, signal.SIGTERM):
            self.kill("killed")
        elif self.status is None:
            try:
                os.killpg(self.pid, number)
            except OSError:  # it has no group of its own yet
                os.kill(self.pid, number)

    def kill(self, why: str) -> None:
        """End the kernel and everything that it started."""
        self.why = self.why or why
        self.end()

    def end(self) -> None:
        if self.status is None:
            end(self.sandbox, self.pid)
        if self.reaper:
            os.kill(self.reaper, signal.SIGKILL)

    def reap(self, pid: int, status: int, cpu: float) -> bool:
        """Take note that a process of `living` has ended, and of the seconds of CPU that it took.

        Says whether that was the last.
        """
        seen = self.used.get(pid)
        self.cpu += max(cpu, seen.cpu_seconds if seen else 0.0)
        if pid == self.reaper:
            self.reaper = 0
        else:
            self.status = os.waitstatus_to_exitcode(status)
        self.end()
        return not self.living

    def close(self) -> None:
        """Give back the descriptor that keeps the reaper alive."""
        if self.tether >= 0:
            os.close(self.tether)

    def measure(self) -> Usage | None:
        """What it uses, orphans included."""
        readings = self._read(self.allowance.enough)
        if sum(each.memory_bytes for each in readings) > self.allowance.enough:
            readings = self._read(0)  # they may have been upper bounds, each below that
        if not readings:
            return None
        return Usage(
            sum(each.cpu_seconds for each in readings),
            sum(each.memory_bytes for each in readings),
            sum(each.processes for each in readings),
        )

    def _read(self, enough: int) -> list[Usage]:
        """A reading of each living process and its descendants; see `usage`."""
        readings = []
        for pid in self.living:
            reading = usage(pid, enough, self.used.get(pid))
            if reading is not None:
                self.used[pid] = reading
                readings.append(reading)
        return readings

    def check(self, now: float) -> None:
        """Kill it where it is over a limit; give up on a witness that does not answer."""
        if self.asked is not None and now - self.asked > INSPECTION:
            self.asked = None
            self.tell({"witness": None})
        if self.allowance.bound and not self.why and self.status is None:
            reading = self.measure()
            if reading is not None and (why := self.allowance.exceeded(reading, now)):
                self.kill(why)

    def ask(self, nonce: str) -> None:
        """Ask the kernel's witness; its answer comes to `hear`."""
        self.asked = time.monotonic()
        with contextlib.suppress(OSError):  # a full or closed socket: no answer in time
            self.witness.send(wire.encode({"inspect": nonce}))

    def hear(self, line: bytes) -> None:
        """Hand on what the witness says, as text: who asked may judge what it is."""
        text = line.decode(errors="replace")
        if text.startswith('{"failed": '):
            self.error = text
        elif self.asked is not None:
            self.asked = None
            self.tell({"witness": text})
