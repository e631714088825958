"""A filter of system calls: what no learner's code needs is answered with an error.

A list of what is denied, since a list of what torch, numpy, zmq and the C library may call would
break honest work with each of their versions. What a denied call could do: reach into other
processes, change mounts or namespaces, use parts of the kernel with a record of faults, open a
network, or hold memory that no limit counts.
"""

import ctypes
import errno
import functools
import struct

from . import syscalls

# name: (x86-64, arm64), None where the architecture lacks it.
_FORBIDDEN = {
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # mounts, namespaces and files past the folders
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "statmount": (457, 457),
    "listmount": (458, 458),
    "open_tree_attr": (467, 467),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "acct": (163, 89),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    # parts of the kernel with a record of faults
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "vmsplice": (278, 75),
    "modify_ldt": (154, None),
    "uselib": (134, None),
    "lookup_dcookie": (212, 18),
    # the machine itself
    "reboot": (169, 142),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
}
# These answer "no such call", so that programs take another way.
_ABSENT = {
    "clone3": (435, 435),  # its flags lie in memory, where no filter can look; clone is used then
    # memory that counts as nobody's once it is unmapped
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
}
_SPECIAL = {
    "clone": (56, 220),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "ioctl": (16, 29),
    "personality": (135, 92),
}
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000  # numbers from here on are a second table of x86-64's calls
_NAMESPACE_FLAGS = 0x7E020000
_AF_UNIX = 1
_PUSH_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: typing into a terminal
_HARMLESS_PERSONALITIES = (0, 0xFFFFFFFF)  # the plain one, and asking for it

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24  # offsets; of an argument its lower half


def _give(error: int) -> list[tuple]:
    return [(_RETURN, 0, 0, _ERROR | error)]


def _when(test: int, value: int, then: list[tuple]) -> list[tuple]:
    return [(test, 0, len(then), value), *then]


def _unless(test: int, values: tuple[int, ...], then: list[tuple]) -> list[tuple]:
    """Run `then` where none of the values fits."""
    count = len(values)
    tests = [(test, count - 1 - i + len(then), 0, value) for i, value in enumerate(values)]
    return [*tests, *then]


def _on(number: int | None, offset: int, checks: list[tuple]) -> list[tuple]:
    """For the call of this number, load one argument and run `checks`, then allow it."""
    return _when(_EQUAL, number, [(_LOAD, 0, 0, offset), *checks, (_RETURN, 0, 0, _ALLOW)])


def _program(machine: str) -> list[tuple]:
    """The filter's instructions: (code, jump if true, jump if false, value)."""
    column = list(_ARCHITECTURES).index(machine)
    special = {name: numbers[column] for name, numbers in _SPECIAL.items()}
    made = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        *_unless(_EQUAL, (_ARCHITECTURES[machine],), [(_RETURN, 0, 0, _KILL)]),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine == "x86_64":
        made += _when(_AT_LEAST, _X32, _give(errno.ENOSYS))
    for calls, error in ((_FORBIDDEN, errno.EPERM), (_ABSENT, errno.ENOSYS)):
        for numbers in calls.values():
            if numbers[column] is not None:
                made += _when(_EQUAL, numbers[column], _give(error))
    made += _on(special["clone"], _FIRST, _when(_ANY_BIT, _NAMESPACE_FLAGS, _give(errno.EPERM)))
    only_unix = _unless(_EQUAL, (_AF_UNIX,), _give(errno.EAFNOSUPPORT))
    made += _on(special["socket"], _FIRST, only_unix)
    made += _on(special["socketpair"], _FIRST, only_unix)
    pushes = [step for code in _PUSH_INPUT for step in _when(_EQUAL, code, _give(errno.EPERM))]
    made += _on(special["ioctl"], _SECOND, pushes)
    plain = _unless(_EQUAL, _HARMLESS_PERSONALITIES, _give(errno.EPERM))
    made += _on(special["personality"], _FIRST, plain)
    return [*made, (_RETURN, 0, 0, _ALLOW)]


@functools.cache
def _compiled() -> tuple[int, tuple[ctypes.Array, ...]]:
    """Where the filter lies in memory, and what must be kept for it to stay there."""
    steps = _program(syscalls.machine())
    code = b"".join(struct.pack("HBBI", step, yes, no, value) for step, yes, no, value in steps)
    memory = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(memory))
    head = ctypes.create_string_buffer(header, len(header))
    return ctypes.addressof(head), (head, memory)


def prepare() -> None:
    """Make the filter in the fork server, once for all of its children."""
    _compiled()


def install() -> None:
    """Filter this process's calls, and those of all that it starts, for good."""
    syscalls.forbid_new_privileges()
    syscalls.set_filter(_compiled()[0])
