"""When a process may fork kernels."""

import os
import sys
import threading

import pytest

from autograder.engine import pages, preload


def test_a_second_native_thread_is_a_reason_not_to_fork():
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        with pytest.raises(preload.UnsafeFork, match="one native thread"):
            preload.check_safe()
    finally:
        stop.set()
        thread.join()


def test_another_system_than_linux_is_a_reason_not_to_fork(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(preload.UnsafeFork, match="Linux"):
        preload.check_safe()


@pytest.mark.parametrize("state", ["is_initialized", "_is_in_bad_fork"])
def test_cuda_in_use_is_a_reason_not_to_fork(monkeypatch, state):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(os, "listdir", lambda path: ["1"])
    preload.check_safe()
    monkeypatch.setattr(torch.cuda, state, lambda: True)
    with pytest.raises(preload.UnsafeFork, match="CUDA"):
        preload.check_safe()


def test_large_pages_are_an_offer_and_not_a_condition():
    assert pages.use_large_pages() >= 0
