"""Programs that fail, run the way a notebook runs a cell: with their source at hand."""

from __future__ import annotations

import contextlib
import io
import linecache
import warnings
from itertools import count

import torch

from lens.doctor import diagnosis
from lens.doctor.finding import Finding

_numbers = count(1)
SETUP = "import torch, numpy as np\nimport torch.nn.functional as F\nfrom torch import nn\n"


def run(source: str, names: dict | None = None) -> tuple[BaseException | None, dict]:
    """(the error, the names) of a program."""
    name = f"<program {next(_numbers)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    names = {"__name__": "__main__"} if names is None else names
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            exec(compile(source, name, "exec"), names)
        except Exception as error:
            return error, names
    return None, names


def finding_of(source: str) -> Finding | None:
    """What the doctor says about a program that fails."""
    error, _ = run(source)
    assert error is not None, f"does not raise:\n{source}"
    return diagnosis.explain(error)


def judge(source: str) -> tuple[Finding | None, str]:
    """(finding, "" where its fix runs in the names of the failed program, else why it does not)."""
    error, names = run(source)
    assert error is not None, f"does not raise:\n{source}"
    finding = diagnosis.explain(error)
    if finding is None or not finding.fix:
        result = "no fix"
    else:
        wrong, _ = run(finding.fix, names)
        result = f"{type(wrong).__name__}: {wrong}" if wrong else ""
    torch.use_deterministic_algorithms(False)
    return finding, result
