"""Cheapest values: weights follow from costs of whole states."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidProblemError, UnsupportedProblemError
from gpu_ls_plugin.testing import check_heuristic
from tests.helpers.bin_packing import BinPacking
from tests.helpers.heuristics import Plain
from tests.helpers.marks import slow_after
from tests.helpers.successor_oracle import assert_successors

RNG = np.random.default_rng(8)
COSTS, RESOURCES = RNG.integers(-50, 50, (7, 9)), RNG.integers(1, 9, (7, 9))


def with_penalty(problem, penalty):
    """Return the problem with another penalty of a unit of excess."""
    problem.penalty = penalty
    return problem


PROBLEMS = {
    "bins": with_penalty(BinPacking(RNG.integers(1, 9, 7), 4, 10), 0.7),
    "jobs": with_penalty(gls.GeneralisedAssignment(COSTS, RESOURCES, [10] * 9), 3.5),
    "plants": gls.QuadraticAssignment(*RNG.integers(-9, 50, (2, 7, 7))),
    "large": gls.GeneralisedAssignment(COSTS * 10**12, RESOURCES, [10] * 9),
}


def excess(problem, rows):
    """Return the excess of states; repeated values do not count."""
    match problem:
        case BinPacking():
            return np.maximum(problem.loads(rows)[0] - problem.room, 0).sum(axis=1)
        case gls.GeneralisedAssignment():
            return np.maximum(problem.loads(rows) - problem.capacities, 0).sum(axis=1)
    return np.zeros(len(rows), int)


def ratings_of(problem, state, variable):
    """Return the rating of each value: the cost and excess that it adds to the state."""
    rows = np.tile(state, (problem.sizes[variable] + 1, 1))
    rows[:-1, variable] = np.arange(len(rows) - 1)
    worth = problem.cost(rows) * 256 + excess(problem, rows) * round(problem.penalty * 256)
    return (worth[:-1] - worth[-1]).tolist()


def halved(rating, least, greatest, sharpness):
    """Return the weight of a rating, by its definition, with integers."""
    span = greatest - least
    if span == 0:
        return 2**31
    shift = max(0, span.bit_length() - 16)
    halvings = (rating - least >> shift) * 1024 * sharpness // (span >> shift)
    return 2**31 - 2**20 * (halvings % 1024) >> halvings // 1024


def weigh(problem, sharpness, *, distinct=False):
    """Return a function that computes weights by the costs of whole states."""

    def weights(state, variable):
        ratings = ratings_of(problem, state, variable)
        used = set(state) if distinct or problem.distinct else ()
        allowed = [rating for value, rating in enumerate(ratings) if value not in used]
        return [
            0 if value in used else halved(rating, min(allowed), max(allowed), sharpness)
            for value, rating in enumerate(ratings)
        ]

    return weights


CASES = [(name, sampler) for sampler in ("rescan", "stored") for name in PROBLEMS]


@pytest.mark.parametrize(("name", "sampler"), slow_after(4, CASES))
def test_weights_follow_from_costs_of_whole_states(name, sampler):
    problem, random = PROBLEMS[name], np.random.default_rng(2)
    states = random.integers(-1, problem.sizes[0], (5, 7))
    for sharpness in (0, 3, 30):
        options = {"count": 3, "active": random.random((5, 7)) < 0.8, "seed": sharpness}
        part, weights = gls.CheapestValue(sharpness), weigh(problem, sharpness)
        assert_successors(part, weights, states, sampler, problem, order="shuffled", **options)


def test_weights_fall_from_the_least_to_the_greatest():
    for span in (1, 5, 1000, 2**16, 2**40 + 12345):
        for sharpness in (0, 1, 8, 30):
            steps = np.linspace(0, span, 9).astype(int).tolist()
            weights = [halved(7 + step, 7, 7 + span, sharpness) for step in steps]
            assert weights == sorted(weights, reverse=True)
            assert (weights[0], weights[-1]) == (2**31, 2**31 >> sharpness)


def test_sharper_is_cheaper_and_used_values_are_impossible():
    problem, empty = PROBLEMS["plants"], np.full((100, 7), -1)
    found = [
        gls.SuccessorGeneration(gls.CheapestValue(sharpness))(problem, empty, backend="cpu")
        for sharpness in (0, 5, 30)
    ]
    assert all(len(set(row)) == 7 for rows in found for row in rows.tolist())
    costs = [problem.cost(rows).mean() for rows in found]
    assert costs == sorted(costs, reverse=True) and costs[2] < costs[0]


def test_the_heuristic_may_have_its_own_problem():
    own = gls.CheapestValue(30, PROBLEMS["plants"])
    expected = gls.SuccessorGeneration(gls.CheapestValue(30))
    empty = np.full((4, 7), -1)
    found = gls.SuccessorGeneration(own)(None, empty, backend="cpu")
    assert np.array_equal(found, expected(PROBLEMS["plants"], empty, backend="cpu"))


@pytest.mark.slow
def test_it_composes_with_masks_and_types():
    problem = PROBLEMS["jobs"]
    table = gls.WeightTable(np.ones((7, 9), int))
    by_type = gls.ByType([gls.CheapestValue(30), table], [0, 1, 0, 1, 0, 1, 0])
    part = gls.Masked(by_type, gls.Distinct())
    check_heuristic(part, problem, backend="cpu")
    cheapest = weigh(problem, 30, distinct=True)

    def weights(state, variable):
        if variable % 2 == 0:
            return cheapest(state, variable)
        return [int(value not in state) for value in range(9)]

    assert_successors(part, weights, np.full((5, 7), -1), problem=problem, count=4)


def test_problems_without_a_functor_are_refused():
    generate = gls.SuccessorGeneration(gls.CheapestValue())
    tsp = gls.TSP([(0, 0), (1, 0), (0, 1)])
    for problem, words in ((None, "none is given"), (tsp, "TSP is not one")):
        with pytest.raises(UnsupportedProblemError, match=f"CheapestValue needs .*{words}"):
            generate(problem, [(0, 0, 0)], backend="cpu")
    with pytest.raises(UnsupportedProblemError, match=r"Plain has no functor\(\)"):
        generate(Plain([2, 2]), [(0, 0)], backend="cpu")
    for penalty in (-1.0, float("nan"), float("inf")):
        with pytest.raises(InvalidProblemError, match="penalty: "):
            generate(with_penalty(BinPacking([1], 2, 1), penalty), [[0]], backend="cpu")
