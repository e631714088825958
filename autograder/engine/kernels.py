"""The kernels that one notebook runs in: forked where that can be, else ordinary."""

import contextlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from jupyter_client.kernelspec import KernelSpec, KernelSpecManager

from autograder.engine.channels import QuickManager
from autograder.engine.client import EngineFault
from autograder.engine.ordinary import OrdinaryKernel, environment
from autograder.limits import Limits

ORDINARY = "python3"
NO_HISTORY = ["--HistoryManager.enabled=False"]
UNHEARD = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


@dataclass(frozen=True)
class Kernels:
    """Starts kernels of one kind; each has `files`, by relative path, in a folder of its own."""

    files: Mapping[str, bytes]
    level: str
    kernel: str | KernelSpec | None = None  # None: forked, where there is Linux

    def spec(self, limits: Limits) -> KernelSpec:
        if isinstance(self.kernel, KernelSpec):
            return self.kernel
        if self.kernel is None and sys.platform.startswith("linux"):
            from autograder.engine.kernelspecs import fork_kernel_spec  # Linux only

            return fork_kernel_spec(self.level, limits)
        return KernelSpecManager().get_kernel_spec(self.kernel or ORDINARY)

    @contextlib.asynccontextmanager
    async def start(self, limits: Limits, context) -> AsyncIterator[tuple[QuickManager, object]]:
        """A kernel's manager, and what knows about its process. Raises EngineFault."""
        manager = QuickManager(context=context, spec=self.spec(limits))
        forked = "kernel_provisioner" in manager.spec.metadata
        folder = None if forked else make_folder(self.files)
        place = {"files": self.files} if forked else {"cwd": str(folder)} | UNHEARD
        try:
            try:
                await manager.start_kernel(extra_arguments=NO_HISTORY, env=environment(), **place)
            except Exception as error:
                raise EngineFault(f"no kernel: {type(error).__name__}: {error}") from error
            provisioner = manager.provisioner
            yield manager, provisioner if forked else OrdinaryKernel(provisioner, limits)
        finally:
            await manager.shutdown_kernel()
            await manager.cleanup_resources()
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)


def check_server(ended: dict | None) -> None:
    """Raise EngineFault where a kernel ended since its fork server did."""
    error = (ended or {}).get("error")
    if error:
        from autograder.engine.link import LOST

        if error == LOST["error"]:
            raise EngineFault(f"a kernel was lost: {error}")


def make_folder(files: Mapping[str, bytes]) -> Path:
    """A new folder for temporary files, with these in it."""
    folder = Path(tempfile.mkdtemp(prefix="grading-"))
    for name, content in files.items():
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts:
            shutil.rmtree(folder)
            raise EngineFault(f"a companion file: expected a relative path, got {name!r}")
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder
