"""Hybrid genetic search: optima of small problems, infeasible and soft starts, restarts."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InsufficientMemoryError, UnsupportedProblemError
from tests.helpers.marks import slow_after
from tests.helpers.route_oracle import best_cost
from tests.helpers.routing import giant_tours, random_cvrp

SEARCH = gls.HybridGeneticSearch(size=8, children=8, patience=6)
CPU = {"seed": 1, "backend": "cpu"}
GENERATIONS = gls.Budget(kicks=10 * SEARCH.children)


def starts_of(problem: gls.CVRP, size: int = 3):
    return gls.savings(problem, size=size, seed=1, backend="cpu")


@pytest.mark.parametrize("kind", ["capacity", "windows", "two loads"])
def test_it_finds_the_best_routes(kind):
    for seed in range(3):
        problem = random_cvrp(kind, 6, seed, capacity=12)
        starts = problem.tour([[c] for c in range(1, 7)])[None]
        found = SEARCH(problem, starts, budget=GENERATIONS, **CPU)
        assert found.best_cost == best_cost(problem)


def test_populations_begin_again():
    """With a patience of one generation, all do when prices change; the best tours stay."""
    problem = random_cvrp("capacity", 20)
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


@pytest.mark.parametrize("customers", slow_after(2, [1, 3, 2, 4]))
def test_few_customers(customers):
    problem = random_cvrp("real duration", customers)
    starts = problem.tour([[c] for c in range(1, customers + 1)])[None].repeat(2, axis=0)
    found = SEARCH(problem, starts, budget=gls.Budget(kicks=16), **CPU)
    assert problem.feasible(found.tours).all()
    assert found.best_cost <= problem.cost(starts)[0]


def test_directed_lengths_and_too_little_memory_are_refused():
    directed, plain = random_cvrp("directed", 10), random_cvrp("capacity", 10)
    with pytest.raises(UnsupportedProblemError, match=re.escape("crossover=SplitRecombination()")):
        SEARCH(directed, starts_of(directed), **CPU)
    for budget in (None, gls.Budget(seconds=0)):  # even if nothing would be searched
        with pytest.raises(InsufficientMemoryError, match="populations fit"):
            SEARCH(plain, starts_of(plain), memory_limit=200_000, budget=budget, **CPU)
