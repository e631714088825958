"""The tensor doctor: causes and fixes of tensor errors, and the silent faults seen.

`%load_ext lens.doctor` explains the errors of a notebook from then on; so does `enable()`.
"""

from lens.doctor.finding import Finding, Operand, render
from lens.doctor.notebook import disable, enable

__all__ = ["Finding", "Operand", "disable", "enable", "explain", "render"]


def explain(error: BaseException) -> Finding | None:
    """What the doctor knows about an error; None where it is not about tensors."""
    from lens.doctor import diagnosis

    return diagnosis.explain(error)


def load_ipython_extension(shell) -> None:
    """`%load_ext`: explain errors from here on."""
    enable(shell)


def unload_ipython_extension(shell) -> None:
    """`%unload_ext`: show errors as IPython does by itself."""
    disable(shell)
