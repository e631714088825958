"""The process that stays behind when the fork server becomes process 1 of a pid namespace."""

import os
import signal

_HANDED_ON = (signal.SIGTERM, signal.SIGHUP) if hasattr(signal, "SIGHUP") else ()
_LOOK = 1.0  # seconds between looks whether the parent is still there
_GRACE = 5.0  # seconds that the server has to end after SIGTERM


def fork_first_process() -> None:
    """Go on in a child, process 1 of the pid namespace made for it; the caller never returns."""
    parent = os.getppid()
    waited = {signal.SIGCHLD, *_HANDED_ON}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited)
    pid = os.fork()
    if pid == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    try:
        _end_like(_watch(pid, parent, waited))
    finally:
        os._exit(1)


def _watch(pid: int, parent: int, waited: set[signal.Signals]) -> int:
    """Hand signals on until the server ends; its wait status."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to the server as well
    os.closerange(3, 1 << 16)  # else who waits for the end of a pipe would wait for this process
    left = None
    while True:
        came = signal.sigtimedwait(waited, _LOOK)
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return status
        if came and came.si_signo in _HANDED_ON:
            os.kill(pid, came.si_signo)
            left = _GRACE
        elif came is None and left is not None:
            left -= _LOOK
        if os.getppid() != parent or (left is not None and left <= 0):
            os.kill(pid, signal.SIGKILL)  # the first process takes all others along


def _end_like(status: int) -> None:
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {-code})
        os.kill(os.getpid(), -code)
    os._exit(code & 255)
