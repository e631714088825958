"""The filter of system calls: run by hand for both architectures, and for real on this one."""

import errno
import platform
import re
from pathlib import Path

import pytest

from autograder.sandbox import seccomp

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
MACHINES = list(HEADERS)


def verdict(machine: str, number: int, *arguments: int, architecture: int | None = None) -> int:
    """What the filter says of a call, by the rules of classic BPF."""
    values = {0: number, 4: architecture or seccomp._ARCHITECTURES[machine]}
    for place, argument in enumerate(arguments):
        values[16 + 8 * place] = argument & 0xFFFFFFFF
    steps, at, held = seccomp._program(machine), 0, 0
    tests = {0x15: lambda a, k: a == k, 0x35: lambda a, k: a >= k, 0x45: lambda a, k: bool(a & k)}
    while True:
        code, yes, no, value = steps[at]
        at += 1
        if code == 0x20:
            held = values.get(value, 0)
        elif code == 0x06:
            return value
        else:
            at += yes if tests[code](held, value) else no


def numbers(machine: str, table: dict) -> dict[str, int]:
    column = MACHINES.index(machine)
    return {name: both[column] for name, both in table.items() if both[column] is not None}


@pytest.mark.parametrize("machine", MACHINES)
def test_the_numbers_are_those_of_the_kernel(machine):
    if not HEADERS[machine].exists():
        pytest.skip(f"no {HEADERS[machine]}: Debian's linux-libc-dev has it")
    text = HEADERS[machine].read_text()
    kernel = {n: int(v) for n, v in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\b", text)}
    tables = (seccomp._FORBIDDEN, seccomp._ABSENT, seccomp._SPECIAL)
    ours = {name: n for table in tables for name, n in numbers(machine, table).items()}
    assert len(ours) > 60
    known = {name: number for name, number in ours.items() if name in kernel}
    assert known == {name: kernel[name] for name in known}
    assert set(ours) - set(known) <= {"statmount", "listmount", "open_tree_attr"}  # younger


@pytest.mark.parametrize("machine", MACHINES)
def test_each_listed_call_is_refused_and_all_others_are_allowed(machine):
    refused = dict.fromkeys(numbers(machine, seccomp._FORBIDDEN).values(), errno.EPERM)
    refused |= dict.fromkeys(numbers(machine, seccomp._ABSENT).values(), errno.ENOSYS)
    special = set(numbers(machine, seccomp._SPECIAL).values())
    for number in set(range(500)) - special:
        expected = ERROR | refused[number] if number in refused else ALLOW
        assert verdict(machine, number) == expected, number


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_with_arguments_are_judged_by_them(machine):
    call = numbers(machine, seccomp._SPECIAL)
    refuse, no_family = ERROR | errno.EPERM, ERROR | errno.EAFNOSUPPORT
    assert verdict(machine, call["clone"], 0x11) == ALLOW  # fork
    assert verdict(machine, call["clone"], 0x3D0F00) == ALLOW  # a thread
    for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert verdict(machine, call["clone"], flag | 0x11) == refuse
    for name in ("socket", "socketpair"):
        assert verdict(machine, call[name], 1) == ALLOW
        for family in (0, 2, 10, 16, 17, 38, 40):
            assert verdict(machine, call[name], family) == no_family
    for request, expected in ((0x5401, ALLOW), (0x5412, refuse), (0x541C, refuse)):
        assert verdict(machine, call["ioctl"], 0, request) == expected
        assert verdict(machine, call["ioctl"], 0, request | 7 << 32) == expected  # cut off there
    for persona, expected in ((0, ALLOW), (0xFFFFFFFF, ALLOW), (0x0040000, refuse)):
        assert verdict(machine, call["personality"], persona) == expected


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_of_another_architecture_kill(machine):
    assert verdict(machine, 0, architecture=0x40000003) == KILL


def test_the_second_table_of_x86_is_refused():
    assert verdict("x86_64", 0x40000000 + 101) == ERROR | errno.ENOSYS


def test_what_honest_programs_use_works_in_the_sandbox(box):
    code = """
    import asyncio, ctypes, multiprocessing, os, pty, subprocess, sys, tempfile, threading
    from multiprocessing import shared_memory

    def work(queue, block):
        block.buf[0] = 7
        queue.put(os.getpid())

    context = multiprocessing.get_context("fork")
    block = shared_memory.SharedMemory(create=True, size=1 << 20)
    queue = context.Queue()
    process = context.Process(target=work, args=(queue, block))
    process.start()
    assert queue.get() == process.pid and block.buf[0] == 7
    process.join()
    block.close(); block.unlink()
    with context.Manager() as manager:  # a Unix socket, abstract
        assert manager.list([1])[0] == 1
    thread = threading.Thread(target=asyncio.run, args=(asyncio.sleep(0),))
    thread.start(); thread.join()
    listed = subprocess.run(["ls", "-l"], capture_output=True, text=True, check=True).stdout
    assert listed.startswith("total"), listed
    first, second = pty.openpty()
    os.write(second, b"x"); assert os.read(first, 1) == b"x"
    assert os.path.exists(os.ttyname(second))
    assert tempfile.gettempdir() == "/tmp"
    tempfile.TemporaryFile().write(b"x")
    os.sched_setaffinity(0, os.sched_getaffinity(0))
    print("all")
    """
    assert box.run(code).split() == ["all"]


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="numbers of x86-64")
def test_refused_calls_fail_for_real(box):
    calls = {"ptrace": 101, "keyctl": 250, "bpf": 321, "io_uring_setup": 425, "clone3": 435}
    code = f"""
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    for number in {list(calls.values())}:
        assert libc.syscall(number, 0, 0, 0, 0) == -1
        print(ctypes.get_errno())
    """
    assert box.run(code).split() == ["1", "1", "1", "1", "38"]
