"""Threads of the CPU backend: all do the given work, and none goes on after a launch."""

from __future__ import annotations

import threading
from itertools import count
from math import inf

import numpy as np
import pytest

from gpu_ls_plugin.backends.cpu import CpuBackend
from gpu_ls_plugin.backends.workers import Workers
from gpu_ls_plugin.tours.construction.random_tours import random_tours_kernel


def never() -> None:
    raise AssertionError("nothing was late")


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_all_of_them_work_at_once(threads: int) -> None:
    workers = Workers()
    for _ in range(3):
        meeting = threading.Barrier(threads)
        workers.do(lambda meeting=meeting: meeting.wait(timeout=60), threads, inf, never)
    assert len(workers.threads) == threads


def test_threads_are_started_when_needed_and_fewer_may_work() -> None:
    workers = Workers()
    for threads in (1, 4, 2):
        calls = []
        workers.do(lambda calls=calls: calls.append(1), threads, inf, never)
        assert len(calls) == threads
    assert len(workers.threads) == 4


def test_an_exception_of_a_thread_is_raised_when_all_are_done() -> None:
    workers, turn, ended, first = Workers(), count(), [], threading.Event()

    def work() -> None:
        if next(turn) == 0:
            first.set()
            raise OSError("the first one")
        assert first.wait(timeout=60)
        ended.append(1)

    with pytest.raises(OSError, match="the first one"):
        workers.do(work, 3, inf, never)
    assert len(ended) == 2
    workers.do(lambda: ended.append(1), 3, inf, never)
    assert len(ended) == 5


@pytest.mark.parametrize("seconds", [0, 0.02])
def test_late_threads_are_notified_and_awaited(seconds: float) -> None:
    workers, told, ended = Workers(), threading.Event(), []

    def work() -> None:
        ended.append(told.wait(timeout=60))

    workers.do(work, 2, seconds, told.set)
    assert ended == [True, True]


@pytest.mark.parametrize("end", ["dismissed", "forgotten"])
def test_threads_end_with_their_workers(end: str) -> None:
    workers = Workers()
    workers.do(lambda: None, 3, inf, never)
    threads = workers.threads.copy()
    if end == "dismissed":
        workers.dismiss()
        assert not any(thread.is_alive() for thread in threads)
    del workers
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()


def test_threads_keep_no_reference_to_their_work() -> None:
    class Array:
        def __del__(self) -> None:
            freed.set()

    workers, freed = Workers(), threading.Event()
    array = Array()
    workers.do(lambda array=array: None, 2, inf, never)
    del array
    assert freed.wait(timeout=60)


def test_a_launch_without_enough_threads_leaves_nothing_behind(monkeypatch) -> None:
    """The next launch works, with new threads."""
    backend, start, left = CpuBackend(), threading.Thread.start, count()
    tours = np.zeros((8, 5), np.int32)
    arguments = {"n": 5, "seed": 1, "first_row": 0, "tours": tours}

    def refuse(thread: threading.Thread) -> None:
        if next(left) == 2:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setenv("GPU_LS_THREADS", "4")
    monkeypatch.setattr(threading.Thread, "start", refuse)
    before = set(threading.enumerate())
    with pytest.raises(RuntimeError, match="new thread"):
        backend.launch(random_tours_kernel("gls::Host"), 8, arguments)
    assert set(threading.enumerate()) <= before
    assert not tours.any()
    assert backend.launch(random_tours_kernel("gls::Host"), 8, arguments)
    assert (np.sort(tours) == np.arange(5)).all()
