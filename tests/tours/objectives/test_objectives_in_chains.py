"""Chains under an objective: their costs, and the best feasible tour."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.tours.engines.chains.start import Start
from tests.helpers.marks import slow_after
from tests.helpers.random_problems import random_problem, random_tours
from tests.testing.faults import ON_BOTH
from tests.tours.objectives.third_party import Forbidden, Tolls, WholeTolls, some_loads, some_tolls

N = 8
LISTED = gls.LocalSearch(candidates=gls.Nearest(7))
SEARCHES = {
    "fused": gls.IteratedLocalSearch(LISTED, gls.DoubleBridge(), gls.Annealing(2.0)),
    "never worse": gls.IteratedLocalSearch(
        LISTED, gls.DoubleBridge(), gls.BetterOrEqual(), restart_after=20
    ),
    "stepped": gls.IteratedLocalSearch(LISTED, gls.Restart(), gls.Always()),
}


def seeds(name):
    """Numbers of problems: fewer if each kick is a call."""
    return range(2 if name == "stepped" else 6)


def cheapest(problem):
    """The least cost of a feasible tour, by brute force."""
    tours = np.array([(0, *rest) for rest in permutations(range(1, N)) if rest[0] < rest[-1]])
    return problem.cost(tours)[problem.objective.feasible(problem, tours)].min()


def tolled(seed, toll):
    """A problem with low or high tolls, and a tour that pays none."""
    tolls, ring = toll * (some_tolls(N, seed, share=0.5) > 0), np.arange(N)
    tolls[ring, (ring + 1) % N] = tolls[(ring + 1) % N, ring] = 0
    return random_problem("EUC_2D", N, seed, 60), tolls, ring[None]


@pytest.mark.parametrize("name", slow_after(2, SEARCHES))
def test_chains_find_the_cheapest_feasible_tour(name):
    for seed in seeds(name):
        plain, tolls, _ = tolled(seed, toll=1000)
        problem = plain.under(Tolls(tolls))
        found = SEARCHES[name](
            problem, random_tours(N, 4, seed), budget=gls.Budget(kicks=200), backend="cpu"
        )
        assert problem.objective.feasible(problem, found.tours).all()
        assert found.costs.tolist() == problem.cost(found.tours).tolist() == 4 * [cheapest(problem)]


@pytest.mark.parametrize("name", slow_after(2, SEARCHES))
def test_cheaper_infeasible_tours_do_not_replace_a_feasible_one(name):
    for seed in seeds(name):
        plain, tolls, ring = tolled(seed, toll=5)
        problem = plain.under(Tolls(tolls))
        found = SEARCHES[name](problem, ring, budget=gls.Budget(kicks=200), backend="cpu")
        descent = gls.LocalSearch(candidates=gls.Nearest(7))(problem, ring, backend="cpu")
        assert not problem.objective.feasible(problem, descent.tours).all()
        assert descent.best_cost < cheapest(problem) <= found.best_cost <= problem.cost(ring)[0]
        assert problem.objective.feasible(problem, found.tours).all()
        whole = SEARCHES[name](
            plain.under(WholeTolls(tolls)), ring, budget=gls.Budget(kicks=200), backend="cpu"
        )
        assert whole.tours.tolist() == found.tours.tolist()


def test_kicks_and_moves_add_no_forbidden_edges():
    n, problem = 60, random_problem("EUC_2D", 60, 5)
    tolls = some_tolls(n, 5, share=0.4)
    place = np.arange(n)
    tolls[place, (place + 1) % n] = tolls[(place + 1) % n, place] = 0
    under, start = problem.under(Forbidden(tolls)), np.tile(place, (3, 1))
    for search in (
        gls.IteratedLocalSearch(gls.LocalSearch(), accept=gls.Always()),
        gls.IteratedLocalSearch(gls.LocalSearch(), accept=gls.Better(), part=32),
    ):
        found = search(under, start, budget=gls.Budget(kicks=300), backend="cpu")
        assert under.objective.feasible(under, found.tours).all()
        assert (found.costs < under.cost(start)).all()


@pytest.mark.parametrize(
    "search",
    [
        gls.IteratedLocalSearch(LISTED, part=32),
        gls.IteratedLocalSearch(LISTED, cooperation=gls.EdgeAssembly()),
        gls.LocalSearch(pivoting=gls.Multi()),
    ],
    ids=["parts", "edge assembly", "Multi"],
)
def test_searches_that_need_a_sum_over_edges_are_refused(search):
    problem = random_problem("EUC_2D", 80, 1).under(WholeTolls(some_tolls(80)))
    with pytest.raises(UnsupportedProblemError, match="whole_tolls"):
        search(problem, random_tours(80, 2), budget=gls.Budget(kicks=2), backend="cpu")


def loaded(n, seed=0, span=100):
    """A problem with an objective that is not a sum over edges."""
    return random_problem("EUC_2D", n, seed, span).under(some_loads(n, seed))


@ON_BOTH
def test_costs_after_each_kick_are_exact(backend):
    n, where = 40, get_backend(backend)
    problem = loaded(n, 6)
    for local in (gls.LocalSearch(), gls.LocalSearch([gls.LinKernighan(6)])):
        search = gls.IteratedLocalSearch(local, gls.DoubleBridge(), gls.Always())
        tours = where.xp.asarray(random_tours(n, 6, 6))
        chains = search.chains(Start(where, problem, tours, 3))
        for kicks in range(1, 9):
            chains.advance(kicks, 1.0, 0.0, 60.0)
            costs, tours = (where.to_numpy(array) for array in (chains.costs, chains.tours))
            assert costs.tolist() == problem.cost(tours).tolist()
