"""Hybrid genetic search: feasible, exact, never worse, reproducible, and stopped in time."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InsufficientMemoryError, UnsupportedProblemError
from gpu_ls_plugin.routes.searches.genetic import breeding
from tests.helpers.marks import slow_after
from tests.helpers.route_oracle import best_cost
from tests.helpers.routing import giant_tours, random_cvrp

SEARCH = gls.HybridGeneticSearch(size=8, children=8, patience=6)
DIRECTED = replace(SEARCH, crossover=gls.SplitRecombination())
CPU = {"seed": 1, "backend": "cpu"}
GENERATIONS = gls.Budget(kicks=10 * SEARCH.children)


def starts_of(problem: gls.CVRP, size: int = 3) -> np.ndarray:
    return gls.savings(problem, size=size, seed=1, backend="cpu")


@pytest.mark.parametrize(
    "kind", slow_after(2, ["capacity", "real duration", "fleet", "duration", "real", "directed"])
)
def test_routes_are_feasible_exact_and_never_worse(kind):
    problem = random_cvrp(kind, 40)
    starts = starts_of(problem)
    starts = starts[problem.feasible(starts)]  # savings may need more than a small fleet
    given = starts.copy()
    search = SEARCH if problem.symmetric else DIRECTED
    found = search(problem, starts, budget=GENERATIONS, **CPU)
    assert (starts == given).all() and found.tours.shape == starts.shape
    assert problem.feasible(found.tours).all()
    np.testing.assert_allclose(found.costs, problem.cost(found.tours), rtol=1e-12)
    assert (found.costs < problem.cost(starts)).all()
    history = [point.best_cost for point in found.statistics.history]
    assert history == sorted(history, reverse=True) and len(history) >= 2
    assert found.statistics.kicks == GENERATIONS.kicks * len(starts)
    assert found.statistics.stopped_by == "kicks" and found.statistics.moves > 0


def test_it_finds_the_best_routes():
    for seed in range(3):
        problem = random_cvrp("capacity", 6, seed, capacity=12)
        starts = problem.tour([[c] for c in range(1, 7)])[None]
        found = SEARCH(problem, starts, budget=GENERATIONS, **CPU)
        assert found.best_cost == best_cost(problem)


def test_the_same_seed_gives_the_same_routes():
    problem = random_cvrp("duration", 40)
    first, again, other = (
        SEARCH(problem, starts_of(problem), seed=seed, budget=GENERATIONS, backend="cpu")
        for seed in (5, 5, 6)
    )
    assert (first.tours == again.tours).all()
    assert (first.tours != other.tours).any()


def test_populations_begin_again():
    """With a patience of one generation, all do when prices change; the best tours stay."""
    problem = random_cvrp("capacity", 20)
    assert breeding.BETWEEN_PRICES == 2
    found = replace(SEARCH, patience=1)(problem, starts_of(problem), budget=GENERATIONS, **CPU)
    assert found.statistics.restarts >= 3
    assert (found.costs <= problem.cost(starts_of(problem))).all()


def test_infeasible_tours_become_feasible():
    problem = random_cvrp("capacity", 30)
    tours = giant_tours(problem, 12)
    broken = tours[~problem.feasible(tours)]
    found = SEARCH(problem, broken, budget=gls.Budget(kicks=16), **CPU)
    assert problem.feasible(found.tours).all()


def test_soft_constraints_allow_cheaper_tours():
    problem = random_cvrp("capacity", 30).penalised(load=1)
    found = SEARCH(problem, starts_of(problem), budget=GENERATIONS, **CPU)
    paid = problem.cost(found.tours) + problem.violations(found.tours).load
    hard = SEARCH(random_cvrp("capacity", 30), starts_of(problem), budget=GENERATIONS, **CPU)
    assert paid.min() <= hard.best_cost


@pytest.mark.parametrize("customers", [1, 2, 3, 4])
def test_few_customers(customers):
    problem = random_cvrp("real duration", customers)
    starts = problem.tour([[c] for c in range(1, customers + 1)])[None].repeat(2, axis=0)
    found = SEARCH(problem, starts, budget=gls.Budget(kicks=16), **CPU)
    assert problem.feasible(found.tours).all()
    assert found.best_cost <= problem.cost(starts)[0]


def test_no_budget():
    problem = random_cvrp("capacity", 10)
    for budget in (gls.Budget(seconds=0), gls.Budget(kicks=0), gls.Budget(moves=0)):
        found = SEARCH(problem, starts_of(problem), budget=budget, **CPU)
        assert (found.tours == starts_of(problem)).all() and found.statistics.kicks == 0
    found = SEARCH(problem, starts_of(problem, 1), budget=gls.Budget(moves=50), **CPU)
    assert found.statistics.stopped_by == "moves" and found.statistics.moves >= 50


def test_time_target_ctrl_c_and_progress(clock):
    problem, seen = random_cvrp("capacity", 40), []
    starts, before = starts_of(problem), clock.launches
    timed = SEARCH(problem, starts, budget=gls.Budget(seconds=5), callback=seen.append, **CPU)
    assert timed.statistics.stopped_by == "seconds" and timed.statistics.kicks > 0
    assert clock.launches - before <= clock.most_launches(5)
    assert [p.best_cost for p in seen] == sorted((p.best_cost for p in seen), reverse=True)
    assert seen[-1].kicks == timed.statistics.kicks and seen[-1].total == 3
    assert problem.cost(seen[-1].best_tours()).min() == timed.best_cost

    target = float(problem.cost(starts_of(problem)).min())
    reached = SEARCH(problem, starts_of(problem), budget=gls.Budget(target=target), **CPU)
    assert reached.statistics.stopped_by == "target" and reached.best_cost <= target

    def press(progress):
        if progress.kicks:
            raise KeyboardInterrupt

    limit = gls.Budget(seconds=3000)
    rest = SEARCH(problem, starts_of(problem), budget=limit, callback=press, **CPU)
    assert rest.statistics.interrupted
    assert (rest.costs <= problem.cost(starts_of(problem))).all()


def test_directed_lengths_and_too_little_memory_are_refused():
    directed, plain = random_cvrp("directed", 10), random_cvrp("capacity", 10)
    with pytest.raises(UnsupportedProblemError, match=re.escape("crossover=SplitRecombination()")):
        SEARCH(directed, starts_of(directed), **CPU)
    for budget in (None, gls.Budget(seconds=0)):  # even if nothing would be searched
        with pytest.raises(InsufficientMemoryError, match="populations fit"):
            SEARCH(plain, starts_of(plain), memory_limit=200_000, budget=budget, **CPU)
