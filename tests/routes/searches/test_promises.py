"""Promises of both searches of routes: feasible, exact, never worse, reproducible, stoppable."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

import gpu_ls_plugin as gls
from tests.helpers.marks import slow_after
from tests.helpers.routing import random_cvrp

PARTS = gls.Decomposed(customers=15, rounds=4)
GENETIC = gls.HybridGeneticSearch(size=8, children=8, patience=6)
SEARCHES = pytest.mark.parametrize("search", [PARTS, GENETIC], ids=["parts", "genetic"])
KICKS = gls.Budget(kicks=80)


def starts_of(problem: gls.CVRP, size: int = 3) -> np.ndarray:
    return gls.savings(problem, size=size, seed=1, backend="cpu")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("search", "kind"),
    slow_after(
        2,
        [
            *((search, "capacity") for search in (PARTS, GENETIC)),
            *((GENETIC, kind) for kind in ("real duration", "fleet", "duration", "real")),
            (replace(GENETIC, crossover=gls.SplitRecombination()), "directed"),
            *((PARTS, kind) for kind in ("directed", "real duration", "fleet", "duration")),
        ],
    ),
)
def test_routes_are_feasible_exact_and_never_worse(search, kind):
    problem = random_cvrp(kind, 60)
    starts = starts_of(problem, 8)
    starts = starts[problem.feasible(starts)]  # savings may need more than a small fleet
    given = starts.copy()
    found = search(problem, starts, seed=1, budget=KICKS, backend="cpu")
    assert (starts == given).all() and found.tours.shape == starts.shape
    assert problem.feasible(found.tours).all()
    np.testing.assert_allclose(found.costs, problem.cost(found.tours), rtol=1e-12)
    history = [point.best_cost for point in found.statistics.history]
    assert history == sorted(history, reverse=True) and len(history) >= 3
    assert found.statistics.stopped_by == "kicks" and found.statistics.moves > 0
    before, kicks = problem.cost(starts), KICKS.kicks * len(starts)
    if search is PARTS:  # improves the best row, and sorts the rows
        before = np.sort(before)
        assert found.costs[0] < before[0] and (np.diff(found.costs) >= 0).all()
        np.testing.assert_allclose(found.costs[1:], before[1:], rtol=1e-12)
        assert found.statistics.kicks == pytest.approx(kicks, rel=0.1)
    else:
        assert (found.costs < before).all()
        assert found.statistics.kicks == kicks


@SEARCHES
def test_the_same_seed_gives_the_same_routes(search):
    problem = random_cvrp("capacity", 60)
    first, again, other = (
        search(problem, starts_of(problem), seed=seed, budget=KICKS, backend="cpu").tours
        for seed in (5, 5, 6)
    )
    assert (first == again).all()
    assert (first[0] != other[0]).any()


@SEARCHES
def test_limits_callbacks_and_ctrl_c(search, clock):
    problem, seen = random_cvrp("capacity", 60), []
    starts = starts_of(problem)
    costs = np.sort(problem.cost(starts))

    def found(callback=None, **limits):
        options = {"seed": 1, "backend": "cpu", "callback": callback}
        return search(problem, starts, budget=gls.Budget(**limits), **options)

    search.prepare(problem, len(starts), backend="cpu")
    before = clock.launches
    timed = found(seen.append, seconds=5)
    assert timed.statistics.stopped_by == "seconds" and timed.statistics.kicks > 0
    assert clock.launches - before <= clock.most_launches(5)
    assert [p.best_cost for p in seen] == sorted((p.best_cost for p in seen), reverse=True)
    assert seen[-1].kicks == timed.statistics.kicks
    assert problem.cost(seen[-1].best_tours()).min() == timed.best_cost

    near = found(seconds=2000, target=costs[0] - 1)
    assert near.statistics.stopped_by == "target" and near.best_cost <= costs[0] - 1
    few = found(moves=20)
    assert few.statistics.stopped_by == "moves" and few.statistics.moves >= 20
    for limit in ("seconds", "kicks", "moves"):
        none = found(**{limit: 0})
        assert (np.sort(none.costs) == costs).all() and none.statistics.kicks == 0

    def press(progress: gls.Progress) -> None:
        if progress.kicks:
            raise KeyboardInterrupt

    rest = found(press, seconds=4000)
    assert rest.statistics.interrupted and problem.feasible(rest.tours).all()
    assert (np.sort(rest.costs) <= costs).all()
    assert search is GENETIC or rest.best_cost < costs[0]  # stopped within the first round
    assert threading.active_count() < 50
