"""Searches by Tchebycheff distances have exact costs, and find tours near the ideal point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs
from tests.helpers.marks import in_pairs
from tests.helpers.random_problems import METRICS, random_problem, random_tours

CPU = get_backend("cpu")
LISTS = gls.Nearest(6)
STEPS = gls.LocalSearch([gls.LinKernighan(3)], candidates=LISTS)


def distant(metrics, n, rows, seed=0):
    """A problem with several lengths, its Tchebycheff problem, weights and ideal point."""
    parts = [random_problem(name, n, seed + k, 900) for k, name in enumerate(metrics)]
    problem = gls.MultiObjectiveTSP(parts)
    weights = np.random.default_rng([seed, n]).random((rows, len(parts))) + 0.01
    ideal = problem.cost(random_tours(n, 50, seed)).min(axis=0) * 0.2
    return problem, problem.tchebycheff(weights, ideal, 0.1), weights, ideal


def distances(problem, weights, ideal, tours):
    costs = problem.cost(tours)
    return (weights * (costs - ideal)).max(axis=1) + 0.1 * (weights * costs).sum(axis=1)


@pytest.mark.slow
@settings(max_examples=6, deadline=None)  # each compiles a search of its own
@given(
    st.lists(st.sampled_from(METRICS), min_size=2, max_size=3),
    st.integers(2, 40),
    st.integers(1, 5),
    st.integers(0, 99),
)
def test_costs_are_distances(metrics, n, rows, seed):
    problem, distant_problem, weights, ideal = distant(metrics, n, rows, seed)
    tours = random_tours(n, rows, seed)
    before = distances(problem, weights, ideal, tours)
    assert np.allclose(distant_problem.cost(tours), before)
    assert np.allclose(tour_costs(CPU, distant_problem, tours), before)
    found = gls.LocalSearch(candidates=LISTS)(distant_problem, tours, backend="cpu")
    assert np.allclose(found.costs, distances(problem, weights, ideal, found.tours))
    assert (found.costs <= before * (1 + 1e-12)).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metrics", "moves", "accept"),
    in_pairs(
        [["EUC_2D", "EUC_2D"], ["EUC", "EXPLICIT", "ATT"]],
        [[gls.TwoOpt(), gls.OrOpt(3)], [gls.LinKernighan()], [gls.ThreeOpt()]],
        [gls.Better(), gls.Always(), gls.Annealing()],
    ),
)
def test_costs_of_chains_are_those_of_their_tours(metrics, moves, accept):
    _, problem, _, _ = distant(metrics, 50, 6)
    search = gls.LocalSearch(moves, candidates=LISTS)
    begun = search(problem, random_tours(50, 6), backend="cpu").tours
    iterated = gls.IteratedLocalSearch(search, accept=accept)
    chains = iterated.chains(Start(CPU, problem, begun.copy(), 5))
    for until in (40, 90, 200):
        chains.advance(until, 0.5, 0.0, 60.0)
        assert np.allclose(chains.costs, problem.cost(chains.tours), rtol=1e-9)
        assert np.allclose(chains.best_costs, problem.cost(chains.best_tours), rtol=1e-9)


def test_tours_are_nearer_than_those_by_weighted_sums():
    problem, distant_problem, weights, ideal = distant(["EUC_2D", "EUC_2D"], 80, 60)
    tours = random_tours(80, 60)
    found = STEPS(distant_problem, tours, backend="cpu").tours
    other = STEPS(problem.weighted(weights), tours, backend="cpu").tours
    near, far = (distances(problem, weights, ideal, some) for some in (found, other))
    assert near.mean() < 0.98 * far.mean()


@pytest.mark.slow
def test_rows_do_not_depend_on_each_other():
    problem, distant_problem, weights, ideal = distant(["EUC_2D", "EUC"], 40, 5)
    tours, search = random_tours(40, 5), gls.IteratedLocalSearch(STEPS)
    budget = gls.Budget(kicks=100)
    whole = search(distant_problem, tours, budget=budget, backend="cpu").tours
    for row in range(5):
        one = problem.tchebycheff(weights[row], ideal, 0.1)
        alone = search(one, tours[row], budget=budget, backend="cpu", first_row=row)
        assert np.array_equal(alone.tours[0], whole[row])


def test_bad_input():
    problem, distant_problem, weights, ideal = distant(["EUC_2D", "EUC"], 20, 3)
    tours = random_tours(20, 3)
    with pytest.raises(UnsupportedProblemError, match="tchebycheff"):
        gls.EdgeAssembly().cross(distant_problem, tours, tours, backend="cpu")
    for wrong in ([1.0], [1.0, np.nan], 3.0):
        with pytest.raises(InvalidParameterError, match="ideal"):
            problem.tchebycheff(weights, wrong)
    with pytest.raises(InvalidParameterError, match="augmentation"):
        problem.tchebycheff(weights, ideal, 0.0)
