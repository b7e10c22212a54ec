"""Assignments of successors, their reduced costs, and the tours and lists made from them."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.tours.candidates import reduced_costs
from gpu_ls_plugin.tours.problem.assignment_relaxation import AssignmentRelaxation
from gpu_ls_plugin.tours.problem.symmetric_twin import SymmetricTwin

SEEDS = range(12)


def problem_of(n: int, seed: int, most: int = 30) -> gls.TSP:
    return gls.TSP.from_matrix(np.random.default_rng(seed).integers(1, most, (n, n)))


def assignments(n: int) -> np.ndarray:
    """Return every assignment without loops, one a row."""
    every = np.array(list(permutations(range(n))))
    return every[(every != np.arange(n)).all(axis=1)]


@pytest.mark.parametrize("seed", SEEDS)
def test_reduced_costs_bound_every_assignment(seed: int) -> None:
    n, every = 6, np.arange(6)
    problem = problem_of(n, seed, most=(3, 30, 1000)[seed % 3])
    found = AssignmentRelaxation.of(problem)
    all_of_them = assignments(n)
    costs = problem.lengths(every, all_of_them).sum(axis=1)
    assert found.bound == costs.min() == problem.lengths(every, found.successors).sum()
    reduced = found.reduced_costs()
    assert (reduced[every, found.successors] == 0).all()
    assert (found.bound + reduced[every, all_of_them].sum(axis=1) == costs).all()
    assert reduced.min() == 0  # prices are optimal: 20 exchanges of a city are all there are


@pytest.mark.parametrize("seed", SEEDS)
def test_patched_cycles_are_a_tour(seed: int) -> None:
    for n in (2, 3, 7, 40):
        problem = problem_of(n, seed)
        found = AssignmentRelaxation.of(problem)
        tour = found.patched()
        assert sorted(tour) == list(range(n))
        cost = problem.cost(tour[None])[0]
        random = problem.cost(gls.random_tours(problem, 50, seed=1, backend="cpu"))
        assert found.bound <= cost <= (random.max() if n < 7 else random.min())
    ring = np.full((9, 9), 50)
    ring[np.arange(9), (np.arange(9) + 4) % 9] = 1
    assert problem_cost_of_patched(ring) == 9  # one cycle is left as it is


def problem_cost_of_patched(matrix: np.ndarray) -> int:
    problem = gls.TSP.from_matrix(matrix)
    return int(problem.cost(AssignmentRelaxation.of(problem).patched()[None])[0])


@pytest.mark.parametrize("k", [1, 4, 99])
def test_lists_hold_the_edges_of_least_reduced_cost(k: int) -> None:
    problem = problem_of(15, 3)
    n, reduced = problem.n, AssignmentRelaxation.of(problem).reduced_costs()
    lists = gls.tours.ReducedCosts(k).build(problem).cities
    both = np.minimum(reduced, reduced.T) + np.diag([10**6] * n)
    worst = np.take_along_axis(both, lists, axis=1).max(axis=1)
    assert lists.shape == (n, min(k, n - 1))
    assert (np.sort(both, axis=1)[:, lists.shape[1] - 1] == worst).all()
    twin = SymmetricTwin(problem)
    lists = gls.tours.ReducedCosts(k).build(twin.tsp).cities
    degree = min(k, n - 1) + 1
    assert lists.shape == (2 * n, degree)
    assert (lists[:n, 0] == np.arange(n, 2 * n)).all() and (lists[n:, 0] == np.arange(n)).all()
    assert (lists[:n, 1:] >= n).all() and (lists[n:, 1:] < n).all()
    for node in range(2 * n):
        own = reduced[:, node] if node < n else reduced[node - n]
        others = np.delete(own, node % n)
        assert own[lists[node, 1:] % n].max() == np.sort(others)[degree - 2]


def test_ties_are_broken_at_random() -> None:
    alike = gls.TSP.from_matrix(np.ones((60, 60), int))
    cities = gls.tours.ReducedCosts(5).build(alike).cities
    assert len(np.unique(cities)) > 50


def test_the_unit_of_real_lengths_does_not_matter() -> None:
    lengths = np.random.default_rng(4).random((50, 50)) * 2.0**10
    large, small = (gls.TSP.from_matrix(lengths * unit) for unit in (1.0, 2.0**-20))
    first, second = (gls.tours.ReducedCosts(6).build(problem).cities for problem in (large, small))
    assert np.array_equal(first, second)


def test_large_problems_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reduced_costs, "MOST_CITIES", 10)
    with pytest.raises(UnsupportedProblemError, match="use Nearest"):
        gls.tours.ReducedCosts().build(problem_of(21, 1))
    with pytest.raises(UnsupportedProblemError, match="up to 10 cities"):
        gls.tours.ReducedCosts().build(problem_of(11, 1))
    assert gls.tours.ReducedCosts().build(SymmetricTwin(problem_of(10, 1)).tsp).degree == 9
    with pytest.raises(InvalidParameterError, match="k"):
        gls.tours.ReducedCosts(0)


@pytest.mark.parametrize("short", [True, False])
def test_a_patched_tour_joins_if_it_is_nearly_as_short_as_the_assignment(short: bool) -> None:
    """Two groups of cities: their assignment has two cycles, which are cheap or costly to join."""
    n, between = 20, 2 if short else 1000
    matrix = np.full((2 * n, 2 * n), between)
    matrix[:n, :n] = matrix[n:, n:] = 500
    for group in (0, n):
        matrix[group + np.arange(n), group + (np.arange(n) + 1) % n] = 100
    problem = gls.TSP.from_matrix(matrix)
    plan = gls.plan(problem, seconds=1.0, backend="cpu")
    first, main = plan.stages
    assert first.name == "patched assignment"
    found = first.search(problem, callback=None)
    course = plan.course()
    course.go_on(found_of(found), 1.0)
    assert course.stage.joins == short and course.stage.search == main.search


def found_of(result: gls.Result) -> object:
    from gpu_ls_plugin.runs.plan import Found

    return Found(result.best_tour, (0.0, float(result.best_cost)), result)
