"""Who ends when: the fork server, the process that stays behind for it, and the submissions."""

import os
import signal
import subprocess
import textwrap

import pytest

from tests.autograder.sandbox.boxkit import DRIVER


def wait_for(process, line: str) -> None:
    assert process.stdout.readline().strip() == line


SLEEPER = "import time\nlaunch(\"print('asleep', flush=True); import time; time.sleep(60)\")\n"


@pytest.mark.parametrize("way", [signal.SIGKILL, signal.SIGTERM])
def test_when_the_server_is_killed_every_submission_dies(box, way):
    process = box.start(SLEEPER + "time.sleep(60)")
    with process:
        wait_for(process, "asleep")
        process.send_signal(way)  # SIGTERM has no handler there: it is killed after some seconds
        assert process.stdout.read() == ""  # nobody holds the pipe any more


def test_sigterm_reaches_the_server_and_its_exit_status_its_caller(user_box):
    code = """
    import signal, time
    signal.signal(signal.SIGTERM, lambda *_: os._exit(7))
    print("ready", flush=True)
    time.sleep(60)
    """
    with user_box.start(code) as process:
        wait_for(process, "ready")
        process.terminate()
        assert process.wait(30) == 7


def test_when_its_caller_is_gone_the_server_is_killed(user_box):
    caller = """
    import subprocess, sys, time
    process = subprocess.Popen([sys.executable, "-I", sys.argv[1]], stdin=subprocess.PIPE)
    process.communicate(sys.argv[2].encode(), timeout=3)
    """
    asked = user_box.asked(SLEEPER + "time.sleep(60)")
    command = [*user_box.python, "-I", "-c", textwrap.dedent(caller), str(DRIVER), asked]
    ran = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd="/",
        timeout=30,
        env={"PATH": os.environ["PATH"], "TMPDIR": user_box.top},
    )
    assert ran.stdout.split() == ["asleep"] and "TimeoutExpired" in ran.stderr


def test_a_process_that_uses_its_cpu_time_up_is_killed_though_it_is_the_first(user_box):
    code = """
    limit = "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 1))\\n"
    pid = launch(limit + "while True: pass")
    print(os.WTERMSIG(os.waitpid(pid, 0)[1]))
    """
    assert user_box.serve(code).split() == [str(int(signal.SIGKILL))]


def test_the_processes_of_other_graders_do_not_count_against_a_submission(box):
    started = """
    import time
    for number in range(12):
        if os.fork() == 0:
            time.sleep(60)
    print("started", flush=True)
    time.sleep(60)
    """
    with box.start(f"os.waitpid(launch({started!r}), 0)", processes=16) as process:
        wait_for(process, "started")
        with box.start(f"os.waitpid(launch({started!r}), 0)", processes=16) as other:
            wait_for(other, "started")
            other.kill()
        process.kill()
