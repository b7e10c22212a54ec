"""Rounds of a search: release, mixing, migration, restarts, limits and refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.engines import state_population
from gpu_ls_plugin.assignment.engines.searched_states import PATIENCE, RIVALS
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import (
    FaultyPartError,
    InsufficientMemoryError,
    InvalidParameterError,
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from tests.helpers.bin_packing import BinPacking
from tests.helpers.heuristics import Plain
from tests.helpers.searched_states import random_states, searched

COLOURING = gls.GraphColouring.queen(5, 5, 5)
GENERALISED = gls.GeneralisedAssignment.generated("C", 20, 4, 1)
QUADRATIC = gls.QuadraticAssignment.generated(10, 1)
PROBLEMS = {"colouring": COLOURING, "generalised": GENERALISED, "quadratic": QUADRATIC}
SHORT = gls.SuccessorSearch(steps=30)

every_problem = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)


def starts(problem, size=6):
    return random_states(problem, size, 1)


def found(problem, states, search=SHORT, **options):
    options = {"budget": gls.Budget(kicks=4), "backend": "cpu"} | options
    return search(problem, states, **options)


@every_problem
@pytest.mark.parametrize("release", ["random", "worst", "related"])
def test_no_row_becomes_worse_and_costs_are_exact(problem, release):
    states = starts(problem)
    given = states.copy()
    result = found(problem, states, replace(SHORT, release=release))
    assert (states == given).all()
    assert (result.costs == problem.cost(result.tours)).all()
    before, after = problem.feasible(states), problem.feasible(result.tours)
    assert (after >= before).all()
    both = before & after
    assert (result.costs[both] <= problem.cost(states)[both]).all()
    assert result.statistics.kicks == 3 * len(states) or result.statistics.stopped_by == "optimum"


@every_problem
def test_empty_states_are_assigned(problem):
    empty = np.full((3, problem.n), -1)
    for heuristic in (None, gls.CheapestValue()):
        result = found(problem, empty, replace(SHORT, heuristic=heuristic))
        assert (result.tours >= 0).all()
    assert found(problem, None).tours.shape == (4 * get_backend("cpu").processors, problem.n)


def test_seeds_and_launches(monkeypatch):
    states = starts(GENERALISED)
    tabu = replace(SHORT, improvement="tabu")
    first = found(GENERALISED, states, tabu, seed=3)
    monkeypatch.setattr(state_population, "FIRST_STEPS", {"cpu": 1})
    assert (found(GENERALISED, states, tabu, seed=3).tours == first.tours).all()
    assert (found(GENERALISED, states, tabu, seed=4).tours != first.tours).any()


def test_rows_do_not_depend_on_the_batch():
    alone = replace(SHORT, mixing=0.0, migration=1000)
    states = starts(QUADRATIC)
    whole, part = (
        found(QUADRATIC, s, alone, first_row=f) for s, f in ((states, 0), (states[2:], 2))
    )
    assert (whole.tours[2:] == part.tours).all()


def population_of(problem, states, **options):
    made = searched(replace(SHORT, **options), problem, states)
    made.advance(30, 100.0)
    return made


@every_problem
@pytest.mark.parametrize("release", ["random", "worst", "related"])
def test_up_to_twice_the_share_is_released(problem, release):
    population = population_of(
        problem, starts(problem, 40), release=release, mixing=0.0, share=0.2, migration=9
    )
    elites = population.elites.states.copy()
    population.renew()
    released = population.released
    counts = released.sum(axis=1)
    assert set(counts.tolist()) == set(range(1, round(0.4 * problem.n) + 1))
    assert (population.states == elites)[~released].all()


def test_the_most_expensive_variable_is_released_first():
    costs = np.ones((20, 2), int)
    costs[7] = 1000
    problem = gls.GeneralisedAssignment(costs, costs, [30_000, 30_000])
    population = population_of(
        problem, starts(problem, 30), release="worst", mixing=0.0, share=0.01
    )
    population.renew()
    chosen = population.released[:, 7].mean()  # its cost has a random factor up to 1
    assert chosen > 0.9


def relation(problem, state, first):
    """Return how closely each variable is related to the first one."""
    if problem is COLOURING:
        near = 2 * np.array([[first, v] in pairs_of(problem) for v in range(problem.n)])
        return near + (state == state[first])
    if problem is QUADRATIC:
        return problem.flows[first] + problem.flows[:, first]
    taken, every = problem.resources, np.arange(problem.n)
    here = abs(taken[:, state[first]] - taken[first, state[first]])
    return -here - abs(taken[every, state] - taken[first, state])


def pairs_of(problem):
    return problem.edges.tolist() + problem.edges[:, ::-1].tolist()


@every_problem
def test_related_variables_are_released_together(problem):
    population = population_of(
        problem, starts(problem, 30), release="related", mixing=0.0, migration=9
    )
    elites = population.elites.states.copy()
    population.renew()
    for state, released in zip(elites, population.released, strict=True):
        fits = []
        for drawn in np.flatnonzero(released):
            near = relation(problem, state, drawn).astype(float)
            near[drawn] = np.inf
            fits.append(near[released].min() >= near[~released].max(initial=-np.inf))
        assert any(fits)


@pytest.mark.parametrize("problem", [GENERALISED, QUADRATIC], ids=["generalised", "quadratic"])
def test_mixed_states_have_their_parents_values(problem):
    population = population_of(problem, starts(problem, 20), mixing=1.0, share=0.05, migration=9)
    elites = population.elites.states.copy()
    population.renew()
    kept = np.where(population.released, -1, population.states)
    mates = population.mates_of(1)
    assert ((kept == elites) | (kept == elites[mates]) | (kept < 0)).all()
    assert (kept != elites).any()
    if problem.distinct:
        for row in kept:
            values = row[row >= 0]
            assert len(np.unique(values)) == len(values)


def test_rows_continue_from_better_ones():
    states = starts(QUADRATIC, 8)
    population = population_of(QUADRATIC, states, mixing=0.0, share=0.01, migration=2)
    elites = population.elites.states.copy()
    population.elites.costs[1:] = 10**9 + np.arange(7)[::-1]  # only the first is good
    population.idle[:] = [0, 3, 3, 3, 0, 3, 3, 3]
    population.renew()
    rivals = population.mates_of(1 + RIVALS)
    costs = population.elites.costs
    moves = (costs[rivals] < costs) & (np.arange(8) % 4 > 0)
    bases = np.where(moves, rivals, np.arange(8))
    assert ((population.states == elites[bases]) | population.released).all()
    assert moves.any() and (~population.released).any(axis=1).all()


@pytest.mark.parametrize(
    ("idle", "alike", "begins"),
    [(PATIENCE, True, True), (PATIENCE - 1, True, False), (PATIENCE + 1, False, False)],
)
def test_rows_that_are_alike_restart(idle, alike, begins):
    states = np.tile(np.arange(10), (6, 1)) if alike else starts(QUADRATIC)
    rows = population_of(QUADRATIC, states, mixing=0.0, share=0.01)
    if alike:
        rows.elites.states[:] = rows.elites.states[0]
    best = rows.found.states.copy()
    rows.idle[:] = idle - 1
    rows.renew()
    assert rows.released.all() == begins
    rows.advance(30, 100.0)
    assert (QUADRATIC.cost(rows.found.states) <= QUADRATIC.cost(best)).all()
    assert (rows.elites.costs < 2**62).all()


def test_defaults_of_a_round():
    search = gls.SuccessorSearch()
    plans = {name: search.plan(problem) for name, problem in PROBLEMS.items()}
    rounds = {name: (p.steps, p.mixing, p.migration) for name, p in plans.items()}
    assert rounds == {
        "colouring": (10 * COLOURING.n, 0.5, 10),
        "generalised": (5 * GENERALISED.n, 0.0, 0),
        "quadratic": (200 * QUADRATIC.n, 0.5, 10),
    }
    sparse = gls.GraphColouring(3, [(0, 1)], 2)
    assert gls.SuccessorSearch().plan(sparse).steps == 50 * 3
    given = gls.SuccessorSearch(steps=7, share=0.5, mixing=0.25, migration=3).plan(GENERALISED)
    assert (given.steps, given.released, given.mixing, given.migration) == (7, 20, 0.25, 3)
    rule = gls.SuccessorSearch(accept=gls.Annealing()).plan(QUADRATIC)
    assert rule.steps == rule.improvement.round_steps == 50 * QUADRATIC.n


def test_permutations_take_turns_in_tenures():
    tabu = gls.SuccessorSearch().plan(QUADRATIC).improvement
    assert [tabu.numbers_of(number)["tenure"] for number in range(6)] == [9, 1, 1, 1, 9, 1]
    given = gls.SuccessorSearch(tenure=4).plan(QUADRATIC).improvement
    assert {given.numbers_of(number)["tenure"] for number in range(6)} == {4}


def test_limits_end_a_search():
    states, best = starts(QUADRATIC), found(QUADRATIC, starts(QUADRATIC)).best_cost
    for budget, reason, moves in (
        (gls.Budget(kicks=1), "kicks", 6 * 30),
        (gls.Budget(moves=5), "moves", 6 * 5),
        (gls.Budget(seconds=0), "seconds", 0),
        (gls.Budget(target=best), "target", None),
        (gls.Budget(target=np.inf), "target", None),
        (gls.Budget(target=-np.inf, kicks=2), "kicks", 6 * 2 * 30),
    ):
        statistics = found(QUADRATIC, states, budget=budget).statistics
        assert statistics.stopped_by == reason and moves in (None, statistics.moves)
    assert found(COLOURING, starts(COLOURING), budget=None).statistics.stopped_by == "optimum"
    nothing = found(QUADRATIC, states, budget=gls.Budget(seconds=0))
    assert (nothing.tours == states).all()


def test_an_interrupt_loses_nothing():
    seen = []

    def interrupt(progress):
        seen.append(progress)
        if len(seen) == 3:
            raise KeyboardInterrupt

    states = starts(QUADRATIC)
    result = found(QUADRATIC, states, callback=interrupt)
    assert result.statistics.interrupted
    assert result.best_cost == seen[-1].best_cost == QUADRATIC.cost(seen[-1].best_tours()).min()
    assert [p.best_cost for p in seen] == sorted((p.best_cost for p in seen), reverse=True)


def test_a_third_party_problem():
    problem = BinPacking(np.arange(1, 13), 8, 20)
    result = found(problem, starts(problem), replace(SHORT, heuristic=gls.CheapestValue()))
    assert result.best_cost == 4 and problem.feasible(result.best_tour).all()


def test_a_functor_that_disagrees_is_found():
    class Wrong(BinPacking):
        def cost(self, rows):
            return super().cost(rows) + 1

    problem = Wrong(np.arange(1, 13), 8, 20)
    with pytest.raises(FaultyPartError, match="computes cost 4 for row 0, but cost"):
        found(problem, starts(problem))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: found(gls.TSP([[0, 0], [1, 1]]), [[0, 1]]), InvalidTypeError, "problem: "),
        (lambda: found(Plain([2, 2]), [[0, 1]]), UnsupportedProblemError, "no functor"),
        (lambda: found(QUADRATIC, [[0, 1]]), InvalidTourError, "states"),
        (lambda: found(QUADRATIC, np.zeros((1, 10), int)), InvalidTourError, "row 0"),
        (lambda: found(COLOURING, np.full((1, 25), 5)), InvalidTourError, "row 0"),
        (lambda: found(COLOURING, starts(COLOURING), budget=3), InvalidTypeError, "budget"),
        (
            lambda: found(COLOURING, starts(COLOURING), memory_limit=9_000),
            InsufficientMemoryError,
            "states fit",
        ),
        (
            lambda: found(gls.GraphColouring(2**16, [], 2), np.zeros((1, 2**16), int)),
            UnsupportedProblemError,
            "moves",
        ),
        (lambda: gls.SuccessorSearch(release="best"), InvalidParameterError, "release"),
        (lambda: gls.SuccessorSearch(share=2.0), InvalidParameterError, "share"),
        (lambda: gls.SuccessorSearch("greedy"), InvalidTypeError, "heuristic"),
        (
            lambda: found(GENERALISED, None, gls.SuccessorSearch(gls.WeightTable([[1]]))),
            UnsupportedProblemError,
            "1 variables",
        ),
    ],
)
def test_invalid_searches_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_one_variable_and_one_value():
    for problem in (
        gls.GraphColouring(1, [], 1),
        gls.QuadraticAssignment([[3]], [[2]]),
        gls.GeneralisedAssignment([[4]], [[1]], [0]),
    ):
        result = found(problem, [[-1], [0]])
        assert (result.tours == 0).all() and (result.costs == problem.cost([[0]])).all()
