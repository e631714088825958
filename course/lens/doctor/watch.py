"""`with lens.watch():` follows tensor operations and tells of faults that raise nothing."""

from __future__ import annotations

import ast
import contextlib
import linecache
import os
import sys
from types import FrameType

import torch
from torch.nn.modules import module as modules
from torch.optim import optimizer as optimizers
from torch.overrides import TorchFunctionMode

from lens.doctor.finding import Finding, render
from lens.doctor.silent import detectors  # noqa: F401  detectors sign up when imported
from lens.doctor.silent.event import Event
from lens.doctor.silent.places import is_own
from lens.doctor.silent.session import Session
from lens.doctor.silent.signals import operation, words
from lens.language import say

SILENT = {
    *(
        f"get:{name}"
        for name in words(
            "shape dtype device ndim is_leaf is_cuda is_cpu is_meta is_sparse layout itemsize "
            "nbytes names is_quantized is_mkldnn is_nested is_mps is_xpu is_xla real imag name "
            "_version retains_grad _grad _backward_hooks output_nr _base volatile"
        )
    ),
    *words(
        "dim size stride numel nelement is_floating_point is_complex len element_size "
        "is_contiguous _set_grad_enabled _record_function_enter_new hash ndimension "
        "_record_function_exit._RecordFunction storage_offset data_ptr untyped_storage "
        "_typed_storage is_inference is_same_size"
    ),
}


class Report:
    """What a watch found so far: `findings`, in the order in which they showed."""

    def __init__(self):
        self.findings: list[Finding] = []

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self):
        return iter(self.findings)

    def __str__(self) -> str:
        if not self.findings:
            return say("watch: nothing to report", "watch：没有发现问题")
        head = say("silent fault", "静默错误")
        blocks = []
        for finding in self.findings:
            first, *rest = render(finding)
            blocks.append("\n".join([f"⚠ {head} [{finding.family}] {first}", *rest]))
        return "\n\n".join(blocks)

    __repr__ = __str__


class watch:
    """Follow the operations of a block and report, once for each line, faults that raise nothing.

    `source` and `filename` tell what text the code was compiled from, where no file or cell holds
    it. With `show`, what was found is printed when the block ends. The block's own exception passes
    through; nothing stays patched afterwards.
    """

    def __init__(
        self,
        source: str | None = None,
        filename: str | None = None,
        *,
        show: bool = True,
        strict: bool = False,
    ):
        self.report = Report()
        self._source, self._filename, self._show = source, filename, show
        self._session = Session(self.report.findings, strict)
        self._undo = contextlib.ExitStack()

    def __enter__(self) -> Report:
        session = self._session
        session.home = sys._getframe(1)
        home = session.home.f_code.co_filename
        session.main = self._filename or home
        self._show &= bool(self._filename) or is_own(home)  # a library prints for itself
        if self._filename:
            self._lend_source()
        else:
            session.span = _block(session, session.home)
        for handle in _hooks(session):
            self._undo.callback(handle.remove)
        self._undo.enter_context(_Operations(session))
        return self.report

    def __exit__(self, *error) -> None:
        session = self._session
        with contextlib.suppress(Exception):
            session.moment("end")
        self._undo.close()
        session.close()
        if self._show and self.report.findings:
            print(self.report)

    def _lend_source(self) -> None:
        """Let `linecache` know the text for as long as the watch lasts."""
        name, text = self._filename, self._source
        if text is None or linecache.getlines(name):
            return
        lines = text.splitlines(keepends=True)
        linecache.cache[name] = (len(text), None, lines, name)
        self._undo.callback(linecache.cache.pop, name, None)


class _Operations(TorchFunctionMode):
    """Sees every torch function that the block calls, in this process and this thread."""

    def __init__(self, session: Session):
        super().__init__()
        self.session, self.process = session, os.getpid()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        session = self.session
        name = "" if session.stepping else operation(func)
        if not name or name in SILENT or os.getpid() != self.process or _transforming():
            return func(*args, **kwargs)
        event = Event(session, name, args, kwargs)
        session.before(event)
        if name == "backward":
            root = args[0] if isinstance(args[0], torch.Tensor) else args[0][0]
            session.moment("before_backward", event, root)
            return self._backward(event, root, func)
        event.result = func(*args, **kwargs)
        session.after(event)
        return event.result

    def _backward(self, event: Event, root: torch.Tensor, func) -> object:
        done = False
        try:
            event.result = func(*event.args, **event.kwargs)
            done = True
        finally:
            self.session.moment("after_backward", event, root, done)
        return event.result


def _transforming() -> bool:
    """Whether values are stand-ins: under `torch.func`, tracing or compiling."""
    return (
        torch._C._functorch.peek_interpreter_stack() is not None
        or torch._C._get_tracing_state() is not None
        or torch.compiler.is_compiling()
        or torch._C._len_torch_dispatch_stack() > 0
    )


def _hooks(session: Session) -> list:
    """Global hooks of modules and optimizers, to be removed when the block ends."""
    process = os.getpid()

    def asleep() -> bool:
        return os.getpid() != process or bool(session.stepping) or _transforming()

    def enter(module, args):
        if not asleep():
            session.running.append(module)
            session.moment("before_forward", module, args)

    def leave(module, args, result):
        if not asleep():
            session.moment("after_forward", module, args, result)
            while session.running and session.running.pop() is not module:
                pass

    def registered(module, name, parameter):
        if not asleep():
            session.moment("registered", module, name, parameter)

    def before_step(optimizer, args, kwargs):
        session.moment("before_step", optimizer, session.here()[0])
        session.stepping += 1

    def after_step(optimizer, args, kwargs):
        session.stepping -= 1
        session.moment("after_step", optimizer, session.here()[0])

    return [
        modules.register_module_forward_pre_hook(enter),
        modules.register_module_forward_hook(leave, always_call=True),
        modules.register_module_parameter_registration_hook(registered),
        optimizers.register_optimizer_step_pre_hook(before_step),
        optimizers.register_optimizer_step_post_hook(after_step),
    ]


def _block(session: Session, frame: FrameType) -> tuple[int, int] | None:
    """The lines of the `with` statement that a frame has just entered."""
    source = session.source(frame.f_code.co_filename)
    found = [n for n in source.statements_at(frame.f_lineno) if isinstance(n, ast.With)]
    for node in ast.walk(source.tree):
        if isinstance(node, ast.With) and node.lineno <= frame.f_lineno <= node.end_lineno:
            found.append(node)
    inner = max(found, key=lambda n: n.lineno, default=None)
    return (inner.lineno, inner.end_lineno) if inner else None
