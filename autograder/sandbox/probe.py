"""Which level this machine gives, tried and not guessed; and what attacks achieve in it."""

import contextlib
import functools
import json
import os
import secrets
import select
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import rlimits
from .levels import Level

_PACKAGES = str(Path(__file__).resolve().parents[2])
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from autograder.sandbox.trial import main; main()"
)
_VICTIM = (
    "import os, signal, time; signal.signal(signal.SIGUSR1, lambda *_: os.write(1, b'hit')); "
    "os.write(1, b'ready'); time.sleep(120)"
)
_PATIENCE = 180.0  # seconds for all attacks of a level


@dataclass(frozen=True)
class ProbeResult:
    """One attack, tried for real; `detail` says what came of it."""

    name: str
    stopped: bool
    detail: str


def best_level() -> Level:
    """The strongest level that this machine gives; each is tried once, in a process of its own."""
    return next(level for level in Level if not why_not(level))


@functools.cache
def why_not(level: str) -> str:
    """Why this machine does not give `level`; "" where it does."""
    level = Level(level)
    if level is Level.NONE:
        return ""
    if not hasattr(os, "fork"):
        return "it needs processes that fork, which this system has not"
    with tempfile.TemporaryDirectory(prefix="sandbox-") as folder:
        try:
            return _try({"level": level, "base": f"{folder}/base"})
        except OSError as error:
            return str(error)


def _try(asked: dict, **environment: str) -> object:
    """What `trial` answers; OSError with its last words where it does not."""
    keep = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    command = [sys.executable, "-I", "-c", _START, _PACKAGES]
    try:
        ran = subprocess.run(
            command,
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            env=keep | environment,
        )
    except subprocess.TimeoutExpired:
        raise OSError(f"no answer in {_PATIENCE:.0f} s") from None
    if ran.returncode or not ran.stdout:
        words = ran.stderr.strip().splitlines() or [f"ended with {ran.returncode}"]
        raise OSError(words[-1])
    return json.loads(ran.stdout)


def probe(level: str) -> list[ProbeResult]:
    """Try each attack inside a sandbox of this level, bounded so that none can do harm.

    Raises OSError where this machine does not give the level.
    """
    with tempfile.TemporaryDirectory(prefix="sandbox-") as name:
        folder = Path(name)
        folder.chmod(0o711)  # else the folder and not the sandbox would stop another user
        with _victim(folder) as victim, _listeners(folder) as (port, abstract, path):
            text = secrets.token_hex(8)
            (folder / "secret").write_text(text)
            scene = {
                "secret": str(folder / "secret"),
                "folder": name,
                "text": text,
                "port": port,
                "abstract": abstract,
                "path": path,
                "victim": victim.pid,
                "marker": name,
            }
            asked = {"level": Level(level), "base": f"{name}/base", "scene": scene}
            found = [ProbeResult(*each) for each in _try(asked, PROBE_SECRET=text)]
            return [_corrected(result, victim) for result in found]


def _corrected(result: ProbeResult, victim: subprocess.Popen) -> ProbeResult:
    """A signal counts where it arrived: its number may be another process's in there."""
    if result.name != "signal a process outside" or result.stopped:
        return result
    arrived = bool(select.select([victim.stdout], [], [], 1.0)[0])
    return result if arrived else ProbeResult(result.name, True, "it did not arrive")


@contextlib.contextmanager
def _victim(folder: Path) -> Iterator[subprocess.Popen]:
    """A process outside that says when it was signalled; the folder is in its command line."""
    command = [sys.executable, "-I", "-S", "-c", _VICTIM, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0) as process:
        try:
            process.stdout.read(5)
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def _listeners(folder: Path) -> Iterator[tuple[int, str, str]]:
    """A TCP port, the name of an abstract socket and the path of another, all listening."""
    abstract, path = f"{folder}/abstract", f"{folder}/socket"
    with contextlib.ExitStack() as stack:
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        addresses = [path, f"\0{abstract}"] if rlimits.LINUX else [path]
        for address in addresses:
            made = stack.enter_context(socket.socket(socket.AF_UNIX))
            made.bind(address)
            made.listen()
        yield tcp.getsockname()[1], abstract, path
