"""Starting a fork server, and finding the one that is there."""

import atexit
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import autograder
from autograder.engine import environment, wire

ADDRESS = "AUTOGRADER_FORK_SERVER"  # the variable that tells workers of a server's socket
PRELOAD = ("numpy", "torch", "matplotlib.pyplot", "lens")
ROOM = 40  # bytes of a socket's path below the folder for temporary files
PATIENCE = 10  # seconds that a server has to end


def make_private_folder() -> Path:
    """A new folder that only this user enters, with a path short enough for sockets in it."""
    usual = tempfile.gettempdir()
    short = usual if len(os.fsencode(usual)) + ROOM <= wire.LONGEST_PATH else "/tmp"
    return Path(tempfile.mkdtemp(prefix="fork-", dir=short))


def find_packages(modules: Iterable[str]) -> list[str]:
    """The folders of packages: kernels import from them what is not imported yet."""
    specs = (importlib.util.find_spec(name.partition(".")[0]) for name in modules)
    return [
        str(folder) for spec in specs if spec for folder in spec.submodule_search_locations or []
    ]


class Server:
    """A running fork server; leaving it as a context manager ends it and its kernels."""

    def __init__(self, level: str, preload: Sequence[str], readable: Sequence[str]):
        self.folder = make_private_folder()
        self.address = str(self.folder / "s")
        # Bound here, so that clients may connect at once; they wait until it has warmed up.
        with wire.listen(self.address) as listening:
            readable = [*readable, *find_packages(preload)]
            options = {"level": level, "preload": list(preload), "readable": readable}
            options |= {"listening": listening.fileno(), "tethered": True}
            told = [self.address, json.dumps(options)]
            self.process = subprocess.Popen(
                [sys.executable, "-m", "autograder.engine.server", *told],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                env=environment.for_server(os.environ) | self._caches(),
                cwd=Path(autograder.__file__).parents[1],
                pass_fds=[listening.fileno()],
                start_new_session=True,  # Ctrl-C is for the one who grades
            )

    def _caches(self) -> dict[str, str]:
        """Where torch's compiler keeps what it makes: it goes with the server."""
        return {"TORCHINDUCTOR_CACHE_DIR": str(self.folder / "torch")}

    def is_alive(self) -> bool:
        return self.process.poll() is None

    def close(self) -> None:
        self.process.stdin.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *exception) -> None:
        self.close()


def start_server(
    level: str = "none", preload: Sequence[str] = PRELOAD, readable: Sequence[str] = ()
) -> Server:
    """A fork server of a level of `autograder.sandbox.Level`.

    It returns at once; the first launch waits until the server has warmed up, and says why where
    it did not. `readable` are further files and folders that confined kernels may read.
    """
    return Server(level, preload, [*folders_of(preload), *readable])


def folders_of(modules: Sequence[str]) -> list[str]:
    """Where packages lie; one that is installed for editing lies outside this Python's folders."""
    specs = [importlib.util.find_spec(name.partition(".")[0]) for name in modules]
    return [folder for spec in specs if spec for folder in spec.submodule_search_locations or ()]


_own: dict[tuple, Server] = {}


def find_server(level: str, preload: Sequence[str] = PRELOAD) -> str:
    """The address of the server that AUTOGRADER_FORK_SERVER names, else of this process's own."""
    if address := os.environ.get(ADDRESS):
        return address
    key = (level, tuple(preload))
    if key not in _own or not _own[key].is_alive():
        if not _own:
            atexit.register(close_own_servers)
        _own[key] = start_server(level, preload)
    return _own[key].address


def close_own_servers() -> None:
    """End the servers that `find_server` started."""
    while _own:
        _own.popitem()[1].close()
