"""The kernelspec of forked kernels, offered without installing anything.

`autograder/jupyter` on JUPYTER_PATH offers the one without a sandbox to every tool; the manager
here offers one of any level to code that may choose its manager.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from traitlets import Instance

from autograder.engine.servers import PRELOAD
from autograder.limits import Limits

NAME = "tensor-course-fork"
JUPYTER = Path(__file__).parents[1] / "jupyter"  # for JUPYTER_PATH
FOLDER = JUPYTER / "kernels" / NAME


def fork_kernel_spec(
    level: str,
    limits: Limits | None = None,
    companions: bool = False,
    preload: Sequence[str] = PRELOAD,
) -> KernelSpec:
    """A kernelspec whose kernels are forked and confined at `level`.

    `companions`: copy what lies beside the notebook into the sandbox, for tools that do not say
    which files a notebook needs.
    """
    values = json.loads((FOLDER / "kernel.json").read_text())
    values["metadata"]["kernel_provisioner"]["config"] = {
        "level": str(level),
        "limits": limits.to_json() if limits else {},
        "companions": companions,
        "preload": list(preload),
    }
    return KernelSpec(resource_dir=str(FOLDER), **values)


class ForkKernelSpecs(KernelSpecManager):
    """Offers `spec` under its name, beside the kernels that are installed."""

    spec = Instance(KernelSpec)

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        return self.spec if kernel_name == NAME else super().get_kernel_spec(kernel_name)

    def find_kernel_specs(self) -> dict[str, str]:
        return super().find_kernel_specs() | {NAME: self.spec.resource_dir}
