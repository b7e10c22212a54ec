"""Generalised assignment with tight capacities: prices, likely values, and searches with them."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.engines.improvements import most_penalty
from gpu_ls_plugin.assignment.engines.searched_states import STALLED
from gpu_ls_plugin.assignment.problem.load_prices import (
    HIGHEST,
    MOST_LIKELY,
    likely_values,
    load_prices,
)
from tests.helpers.bin_packing import BinPacking
from tests.helpers.searched_states import searched

ROUNDS = 300
PROBLEMS = 5  # of each kind


def tables(kind, rng):
    """Return costs and resources of one kind, and the largest spare capacity."""
    jobs, agents = int(rng.integers(1, 8)), int(rng.integers(1, 6))
    costs, resources = rng.integers(0, 100, (jobs, agents)), rng.integers(1, 26, (jobs, agents))
    if kind == "zero costs":
        costs[:] = 0
    elif kind == "costs around zero":
        costs -= 50
    elif kind == "dear":
        costs = costs * 100_000
    elif kind == "alike":
        resources[:] = resources[:, :1]
    elif kind == "zero resources":
        resources *= rng.integers(0, 2, resources.shape)
    elif kind == "unequal resources":
        resources = (10 ** rng.uniform(0, 5, resources.shape)).astype(int)
    elif kind == "agents that fit no job":
        resources[rng.random(resources.shape) < 0.5] = 10**5
    elif kind == "cheap takes much":
        costs = 30 - resources
    return costs, resources, 20 if kind == "loose" else 0


KINDS = (
    "tight",
    "loose",
    "zero costs",
    "costs around zero",
    "dear",
    "alike",
    "zero resources",
    "unequal resources",
    "agents that fit no job",
    "cheap takes much",
)


def problems(kind):
    """Make problems with a hidden assignment that fits."""
    rng = np.random.default_rng(KINDS.index(kind))
    for number in range(PROBLEMS):
        costs, resources, slack = tables(kind, rng)
        hidden = rng.integers(0, costs.shape[1], len(costs))
        loads = np.zeros(costs.shape[1], int)
        np.add.at(loads, hidden, resources[np.arange(len(costs)), hidden])
        capacities = loads + rng.integers(0, slack + 1, len(loads))
        yield gls.GeneralisedAssignment(
            costs, resources, capacities, "max" if number == 0 else "min"
        )


def optimum_of(problem):
    rows = np.array(list(product(range(problem.agents), repeat=problem.n)))
    return problem.cost(rows)[problem.feasible(rows)].min()


@pytest.mark.parametrize("improvement", ["chains", "tabu"])
@pytest.mark.parametrize("kind", KINDS)
def test_small_problems_are_solved(kind, improvement):
    search = gls.SuccessorSearch(improvement=improvement)
    for problem in problems(kind):
        best = optimum_of(problem)
        budget = gls.Budget(kicks=ROUNDS, target=best)
        found = search(problem, np.full((8, problem.n), -1), budget=budget, backend="cpu")
        assert (problem.feasible(found.best_tour)[0], found.best_cost) == (True, best)


def test_agents_that_look_bad_may_be_the_only_ones():
    rng = np.random.default_rng(1)
    costs, resources = rng.integers(10, 50, (40, 12)), rng.integers(5, 26, (40, 12))
    hidden = costs.argmax(axis=1)
    loads = np.zeros(12, int)
    np.add.at(loads, hidden, resources[np.arange(40), hidden])
    problem = gls.GeneralisedAssignment(costs, resources, loads)
    assert problem.feasible(hidden)[0]
    words = dict(zip(("begins", "likely"), problem.relaxed_words()[-2:], strict=True))
    tried = {tuple(pair) for pair in words["likely"].tolist()}
    assert {(job, int(agent)) for job, agent in enumerate(hidden)} <= tried
    for job in range(40):
        begin, end = words["begins"][job : job + 2]
        fitting = np.flatnonzero(resources[job] <= loads)
        assert sorted(words["likely"][begin:end, 1]) == fitting.tolist()


def test_relaxed_words_exist_if_values_are_left_out():
    many = gls.GeneralisedAssignment.generated("C", 30, MOST_LIKELY + 1, 1)
    assert len(many.relaxed_words()[-1]) == 30 * (MOST_LIKELY + 1)
    assert len(many.words()[-1]) < len(many.relaxed_words()[-1])
    two = gls.GeneralisedAssignment.generated("C", 30, 2, 1)
    assert two.relaxed_words() is None
    assert gls.GraphColouring.queen(4, 4, 5).relaxed_words() is None
    costs = np.full((4, 2), 2**30)
    assert gls.GeneralisedAssignment(costs, costs, [2**32, 2**32]).relaxed_words() is None


def test_likely_values_are_the_cheapest():
    rng = np.random.default_rng(1)
    priced = rng.random((30, 8))
    likely, begins = likely_values(priced, np.ones(priced.shape, bool), 1.0)
    assert begins[0] == 0 and begins[-1] == len(likely)
    for variable, (begin, end) in enumerate(pairwise(begins)):
        assert (likely[begin:end, 0] == variable).all()
        cheapest = priced[variable].argsort()[: end - begin]
        assert likely[begin:end, 1].tolist() == cheapest.tolist()
        assert 2 <= end - begin <= 6
    assert 60 <= len(likely) <= 90
    assert likely_values(priced[:, :1], np.ones((30, 1), bool), 1.0)[0].shape == (30, 2)


@pytest.mark.parametrize("more", [1.0, None])
def test_only_values_that_fit_are_tried(more):
    rng = np.random.default_rng(1)
    priced, fits = rng.random((30, 8)), rng.random((30, 8)) < 0.3
    fits[7] = False
    likely, begins = likely_values(priced, fits, more)
    for variable in range(30):
        tried = likely[begins[variable] : begins[variable + 1], 1]
        if variable == 7:
            assert len(tried) >= 2
        elif not fits[variable].any():
            assert len(tried) == 8 if more is None else len(tried) >= 2
        else:
            assert fits[variable, tried].all() and len(tried) >= 1
            assert tried[0] == np.where(fits[variable], priced[variable], np.inf).argmin()


@pytest.mark.parametrize("scale", [1, 10**6])
def test_prices_are_a_dual_solution(scale):
    """The bound is that of the linear program, wherever costs begin."""
    problem = gls.GeneralisedAssignment.generated("D", 60, 5, 1)
    optimize = pytest.importorskip("scipy.optimize")
    jobs, agents = problem.costs.shape
    job, agent = np.divmod(np.arange(jobs * agents), agents)
    each, loads = np.zeros((jobs, jobs * agents)), np.zeros((agents, jobs * agents))
    each[job, np.arange(len(job))] = 1
    loads[agent, np.arange(len(job))] = problem.resources.ravel()
    best = optimize.linprog(
        problem.costs.ravel(), A_ub=loads, b_ub=problem.capacities, A_eq=each, b_eq=np.ones(jobs)
    )
    for least in (0, problem.costs.min(axis=1, keepdims=True)):  # the bound is 0 at first
        costs = (problem.costs - least) * scale
        prices = load_prices(costs, problem.resources, problem.capacities) / scale
        relaxed = (problem.costs + prices * problem.resources).min(axis=1).sum()
        bound = relaxed - prices @ problem.capacities
        assert best.fun * 0.9999 < bound <= best.fun * (1 + 1e-9)


def test_scarce_capacity_costs_as_much_as_costs_differ():
    dear = 4 * int(HIGHEST)
    prices = load_prices(np.array([[0, dear]] * 4), np.ones((4, 2), int), np.array([1, 3]))
    assert prices[0] > HIGHEST


@pytest.mark.parametrize("accept", [None, gls.Annealing()], ids=["tabu", "accepted"])
def test_penalties_do_not_overflow(accept):
    problem = BinPacking([3, 4, 5], 2, 1)  # nothing fits
    search = gls.SuccessorSearch(accept=accept, steps=12_000)
    population = searched(search, problem, np.zeros((2, 3)))
    population.advance(12_000, 1e6)
    penalties = population.arguments["penalties"]
    most = most_penalty(problem)
    assert (penalties >= most).all() and (penalties < 2 * most).all()


def test_a_rule_has_a_scale_if_the_first_state_costs_nothing():
    problem = gls.GeneralisedAssignment(np.zeros((6, 3), int), np.ones((6, 3), int), [2, 2, 2])
    search = gls.SuccessorSearch(accept=gls.Annealing(), steps=10)
    population = searched(search, problem, np.zeros((2, 6)))
    population.advance(1, 1e6)
    assert population.arguments["scales"].tolist() == [problem.penalty] * 2


def test_relaxed_rounds_come_more_often_at_a_standstill():
    problem = gls.GeneralisedAssignment.generated("C", 60, 10, 1)
    search = gls.SuccessorSearch(steps=2)
    population = searched(search, problem, np.full((2, 60), -1))
    rounds = range(16)
    assert [r for r in rounds if population.is_relaxed(r)] == [7, 15]
    population.best = (-1, 0)  # nothing will be better
    for _ in range(STALLED):
        population.advance(2, 1e6)
        population.renew()
    assert [r for r in rounds if population.is_relaxed(r)] == [1, 3, 5, 7, 9, 11, 13, 15]
    few = gls.GeneralisedAssignment.generated("C", 20, 10, 1)
    population = searched(search, few, np.full((2, 20), -1))
    assert all(population.is_relaxed(r) for r in rounds)
