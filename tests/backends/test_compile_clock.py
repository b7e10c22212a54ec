"""Clocks of searches stand still while kernels are compiled, by us and by CuPy."""

from __future__ import annotations

import time

import pytest

from gpu_ls_plugin.backends import cuda
from gpu_ls_plugin.budget import Stopwatch, compiling, now


def test_a_clock_stands_still_while_something_is_compiled():
    watch, begin = Stopwatch(None), time.perf_counter()
    with compiling():
        time.sleep(0.1)
        with compiling():
            time.sleep(0.1)
    time.sleep(0.05)
    assert 0.05 <= watch.elapsed < time.perf_counter() - begin - 0.15


def test_errors_of_a_compiler_stop_the_clock_no_longer():
    watch = Stopwatch(None)
    with pytest.raises(RuntimeError), compiling():
        raise RuntimeError("from the compiler")
    time.sleep(0.02)
    assert watch.elapsed >= 0.02


@pytest.mark.usefixtures("nvrtc")
def test_cupys_own_kernels_do_not_count(monkeypatch):
    from cupy.cuda import compiler

    def slow(*given, **options):
        time.sleep(0.1)

    assert callable(getattr(compiler, cuda.PRIVATE)), "CuPy has changed: look for another place"
    monkeypatch.setattr(compiler, cuda.PRIVATE, slow)
    cuda._leave_compiling_out.__wrapped__()
    before = now()
    getattr(compiler, cuda.PRIVATE)("kernel")
    assert now() - before < 0.05
