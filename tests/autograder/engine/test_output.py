"""The cap on output: what it lets out, and what a kernel under it does."""

import pytest

from autograder.engine.output import NOTICES, SHORT_ERROR, OutputCap
from autograder.limits import MIB, Limits
from tests.autograder.engine.forkkit import fork_kernel

TIGHT = Limits(cell_output=10_000, output=25_000)


def stream(text: str) -> dict:
    return {"name": "stdout", "text": text}


def test_what_is_within_the_cap_passes_unchanged():
    cap = OutputCap(100, 1000)
    assert cap.admit("stream", stream("short"), []) == (stream("short"), "")


def test_a_stream_is_cut_at_the_cap_with_one_notice():
    cap = OutputCap(100, 1000)
    kept, notice = cap.admit("stream", stream("x" * 300), [])
    assert kept["text"] == "x" * 100 and "more than 100 bytes" in notice
    assert cap.admit("stream", stream("more"), []) == (None, "")


def test_a_cut_never_leaves_half_a_character():
    kept, _ = OutputCap(100, 1000).admit("stream", stream("步" * 50), [])
    assert kept["text"] == "步" * 33


def test_bytes_count_and_not_characters():
    assert OutputCap(100, 1000).admit("stream", stream("步" * 40), [])[1]


def test_the_next_cell_has_its_cap_to_itself():
    cap = OutputCap(100, 1000)
    cap.admit("stream", stream("x" * 300), [])
    cap.admit("execute_input", {"code": "next"}, [])
    assert cap.admit("stream", stream("short"), []) == (stream("short"), "")


def test_the_cells_of_a_notebook_share_a_cap():
    cap = OutputCap(100, 150)
    for _ in range(2):
        cap.admit("execute_input", {"code": "next"}, [])
        _, notice = cap.admit("stream", stream("x" * 70), [])
    assert "more than 150 bytes" in notice


def test_what_was_cut_counts_for_the_notebook():
    cap = OutputCap(100, 150)
    for _ in range(2):
        cap.admit("execute_input", {"code": "next"}, [])
        kept, notice = cap.admit("stream", stream("x" * 300), [])
    assert kept["text"] == "x" * 50 and "more than 150 bytes" in notice


def test_a_picture_that_does_not_fit_is_left_out():
    cap = OutputCap(100, 1000)
    picture = {"data": {"image/png": "x" * 300}, "metadata": {}}
    kept, notice = cap.admit("display_data", picture, [])
    assert kept is None and notice


def test_buffers_count():
    assert OutputCap(100, 1000).admit("comm_msg", {"data": {}}, [b"x" * 300])[0] is None


@pytest.mark.parametrize("kind", ["status", "execute_input", "kernel_info_reply"])
def test_what_a_front_end_needs_always_passes(kind):
    cap = OutputCap(0, 0)
    assert cap.admit(kind, {"code": "x" * 300}, []) == ({"code": "x" * 300}, "")


def test_an_error_shows_where_no_room_is_left_but_short():
    cap = OutputCap(100, 1000)
    cap.admit("stream", stream("x" * 300), [])
    error = {"ename": "E" * 300, "evalue": "v" * 9000, "traceback": ["line " * 9000]}
    kept, _ = cap.admit("error", error, [])
    assert len(kept["ename"]) < 300 and kept["evalue"].startswith("v")
    assert all(len(kept[part]) < 2 * SHORT_ERROR for part in ("ename", "evalue"))
    assert len("".join(kept["traceback"])) < 2 * SHORT_ERROR
    assert cap.admit("error", error, [])[0] is None


def test_a_reply_is_cut_like_its_error():
    error = {"ename": "E", "evalue": "v" * 9 * MIB, "traceback": ["t" * 9 * MIB], "status": "error"}
    kept, _ = OutputCap(MIB, MIB).admit("execute_reply", error, [])
    assert len(kept["evalue"]) + len(kept["traceback"][0]) < MIB


def test_a_stream_buffers_little_more_than_it_may_publish():
    cap = OutputCap(100, 1000)
    assert sum(len(cap.fit("x" * 60)) for _ in range(5)) == 101


def test_the_notice_speaks_the_language_of_the_class(monkeypatch):
    monkeypatch.setenv("COURSE_LANGUAGE", "zh")
    assert OutputCap(1, 10).notice() == NOTICES["cell"]["zh"].format(limit=1)
    monkeypatch.setenv("COURSE_LANGUAGE", "xx")
    assert OutputCap(1, 10).notice() == NOTICES["cell"]["en"].format(limit=1)


FLOODS = {
    "lines": "for i in range(100_000): print('x' * 100)",
    "one line": "print('x' * 50_000_000)",
    "flushed": "for i in range(3_000): print('xxxx', flush=True)",
    "stderr": "import sys; sys.stderr.write('x' * 1_000_000); None",
    "value": "'x' * 1_000_000",
    "display": "from IPython.display import display\nfor i in range(100): display('x' * 1000)",
    "error": "raise ValueError('x' * 1_000_000)",
    "shell": "!head -c 3000000 /dev/zero | tr '\\0' x",
    "subprocess": "import subprocess; subprocess.run('head -c 3000000 /dev/zero | tr \"\\\\0\" x', "
    "shell=True); import time; time.sleep(0.5)",
    "fork": "import multiprocessing as mp\n"
    "jobs = [mp.get_context('fork').Process(target=print, args=('x' * 9000,)) for _ in range(9)]\n"
    "[job.start() for job in jobs]; [job.join() for job in jobs]; None",
    "clearing": "from IPython.display import clear_output\nfor i in range(3_000): clear_output()",
}


@pytest.fixture(scope="module")
def capped():
    with fork_kernel(limits=Limits(cell_output=10_000, output=10 * MIB)) as kernel:
        yield kernel


@pytest.mark.slow
@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_is_stopped_while_it_streams_and_the_kernel_goes_on(capped, flood):
    outputs = capped.run(FLOODS[flood])
    size = sum(len(str(each)) for each in outputs)
    assert size < 4 * 10_000
    if flood not in ("error", "fork", "clearing"):
        assert "was left out" in str(outputs)
    assert capped.printed("print('still there')") == "still there\n"


@pytest.mark.slow
def test_an_error_after_a_flood_still_shows(capped):
    outputs = capped.run("print('x' * 50_000)\n1 / 0")
    assert [each["ename"] for each in outputs if each["type"] == "error"] == ["ZeroDivisionError"]


@pytest.mark.slow
def test_a_loop_that_prints_without_end_ends_by_its_budget():
    with fork_kernel(limits=Limits(cell_output=10_000)) as kernel:
        kernel.wait(kernel.provisioner.budget(1.0, 60.0))
        kernel.client.execute("while True: print('x')")
        assert kernel.ended()["why"] == "cpu"
