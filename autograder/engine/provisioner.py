"""A jupyter_client kernel provisioner: kernels forked, ready, from a server that imported torch.

A kernelspec's metadata chooses it and its options; see `kernelspecs`. Whatever starts kernels
through jupyter_client can use it: nbclient, nbconvert, nbgrader, nbval.
"""

import os
import shutil
import signal
from base64 import b64encode
from pathlib import Path

import ipykernel_launcher
from jupyter_client.provisioning import LocalProvisioner
from traitlets import Bool, Dict, List, Unicode

from autograder.engine import servers, wire
from autograder.engine.companions import read_companions
from autograder.engine.environment import for_kernel
from autograder.engine.link import Link, parse_testimony
from autograder.limits import Limits

HISTORY = "--HistoryManager."
LISTENING = 5.0  # seconds that the server gets to answer for a kernel's witness
GONE = 5.0  # seconds that a killed kernel gets to be gone


class ForkProvisioner(LocalProvisioner):
    """Starts, signals and ends one forked kernel.

    Given `start_kernel(files={path: content})`, it runs in a new folder that holds them. A confined
    one does in any case, with copies of what lies in its `cwd` where `companions` says so.
    """

    level = Unicode("none").tag(config=True)  # one of autograder.sandbox.Level
    limits = Dict().tag(config=True)  # Limits.to_json(); {} for none, where there is no sandbox
    companions = Bool(False).tag(config=True)  # notebooks and hidden files are left out
    preload = List(Unicode(), servers.PRELOAD).tag(config=True)

    link: Link | None = None
    folder: Path | None = None  # where the kernel's sockets lie
    _end: dict | None = None

    @property
    def has_process(self) -> bool:
        return self.link is not None

    @property
    def ended(self) -> dict | None:
        """How the kernel ended, None while it lives.

        {"exit": status, "why": "" | "cpu" | "wall" | "memory" | "killed", "error": why it did not
        start, "cpu": seconds that it took, with all of its processes}
        """
        if self.link is None:
            return self._end
        self.link.read()
        return self.link.ended

    async def pre_launch(self, **kwargs):
        manager = self.parent
        files = kwargs.pop("files", None)
        if self.folder is None:
            self.folder = servers.make_private_folder()
            manager.cleanup_connection_file()
            manager.transport, manager.ip = "ipc", str(self.folder / "k")
            manager.cache_ports = False
        kwargs = await super().pre_launch(**kwargs)
        return kwargs | {"files": files}

    async def launch_kernel(self, cmd, **kwargs):
        """Have a kernel forked. Raises RuntimeError, with what to do, where that does not work."""
        info = self.connection_info
        link = Link(servers.find_server(self.level, self.preload))
        descriptors = [wire.write_body(self._body(cmd, kwargs))]
        try:
            for channel in wire.CHANNELS:
                path = Path(f"{info['ip']}-{info[f'{channel}_port']}")
                path.unlink(missing_ok=True)  # of the kernel before, where this is a restart
                descriptors.append(wire.listen(str(path)).detach())
            launch = {"level": self.level, "limits": self._limits()}
            link.send({"launch": launch}, descriptors)
            await link.wait(lambda: link.pid or link.refusal or link.ended)
            if not link.pid:
                raise RuntimeError(f"no kernel: {link.refusal or link.ended['error']}")
        except BaseException:
            link.close()
            raise
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        self.link, self._end = link, None
        self.pid, self.pgid, self.ip = link.pid, None, info["ip"]
        self.cwd = kwargs.get("cwd") or os.getcwd()
        return info

    def _limits(self) -> dict:
        confined = self.level != "none"
        return Limits.from_json(self.limits).to_json() if confined or self.limits else {}

    def _body(self, cmd: list[str], kwargs: dict) -> dict:
        """What the kernel is told, as JSON."""
        confined = self.level != "none"
        environ = {**(kwargs.get("env") or os.environ)}
        environ.pop("JPY_PARENT_PID", None)  # the server minds whether the client is there
        cwd = str(kwargs.get("cwd") or os.getcwd())
        limits = self._limits()
        files = kwargs.get("files")
        if files is None and confined:
            files = read_companions(cwd, limits["disk"]) if self.companions else {}
        key = self.connection_info["key"]
        _, *arguments = [word for word in cmd if word not in ("-m", "ipykernel_launcher")]
        if not any(word.startswith(HISTORY) for word in arguments):
            arguments.append(
                f"{HISTORY}hist_file=:memory:"
            )  # as nbclient has it for an ordinary kernel
        return {
            "connection": {
                "key": key.decode() if isinstance(key, bytes) else key,
                "signature_scheme": self.connection_info["signature_scheme"],
            },
            "connection_file": self.parent.connection_file,
            "env": for_kernel(environ) if confined else environ,
            "cwd": cwd,
            "files": files and {name: b64encode(data).decode() for name, data in files.items()},
            "limits": limits,
            "argv": [ipykernel_launcher.__file__, *arguments],
            "arguments": arguments,
        }

    async def poll(self) -> int | None:
        if self.link is None:
            return 0
        return self.ended and self.ended["exit"]

    async def wait(self) -> int | None:
        if self.link is None:
            return 0
        end = await self.wait_ended()
        self._hang_up()
        return end["exit"]

    async def wait_ended(self) -> dict:
        """Wait until the kernel has ended, with everything that it started; how it ended."""
        if self.link is not None:
            await self.link.wait(lambda: self.link.ended)
        return self.ended

    async def budget(self, cpu: float, wall: float) -> None:
        """Start a cell's allowance anew: seconds of CPU and of wall clock from now on."""
        self._tell({"budget": {"cpu": cpu, "wall": wall}})

    async def inspect(self, nonce: str) -> dict | None:
        """The witness's answer; None where none came within 2 s.

        An answer that comes too late may be taken for the next one's: compare the nonce.
        """
        if self.link is None:
            return None
        answers = len(self.link.testimony)
        self._tell({"inspect": nonce})
        try:
            await self.link.wait(
                lambda: len(self.link.testimony) > answers or self.link.ended, LISTENING
            )
        except TimeoutError:
            return None
        told = self.link.testimony[answers:]
        return parse_testimony(told[0]) if told else None

    async def send_signal(self, signum: int) -> None:
        self._tell({"signal": signum})

    async def kill(self, restart: bool = False) -> None:
        await self.send_signal(signal.SIGKILL)

    async def terminate(self, restart: bool = False) -> None:
        await self.send_signal(signal.SIGTERM)

    async def shutdown_requested(self, restart: bool = False) -> None:
        """Kill it: a graceful exit takes longer than the notebook, and nothing is to survive."""
        await self.kill()
        if self.link is not None:
            await self.link.wait(lambda: self.link.ended, GONE)

    async def cleanup(self, restart: bool = False) -> None:
        self._hang_up()
        if not restart and self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None

    def _tell(self, message: dict) -> None:
        if self.link is not None and self.ended is None:
            self.link.send(message)

    def _hang_up(self) -> None:
        if self.link is not None:
            self.link.read()
            self.link.close()
            self._end, self.link = self.link.ended, None
