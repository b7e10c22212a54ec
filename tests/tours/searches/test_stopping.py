"""Every engine and every kind of chains keeps its time limit and stops at Ctrl-C."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import library_cache
from gpu_ls_plugin.backends.cpu import CpuBackend
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from tests.helpers.configurations import CUBIC, RANDOM
from tests.helpers.random_problems import random_problem, random_tours
from tests.helpers.stopping import STOPPED, delay, new_problem, overrun

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.candidates.base import CandidateLists

ON_BOTH = pytest.mark.parametrize("backend", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
SIZES = (1009, 6007)
# Seconds. On an idle machine the bars are 0.2 and 0.3 s (benchmarks/searches/bench_limits.py); here
# other tests may run as well.
OVER, DELAY = 0.5, 0.6


def every_sixth(first):
    """All searches; five sixths are slow tests, because one loop stops all of them."""
    return [
        pytest.param(name, marks=[pytest.mark.slow] * (place % 6 != first))
        for place, name in enumerate(STOPPED)
    ]


@pytest.mark.timed
@ON_BOTH
@pytest.mark.parametrize(
    ("name", "n"),
    [
        *(pytest.param(*some.values, SIZES[1], marks=some.marks) for some in every_sixth(0)),
        *(pytest.param(n, SIZES[0], marks=pytest.mark.slow) for n in (*CUBIC, *RANDOM)),
    ],
)
def test_time_limits_are_kept(name, n, backend):
    try:
        assert overrun(STOPPED[name], n, rows=5, seconds=0.1, backend=backend) < OVER
    except UnsupportedProblemError as error:
        assert "limit is 3,000 cities" in str(error)


@pytest.mark.parametrize("name", every_sixth(0))
def test_few_launches_follow_the_time_limit(name, clock):
    problem, tours, clock.launch = new_problem(SIZES[0]), random_tours(SIZES[0], 5), 0.1
    result = STOPPED[name](problem, tours, budget=gls.Budget(seconds=0.5), backend="cpu")
    assert clock.launches <= clock.most_launches(0.5)
    assert (problem.cost(result.tours) == result.costs).all()
    assert result.statistics.stopped_by in ("seconds", "optimum", "filter", "climbs")


@pytest.mark.timed
@ON_BOTH
@pytest.mark.parametrize("name", every_sixth(3))
def test_ctrl_c_ends_every_search(name, backend):
    try:
        seconds = delay(STOPPED[name], SIZES[-1], rows=5, press=0.15, backend=backend)
    except UnsupportedProblemError as error:
        assert "limit is 3,000 cities" in str(error)
    else:
        assert (seconds or 0.0) < DELAY


class Slow(Nearest):
    """Candidates that take as long as the test wants."""

    begun, may_end = 0, threading.Event()

    def build(self, problem: gls.TSP) -> CandidateLists:
        Slow.begun += 1
        assert self.may_end.wait(60)
        return super().build(problem)


def test_lists_are_made_once_even_if_a_call_ends_first():
    problem, tours = new_problem(50), random_tours(50, 2)
    for round_, k in enumerate((4, 5), 1):
        search = gls.LocalSearch(candidates=Slow(k))
        Slow.may_end.clear()
        result = search(problem, tours, budget=gls.Budget(seconds=0.05), backend="cpu")
        assert np.array_equal(result.tours, tours)
        assert result.statistics.stopped_by == "seconds"
        Slow.may_end.set()
        result = search(problem, tours, budget=gls.Budget(seconds=600), backend="cpu")
        assert result.statistics.stopped_by == "optimum"
        assert Slow.begun == round_


class Broken(Nearest):
    """Candidates that cannot be made."""

    def build(self, problem: gls.TSP) -> CandidateLists:
        raise ZeroDivisionError("from the rule")


@pytest.mark.parametrize("budget", [None, gls.Budget(seconds=5)])
def test_errors_of_lists_come_through(budget):
    for _ in range(2):
        with pytest.raises(ZeroDivisionError, match="from the rule"):
            gls.LocalSearch(candidates=Broken())(
                new_problem(20), random_tours(20, 1), budget=budget, backend="cpu"
            )


SWEEP = gls.LocalSearch([gls.OrOpt(2)], pivoting=gls.Best())
FIRST_CALLS = {
    "chains": gls.IteratedLocalSearch(gls.LocalSearch([gls.OrOpt(2)])),
    "stepped": gls.IteratedLocalSearch(SWEEP),
    "descent": gls.LocalSearch([gls.OrOpt(2)]),
    "restarts": gls.RandomRestarts(SWEEP, climbs=10**6),
}


@pytest.mark.parametrize(
    "name",
    [
        "chains",
        "descent",
        *(pytest.param(n, marks=pytest.mark.slow) for n in ("stepped", "restarts")),
    ],
)
def test_time_begins_after_compiling(name, monkeypatch, clock):
    """Here, loading a kernel takes 100 seconds."""
    problem, tours = random_problem("EUC_2D", 60), random_tours(60, 3)
    optima = SWEEP(problem, tours, backend="cpu").tours  # makes the lists, too
    new, load = CpuBackend(), library_cache.load  # a backend that has loaded nothing yet
    monkeypatch.setattr("gpu_ls_plugin.backends.cpu_backend", lambda: new)

    def slowly(*given: Any) -> Any:
        clock.advance(100)
        return load(*given)

    monkeypatch.setattr(library_cache, "load", slowly)
    starts = {"descent": [tours], "restarts": []}.get(name, [optima])
    result = FIRST_CALLS[name](problem, *starts, budget=gls.Budget(seconds=9), backend="cpu")
    found = result.statistics
    assert found.stopped_by == ("optimum" if name == "descent" else "seconds")
    assert found.seconds < 100
    assert found.moves > 0
    assert found.kicks > 0 or name in ("descent", "restarts")


def until_a_restart(progress: gls.Progress) -> None:
    if progress.restarts:
        raise KeyboardInterrupt


def test_chains_with_equal_costs_restart():
    problem = random_problem("EUC_2D", 12)
    search, tours = gls.IteratedLocalSearch(), random_tours(12, 6)
    limit = gls.Budget(seconds=600)
    found = search(problem, tours, budget=limit, backend="cpu", callback=until_a_restart)
    assert found.statistics.restarts > 0
    assert (found.costs == found.best_cost).all()
    best = found.best_cost
    # Chains do not restart under a limit of kicks: results would depend on the times of checks.
    counted = search(problem, tours, budget=gls.Budget(kicks=3000), backend="cpu")
    assert counted.statistics.restarts == 0
    assert counted.best_cost == best
    # A chain keeps its best tour if no other chain has a copy of it.
    better = gls.IteratedLocalSearch(accept=gls.Better())
    kept = better(problem, tours, budget=gls.Budget(seconds=0.2), backend="cpu")
    assert kept.statistics.restarts == 0
