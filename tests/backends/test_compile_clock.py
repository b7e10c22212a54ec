"""Clocks of searches stop while this library or CuPy compiles kernels."""

from __future__ import annotations

import pytest

from gpu_ls_plugin.backends import cuda
from gpu_ls_plugin.core.budget import Stopwatch, compiling, now
from gpu_ls_plugin.core.compilations import compilations


def test_a_clock_stops_while_kernels_are_compiled(clock):
    watch = Stopwatch(None)
    with compiling():
        clock.advance(10)
        with compiling():
            clock.advance(10)
    clock.advance(5)
    assert watch.elapsed == pytest.approx(5, abs=0.1)


def test_the_clock_runs_again_after_an_error(clock):
    watch = Stopwatch(None)
    with pytest.raises(RuntimeError), compiling():
        raise RuntimeError("from the compiler")
    clock.advance(2)
    assert watch.elapsed >= 2


@pytest.mark.usefixtures("nvrtc")
def test_kernels_that_cupy_compiles_do_not_count_and_are_shown(monkeypatch, clock):
    from cupy.cuda import compiler

    shown = []

    def slow(*given, **options):
        shown.append(compilations.names)
        clock.advance(10)

    assert callable(getattr(compiler, cuda.PRIVATE)), "CuPy has changed: look for another place"
    monkeypatch.setattr(compiler, cuda.PRIVATE, slow)
    monkeypatch.setattr(compilations, "count", 0)
    cuda.stop_clocks_for_cupy.__wrapped__()
    before = now()
    getattr(compiler, cuda.PRIVATE)("kernel")
    with compilations.named("chain"):
        getattr(compiler, cuda.PRIVATE)("kernel")
    assert now() - before < 1
    assert shown == ["CuPy's kernels", "chain (1 done)"] and compilations.count == 2
