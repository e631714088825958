"""How well a submission can be shut in, and what each level is worth."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """From the strongest to none at all."""

    NAMESPACES = "namespaces"
    LANDLOCK = "landlock"
    RLIMITS = "rlimits"
    NONE = "none"


@dataclass(frozen=True)
class Description:
    """One line for every run, and what the level stops and lets through, a sentence each."""

    line: str
    stops: tuple[str, ...]
    lets_through: tuple[str, ...]


_LIMITS = "More memory, open files or CPU time than allowed, in any one process."
_KERNEL = "System calls that learners' code never needs: ptrace, mount, bpf, keyrings, io_uring."
_NETWORK = "Network connections of every kind, to the internet and to this machine."
_SAME_PROCESS = (
    "Anything inside its own process: a submission may tamper with the tests that run beside it. "
    "Signs of that are looked for separately."
)
_KERNEL_BUGS = "Faults in the operating system's kernel, which every submission shares."
_READS_ALL = "Reading every file that you may read: solutions, gradebook, other submissions, keys."
_WRITES_ALL = "Writing and deleting every file that you may write, and filling the disk."
_SIGNALS = "Seeing, reading, signalling and killing your other processes."
_SURVIVORS = "Processes that detach themselves in the instant before they are killed."
_SOCKETS = "Talking to your other programs through their Unix sockets."

DESCRIPTIONS = {
    Level.NAMESPACES: Description(
        line="Sandbox: namespaces. A submission sees no file, process or network of this machine.",
        stops=(
            "Reading any file but Python, its packages and the system's libraries.",
            "Writing anywhere but into a private folder of bounded size, thrown away afterwards.",
            _NETWORK,
            "Seeing, signalling or talking to any process outside, other submissions included.",
            "Processes that outlive the submission: all of them die with the first.",
            "More processes, memory, open files, disk or CPU time than allowed.",
            "Every privilege: another user id or user namespace, no capabilities, no setuid.",
            _KERNEL,
        ),
        lets_through=(_SAME_PROCESS, _KERNEL_BUGS),
    ),
    Level.LANDLOCK: Description(
        line=(
            "Sandbox: Landlock, weaker than namespaces. Files and network are closed; other "
            "programs' Unix sockets, the disk's space and detached processes are not."
        ),
        stops=(
            "Reading any file but Python, its packages and the system's libraries.",
            "Writing anywhere but into a folder of its own.",
            _NETWORK,
            "Tracing other processes; with Linux 6.12 and later also signalling them.",
            _LIMITS,
            _KERNEL,
            "Terminals, so that a notebook's `!` commands fail.",
        ),
        lets_through=(
            _SOCKETS,
            "Filling the disk with many files, since only the size of each is bounded.",
            "Seeing which processes run, by trying process ids.",
            "Starting many processes where root grades, whose processes Linux does not count.",
            "Shared memory of your other programs, in /dev/shm.",
            _SURVIVORS,
            _SAME_PROCESS,
            _KERNEL_BUGS,
        ),
    ),
    Level.RLIMITS: Description(
        line=(
            "Sandbox: resource limits only. A submission can READ AND CHANGE YOUR FILES; grade "
            "only the work of people you trust, or grade inside a container."
        ),
        stops=(
            _LIMITS,
            "On Linux also network connections, and system calls that learners' code never needs.",
        ),
        lets_through=(_READS_ALL, _WRITES_ALL, _SIGNALS, _SOCKETS, _SURVIVORS, _SAME_PROCESS),
    ),
    Level.NONE: Description(
        line=(
            "Sandbox: NONE. A submission can do everything that you can do on this machine; grade "
            "only your own code."
        ),
        stops=(),
        lets_through=(
            _READS_ALL,
            _WRITES_ALL,
            "Network connections of every kind, also to send your files away.",
            _SIGNALS,
            _SOCKETS,
            _SURVIVORS,
            "Using up the machine's memory, processes and CPU time.",
            _SAME_PROCESS,
        ),
    ),
}


def describe(level: str) -> Description:
    """What `level` (a Level or its name) stops and what it does not."""
    return DESCRIPTIONS[Level(level)]
