"""A box around each submission: what runs in it sees and harms nothing outside.

One fork server enters once; every child that it forks confines itself before it runs a learner's
code. All of it needs a process with a single thread and nothing but the standard library.

    server = enter_server(best_level(), base, readable)     # once, before heavy imports
    before_fork(server)
    pid = os.fork()
    if pid == 0:
        home = confine(server, slot, limits, files)         # the child's first act, or nearly so
        ...
    before = usage(pid, limits.memory, before)              # now and then
    end(server, pid)                                        # kills all of it
    os.waitpid(pid, 0)
    clean(server, slot)                                     # when it has ended
    sweep(server, the_living)                               # after each end, and now and then

At the level "namespaces" `enter_server` returns in a child of the process that called it, and that
child is process 1 of a pid namespace: `os.getppid()` is 0 there, its pids mean nothing outside, and
when it dies everything in it dies with it. The caller stays behind, hands SIGTERM and SIGHUP on
(and kills what has not ended five seconds later), ends as the child ends, and kills it when its own
parent is gone.

A confined child is process 1 of its own namespace: only SIGKILL and signals with a handler reach
it, and what it signals to itself by default is ignored. Orphans in it become its zombies, bounded
by `limits.processes`, which also counts threads. It sets HOME and TMPDIR in `os.environ`, of
which the module tempfile then knows, and leaves the rest to the caller. It closes descriptors of
folders, through which one could climb out; every other descriptor stays open and is the caller's to
choose.

At the weaker levels orphans become children of the fork server, which must reap them, and the
limit of processes is the caller's to watch too (`usage`): root's own processes are not counted.
"""

from .core import ServerSandbox, before_fork, clean, confine, end, enter_server, sweep
from .levels import Description, Level, describe
from .probe import ProbeResult, best_level, probe, why_not
from .usage import Usage, usage

__all__ = [
    "Description",
    "Level",
    "ProbeResult",
    "ServerSandbox",
    "Usage",
    "before_fork",
    "best_level",
    "clean",
    "confine",
    "describe",
    "end",
    "enter_server",
    "probe",
    "sweep",
    "usage",
    "why_not",
]
