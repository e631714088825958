"""Running a program under the watch, with its source at hand."""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from itertools import count
from pathlib import Path

import torch

from lens.doctor.finding import Finding
from lens.doctor.watch import watch

HERE = Path(__file__).parent
_numbers = count(1)


def run(source: str, names: dict | None = None, strict: bool = True) -> list[Finding]:
    """What the watch says of a program, which may raise."""
    return run_and_error(source, names, strict)[0]


def run_and_error(source: str, names: dict | None = None, strict: bool = True):
    """(findings, the program's own error or None); `strict` lets a detector's error through."""
    name = f"<watched {next(_numbers)}>"
    names = {"__name__": "__main__"} if names is None else names
    torch.manual_seed(0)
    error = None
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        report = None
        try:
            with watch(source, name, show=False, strict=strict) as report:
                exec(compile(source, name, "exec"), names)
        except Exception as raised:
            error = raised
    torch.use_deterministic_algorithms(False)
    return report.findings, error


def reported(kind: str = "silent") -> list[dict]:
    """The programs after public reports."""
    lines = (HERE / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    return [case for case in map(json.loads, lines) if case["kind"] == kind]


def places(findings: list[Finding]) -> list[tuple[str, int]]:
    """(family, line) of each finding."""
    return [(finding.family, finding.line) for finding in findings]
