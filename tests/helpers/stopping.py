"""The time that searches take to end: after a limit in seconds, and after Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.budget import now
from gpu_ls_plugin.runs.compiling import compile_search
from gpu_ls_plugin.tours.candidates.nearest import All
from tests.helpers.configurations import SEARCHES, TOGETHER

if TYPE_CHECKING:
    from collections.abc import Callable

EXHAUSTIVE = gls.LocalSearch([gls.TwoOpt()], All(), gls.Best())
# All kinds of chains, and a very long pass.
STOPPED: dict[str, Any] = {
    **SEARCHES,
    "random 3-opt of 10**8": gls.LocalSearch([gls.ThreeOpt()], All(), gls.RandomK(10**8)),
    "chains": gls.IteratedLocalSearch(),
    "chains that restart": gls.IteratedLocalSearch(restart_after=50),
    "chains that cross": gls.IteratedLocalSearch(cooperation=gls.EdgeAssembly(0.05)),
    "chains on parts": gls.IteratedLocalSearch(part=400),
    "stepped sweeps": gls.IteratedLocalSearch(gls.LocalSearch([gls.TwoOpt()], pivoting=gls.Best())),
    "stepped climbs": gls.IteratedLocalSearch(EXHAUSTIVE),
    "stepped climbs that restart": gls.IteratedLocalSearch(EXHAUSTIVE, restart_after=1),
    "stepped, together": gls.IteratedLocalSearch(TOGETHER["2-opt and Or-opt together"]),
    "stepped restarts": gls.IteratedLocalSearch(gls.LocalSearch(), gls.Restart()),
    "random restarts": lambda problem, tours, **limits: gls.RandomRestarts(EXHAUSTIVE)(
        problem, **limits
    ),
}


def new_problem(n: int) -> gls.TSP:
    """Return a problem without cached candidate lists."""
    return gls.TSP(np.random.default_rng(n).integers(0, 100 * n, (n, 2)), "EUC_2D")


def overrun(search: Callable[..., Any], n: int, rows: int, seconds: float, backend: str) -> float:
    """Return the seconds by which a search exceeds its limit, without compilation."""
    tours = np.random.default_rng(0).permuted(np.tile(np.arange(n), (rows, 1)), axis=1)
    compile_search(search, new_problem(n), tours, backend)
    problem = new_problem(n)
    begin = now()
    result = search(problem, tours, budget=gls.Budget(seconds=seconds), backend=backend)
    over = now() - begin - seconds
    assert (problem.cost(result.tours) == result.costs).all()
    assert result.statistics.stopped_by in ("seconds", "optimum", "filter", "climbs")
    return over


def delay(
    search: Callable[..., Any], n: int, rows: int, press: float, backend: str
) -> float | None:
    """Return the seconds from Ctrl-C, `press` seconds after the start, to the result.

    None if the search ended earlier. Must be called in the main thread.
    """
    problem = new_problem(n)
    tours = np.random.default_rng(0).permuted(np.tile(np.arange(n), (rows, 1)), axis=1)
    compile_search(search, new_problem(n), tours, backend)
    pressed: list[float] = []

    def signal_it() -> None:
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(press, signal_it)
    timer.start()
    try:
        search(problem, tours, budget=gls.Budget(seconds=60), backend=backend)
        end = time.perf_counter()
    except KeyboardInterrupt:  # before the first tour
        end = time.perf_counter()
    finally:
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGINT, before)
    return end - pressed[0] if pressed else None
