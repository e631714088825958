"""What runs in which kernel; cells are numbers, no kernel runs."""

from autograder.engine.replay import Replay


def run(replay, kernel):
    """One kernel's life. `kernel` says what cells do there: how they end, or end the kernel."""
    ran = []
    for index in replay.cells():
        ran.append(index)
        what = kernel.get(index, "ok")
        if what in ("died", "timeout"):
            replay.settle()
            replay.fail(index, what, started=True)
            return ran
        if what == "died unseen":
            replay.fail(index, "died", started=False)
            return ran
        replay.settle()
        replay.earn(index, "error" if what == "error" else "ok")
        if index in replay.doubted:
            if what == "lies and dies":
                replay.blame(index, "died")
                return ran
            replay.settle()
        if what in ("lies and dies", "then a thread kills"):
            replay.doubt()
            return ran
    replay.settle()
    return ran


def new(cells=4):
    return Replay([None] * cells)


def test_without_trouble_each_cell_runs_once():
    replay = Replay(["", None, "", None])
    assert run(replay, {3: "error"}) == [1, 3]
    assert replay.ends == ["", "ok", "", "error"]
    assert not replay.waiting()


def test_a_cell_that_ends_its_kernel_is_left_out_and_the_others_run_again():
    replay = new()
    assert run(replay, {1: "timeout"}) == [0, 1]
    assert replay.waiting() == [2, 3]
    assert run(replay, {}) == [0, 2, 3]
    assert replay.ends == ["ok", "timeout", "ok", "ok"]


def test_a_verdict_earned_before_stands_whatever_the_second_run_says():
    replay = new()
    run(replay, {0: "error", 1: "died"})
    run(replay, {0: "ok"})
    assert replay.ends[0] == "error"


def test_a_cell_that_ends_only_the_second_kernel_keeps_its_verdict_and_is_left_out():
    replay = new()
    run(replay, {2: "died"})
    assert run(replay, {1: "died"}) == [0, 1]
    assert run(replay, {}) == [0, 3]
    assert replay.ends == ["ok", "ok", "died", "ok"]


def test_nothing_runs_after_the_last_cell_that_waits():
    replay = new()
    run(replay, {3: "died"})
    assert replay.waiting() == [] and list(replay.cells()) == []


def test_a_cell_that_dies_before_it_is_seen_to_start_is_found_out_in_the_next_kernel():
    replay = new()
    run(replay, {2: "died unseen"})
    assert replay.ends == ["ok", None, None, None]  # perhaps 1 lied, and then ended the kernel
    run(replay, {2: "died unseen"})
    run(replay, {})
    assert replay.ends == ["ok", "ok", "died", "ok"]


def test_the_first_cell_of_a_kernel_that_dies_unseen_has_nobody_else_to_blame():
    replay = new(2)
    run(replay, {0: "died unseen"})
    run(replay, {})
    assert replay.ends == ["died", "ok"]


def test_a_cell_that_lies_and_ends_the_kernel_gets_nothing():
    replay = new()
    run(replay, {1: "lies and dies"})
    assert replay.ends[1] is None
    run(replay, {1: "lies and dies"})
    run(replay, {})
    assert replay.ends == ["ok", "died", "ok", "ok"]


def test_an_honest_cell_after_which_a_thread_ends_the_kernel_keeps_its_verdict():
    replay = new()
    run(replay, {1: "then a thread kills"})
    run(replay, {1: "then a thread kills"})
    run(replay, {})
    assert replay.ends == ["ok"] * 4


def test_there_is_an_end_even_if_every_kernel_dies():
    for trouble in ("died", "died unseen", "lies and dies", "then a thread kills", "timeout"):
        replay = new(6)
        for kernel in range(13):
            if not replay.waiting():
                break
            last = [*replay.cells()][-1]
            run(replay, dict.fromkeys(range(kernel % 3, last + 1), trouble))
        assert not replay.waiting(), trouble
