"""A row with its own weights is searched as if its lengths were a matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import (
    InsufficientMemoryError,
    InvalidParameterError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs
from gpu_ls_plugin.tours.problem.weighted import WeightedTSP
from tests.helpers.examples import examples
from tests.helpers.marks import diagonal
from tests.helpers.random_problems import METRICS, random_problem, random_tours

CPU = get_backend("cpu")
MOVES = (
    [gls.TwoOpt(), gls.OrOpt(3)],
    [gls.LinKernighan(3)],
    [gls.LinKernighan()],
    [gls.ThreeOpt()],
)
METRIC_LISTS = (["EUC_2D", "EUC_2D"], ["EUC", "GEO", "EXPLICIT"], ["EXPLICIT_REAL", "ATT"])
LISTS = gls.Nearest(5)


def weighted_problem(metrics, n, rows, seed=0):
    parts = tuple(random_problem(name, n, seed + k, 900) for k, name in enumerate(metrics))
    weights = np.random.default_rng([seed, n]).random((rows, len(parts))) + 0.01
    weights[0] = 0.0
    weights[0, -1] = 2.5
    return WeightedTSP(parts, weights)


def matrix_of(problem, row):
    """The problem of one row, as a matrix."""
    cities = np.arange(problem.n)
    lengths = problem.row(row).lengths(cities[:, None], cities[None])
    return gls.TSP.from_matrix(lengths)


def assert_as_on_matrices(search, problem, tours, **given):
    """Each row gets the tour of a search on the matrix of its lengths."""
    found = search(problem, tours, backend="cpu", **given)
    for row, tour in enumerate(tours):
        alone = search(matrix_of(problem, row), tour, backend="cpu", first_row=row, **given)
        assert np.array_equal(found.tours[row], alone.tours[0]), row
        assert np.isclose(found.costs[row], alone.costs[0], rtol=1e-12)
    assert np.array_equal(found.costs, problem.cost(found.tours))


@pytest.mark.parametrize(("metrics", "moves"), diagonal(METRIC_LISTS, MOVES))
def test_descents_agree_with_those_on_matrices(moves, metrics):
    search = gls.LocalSearch(moves, candidates=LISTS)
    assert_as_on_matrices(search, weighted_problem(metrics, 60, 7), random_tours(60, 7))


@pytest.mark.slow
@examples(25)
@given(
    st.lists(st.sampled_from(METRICS[:3] + METRICS[-2:]), min_size=2, max_size=2),
    st.integers(5, 40),
    st.integers(1, 6),
    st.integers(0, 99),
)
def test_descents_of_any_problem(metrics, n, rows, seed):
    problem, tours = weighted_problem(metrics, n, rows, seed), random_tours(n, rows, seed)
    assert_as_on_matrices(gls.LocalSearch(candidates=LISTS), problem, tours)


def test_chains_agree_with_those_on_matrices():
    search = gls.IteratedLocalSearch(gls.LocalSearch([gls.LinKernighan(3)], candidates=LISTS))
    problem, tours = weighted_problem(METRIC_LISTS[0], 50, 5), random_tours(50, 5)
    assert_as_on_matrices(search, problem, tours, seed=3, budget=gls.Budget(kicks=300))


@pytest.mark.parametrize("part", [gls.EdgeAssembly(), gls.PartitionRecombination()])
def test_crossovers_agree_with_those_on_matrices(part):
    problem = weighted_problem(METRIC_LISTS[0], 40, 6)
    search = gls.LocalSearch(candidates=LISTS)
    first, second = (
        search(problem, random_tours(40, 6, seed), backend="cpu").tours for seed in (1, 2)
    )
    children = part.cross(problem, first, second, seed=5, backend="cpu")
    for row in range(6):
        alone = part.cross(
            matrix_of(problem, row), first[row], second[row], seed=5, backend="cpu", first_row=row
        )
        assert np.array_equal(children[row], alone[0]), row
    assert (problem.cost(children) <= problem.cost(first)).all()


def test_crossovers_improve_chains_with_weights():
    problem, tours = weighted_problem(METRIC_LISTS[0], 60, 30), random_tours(60, 30)
    search = gls.LocalSearch([gls.LinKernighan(3)], candidates=LISTS)
    alone, helped = (
        gls.IteratedLocalSearch(search, cooperation=cooperation)(
            problem, tours, budget=gls.Budget(kicks=30), backend="cpu"
        )
        for cooperation in (None, gls.EdgeAssembly())
    )
    for found in (alone, helped):  # rows stay in place
        assert np.array_equal(found.costs, problem.cost(found.tours))
    assert helped.costs.sum() < alone.costs.sum()


def test_costs_agree_with_the_referee():
    problem, tours = weighted_problem(METRIC_LISTS[1], 30, 9), random_tours(30, 9)
    assert np.allclose(tour_costs(CPU, problem, tours), problem.cost(tours), rtol=1e-13)
    with pytest.raises(InvalidParameterError, match="9 rows"):
        tour_costs(CPU, problem, tours[:3])


@pytest.mark.parametrize(
    "search",
    [
        gls.LocalSearch(pivoting=gls.Best()),
        gls.LocalSearch(pivoting=gls.Multi()),
        gls.LocalSearch([gls.TwoOpt()], candidates=gls.All(), pivoting=gls.Best()),
        gls.LocalSearch([gls.ThreeOpt()], candidates=gls.All(), pivoting=gls.Best()),
        gls.LocalSearch([gls.TwoOpt()], candidates=gls.All(), pivoting=gls.RandomK(9)),
        gls.LocalSearch([gls.FilteredNeighbourhood(gls.TwoOpt(), gls.GainBound())]),
        gls.IteratedLocalSearch(gls.LocalSearch(candidates=LISTS), restart_after=5),
        gls.IteratedLocalSearch(gls.LocalSearch(candidates=LISTS), part=40),
        gls.IteratedLocalSearch(gls.LocalSearch(candidates=LISTS), gls.Restart()),
        gls.IteratedLocalSearch(gls.LocalSearch(candidates=LISTS), cooperation=gls.Migration()),
    ],
    ids=repr,
)
def test_searches_that_need_common_lengths_are_refused(search):
    problem = weighted_problem(METRIC_LISTS[0], 90, 3)
    with pytest.raises(UnsupportedProblemError, match="its own"):
        search(problem, random_tours(90, 3), backend="cpu", budget=gls.Budget(kicks=20))


def test_batches_need_one_tour_per_row():
    problem, search = weighted_problem(METRIC_LISTS[0], 20, 3), gls.LocalSearch(candidates=LISTS)
    with pytest.raises(InvalidParameterError, match="3 rows"):
        search(problem, random_tours(20, 2), backend="cpu")
    with pytest.raises(InsufficientMemoryError, match="in turns"):
        search(problem, random_tours(20, 3), backend="cpu", memory_limit=1500)
