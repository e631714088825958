"""Entering a level for a try, in an interpreter of its own: `probe` starts it."""

import dataclasses
import json
import os
import select
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

from . import attacks, core
from .levels import Level

_PATIENCE = 15.0  # seconds for one attack
_REAPED = 1.0  # seconds until what was killed is gone
_END = b"\0"


def main() -> None:
    """Read what to try from standard input; write what came of it to standard output."""
    asked = json.load(sys.stdin)
    server = core.enter_server(asked["level"], Path(asked["base"]))
    if "scene" in asked:
        scene = attacks.Scene(**asked["scene"], environments=("self", "1", str(os.getpid())))
        found = attack(server, scene)
    else:
        found = enter(server)
    json.dump(found, sys.stdout)


def enter(server: core.ServerSandbox) -> str:
    """Confine one child; why that failed, "" where it did not."""
    slot = _Slot(server, 0, lambda home: _shut_in(server))
    report = slot.wait()
    slot.end()
    return "" if report == "shut in" else report or "the confined process died at once"


def _shut_in(server: core.ServerSandbox) -> str:
    if server.level is Level.NAMESPACES and (os.getpid() != 1 or os.path.exists(server.base)):
        return "the namespaces are there, and do not shut in"
    if server.level is Level.LANDLOCK and os.access(server.base, os.R_OK):
        try:
            os.listdir(server.base)
            return "Landlock is there, and does not shut in"
        except OSError:
            pass
    return "shut in"


def attack(server: core.ServerSandbox, scene: attacks.Scene) -> list:
    """Every attack in a sandbox of its own, beside a neighbour: [name, stopped, detail] of each."""
    neighbour = _Slot(server, 1, _live_beside, stays=True)
    scene = dataclasses.replace(scene, neighbour=neighbour.wait())
    found = []
    for name, attempt in attacks.ATTACKS.items():
        slot = _Slot(server, 0, lambda home, attempt=attempt: _report(attempt, scene))
        report = slot.wait()
        outlived = slot.end(spare=neighbour.pid)
        stopped, detail = json.loads(report) if report else (False, "it gave no answer")
        if attempt is attacks.outlive and not stopped:
            stopped, detail = not outlived, "it lived on" if outlived else "it was killed"
        found.append([name, stopped, detail])
    neighbour.end()
    return found


def _report(attempt: Callable[[attacks.Scene], str], scene: attacks.Scene) -> str:
    try:
        return json.dumps([False, attempt(scene)])
    except (OSError, MemoryError) as error:
        return json.dumps([True, str(error)])


def _live_beside(home: Path) -> str:
    """Another submission: a file, and an abstract socket where there are such."""
    secret = home / "neighbour"
    secret.write_text("x")
    if sys.platform.startswith("linux"):
        made = socket.socket(socket.AF_UNIX)
        made.bind(f"\0{secret}")
        made.listen()
        made.detach()
    return str(secret)


class _Slot:
    """One confined child that reports one text through a pipe and holds a second one open."""

    def __init__(self, server, slot: int, act: Callable[[Path], str], stays: bool = False):
        self.server, self.slot = server, slot
        self.report, report = os.pipe()
        self.life, life = os.pipe()
        core.before_fork(server)
        self.pid = os.fork()
        if self.pid == 0:
            self._act(act, report, stays)
        os.close(report)
        os.close(life)

    def _act(self, act: Callable[[Path], str], report: int, stays: bool) -> None:
        try:
            home = core.confine(self.server, self.slot, attacks.LIMITS, {"given": b"x"})
            text = act(home)
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(report, text.encode() + _END)
        os.close(report)
        while stays:
            time.sleep(1)
        os._exit(0)

    def wait(self) -> str:
        """What the child reports; "" where it does not in time."""
        text, until = b"", time.monotonic() + _PATIENCE
        while select.select([self.report], [], [], max(0.0, until - time.monotonic()))[0]:
            piece = os.read(self.report, 4096)
            text += piece
            if not piece or text.endswith(_END):  # what was left behind may hold the pipe open
                break
        return text.removesuffix(_END).decode()

    def end(self, spare: int = 0) -> bool:
        """End it and all that it started; whether something of it lived on."""
        core.end(self.server, self.pid)
        os.waitpid(self.pid, 0)
        core.sweep(self.server, {spare})
        lived_on = not select.select([self.life], [], [], _REAPED)[0]
        core.clean(self.server, self.slot)
        os.close(self.report)
        os.close(self.life)
        return lived_on
