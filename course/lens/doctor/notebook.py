"""The doctor in a notebook: under an error, its explanation. Nothing runs while nothing fails."""

from __future__ import annotations

import os
import sys

from lens.doctor.finding import Finding, render
from lens.language import say

BOLD, PLAIN = "\x1b[1m", "\x1b[0m"
_replaced: dict[int, tuple] = {}


def enable_for_learners() -> None:
    """Explain errors in a learner's notebook; a grader's shows what nbgrader expects."""
    if "NBGRADER_EXECUTION" not in os.environ:
        enable()


def enable(shell=None) -> None:
    """Explain errors from here on. Outside IPython this does nothing."""
    shell = shell or _shell()
    if shell is None or id(shell) in _replaced:
        return
    from lens.doctor import watch_magic

    _replaced[id(shell)] = (shell.custom_exceptions, shell.__dict__.get("CustomTB"))
    watch_magic.register(shell)
    shell.set_custom_exc((Exception,), show)


def disable(shell=None) -> None:
    """Show errors as IPython does by itself."""
    shell = shell or _shell()
    if shell is None or id(shell) not in _replaced:
        return
    from lens.doctor import watch_magic

    watch_magic.unregister(shell)
    shell.custom_exceptions, shell.CustomTB = _replaced.pop(id(shell))


def show(shell, kind, error, trace, tb_offset=None) -> None:
    """Show an error; IPython calls this in place of its own display."""
    lines = None
    if not hasattr(error, "_render_traceback_"):
        try:
            lines = explained(shell, kind, error, trace, tb_offset)
        except Exception:
            lines = None
    if lines is None:
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
        return
    error._render_traceback_ = lambda: lines
    try:
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    finally:
        del error._render_traceback_


def explained(shell, kind, error, trace, tb_offset=None) -> list[str] | None:
    """The folded traceback with the explanation under it; None where there is nothing to add."""
    from lens.doctor.diagnosis import explain
    from lens.doctor.folding import fold

    if isinstance(error, SyntaxError):
        return None
    usual = shell.InteractiveTB.structured_traceback(kind, error, trace, tb_offset=tb_offset)
    finding = explain(error)
    return [*fold(usual), *([in_colour(finding)] if finding else [])]


def in_colour(finding: Finding) -> str:
    """The explanation as a block of text, its first line and its labels in bold."""
    title = say("Tensor doctor", "张量诊断")
    lines = [
        f"{BOLD}{title} ── {line}{PLAIN}" if not i else line
        for i, line in enumerate(render(finding))
    ]
    labels = [say("Cause:", "原因："), say("Try:", "试试：")]
    return "\n" + "\n".join(_bold(line, labels) for line in lines)


def _bold(line: str, labels: list[str]) -> str:
    for label in labels:
        if line.startswith(label):
            return f"{BOLD}{label}{PLAIN}{line.removeprefix(label)}"
    return line


def _shell():
    module = sys.modules.get("IPython")
    return module.get_ipython() if module else None
