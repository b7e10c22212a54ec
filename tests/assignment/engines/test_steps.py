"""Steps of each kind match an oracle, in one launch or in many; which kind a search chooses."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.engines.improvements import Accepted, EjectionChains, Tabu
from gpu_ls_plugin.assignment.engines.state_layouts import Layout
from gpu_ls_plugin.assignment.engines.successor_search import KICKS
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from tests.helpers.ejection_oracle import chain_search
from tests.helpers.examples import examples
from tests.helpers.marks import slow_after
from tests.helpers.searched_states import FIRST_ROW, after_steps, random_states
from tests.helpers.state_oracle import accepted_search, tabu_search

RULES = {"threshold": gls.Threshold(0.3), "annealing": gls.Annealing(0.8)}
RULED = [("quadratic", "annealing"), ("generalised", "threshold"), ("colouring", "annealing")]
SEEDS = st.integers(0, 2**20)


def launches(steps):
    """Draw the most steps of a launch."""
    return st.sampled_from([1, 7, steps])


def problems(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 8))
    edges = [(a, b) for a in range(n) for b in range(a) if rng.random() < 0.7] or [(0, 1)]
    return {
        "colouring": gls.GraphColouring(n, edges, int(rng.integers(1, 4))),
        "generalised": gls.GeneralisedAssignment.generated("D", n, int(rng.integers(1, 5)), seed),
        "quadratic": gls.QuadraticAssignment(*rng.integers(0, 9, (2, n, n))),
    }


def assert_steps(search, problem, steps, launch, seed, oracle, *given):
    """Compare the last and the best state of two rows with the oracle's."""
    states = random_states(problem, 2, seed)
    population = after_steps(search, problem, states, steps, launch, seed)
    for row, state in enumerate(states.tolist()):
        place = {"seed": seed, "row": FIRST_ROW + row}
        last, best, *looks = oracle(problem, state, steps, *given, **place)
        assert population.states[row].tolist() == last
        assert population.elites.states[row].tolist() == best
        assert looks in ([], [population.look_counts[row]])


@pytest.mark.slow
@pytest.mark.parametrize("kind", slow_after(2, ["generalised", "quadratic", "colouring"]))
@examples(24)
@given(seed=SEEDS, launch=launches(25))
def test_tabu_steps(kind, seed, launch):
    problem, search = problems(seed)[kind], gls.SuccessorSearch(improvement="tabu")
    tenure = search.plan(problem).improvement.tenures[0]
    assert_steps(search, problem, 25, launch, seed, tabu_search, tenure)


@pytest.mark.parametrize(("kind", "name"), slow_after(1, RULED))
@given(seed=SEEDS, launch=launches(20))
def test_steps_by_an_acceptance_rule(kind, name, seed, launch):
    problem, rule = problems(seed)[kind], RULES[name]
    search = gls.SuccessorSearch(accept=rule, steps=20, sample=200)
    assert_steps(search, problem, 20, launch, seed, accepted_search, name, rule.level)


@given(
    seed=SEEDS,
    jobs=st.integers(1, 20),
    agents=st.integers(1, 6),
    kind=st.sampled_from("CDE"),
    launch=launches(6),
)
@example(seed=1, jobs=60, agents=4, kind="D", launch=6)  # more variables of a value than lanes
def test_ejection_chains(seed, jobs, agents, kind, launch):
    problem = gls.GeneralisedAssignment.generated(kind, jobs, agents, seed)
    assert_steps(gls.SuccessorSearch(steps=6), problem, 6, launch, seed, chain_search, KICKS)


def test_a_budget_of_one_step():
    problem = gls.QuadraticAssignment([[0, 5, 1], [5, 0, 0], [1, 0, 0]], np.arange(9).reshape(3, 3))
    result = gls.SuccessorSearch()(problem, [[0, 1, 2]], budget=gls.Budget(moves=1), backend="cpu")
    swaps = [[1, 0, 2], [2, 1, 0], [0, 2, 1]]
    assert result.best_cost == min(problem.cost([[0, 1, 2], *swaps]))
    assert result.statistics.moves == 1 and result.statistics.stopped_by == "moves"


def test_the_sample_limits_the_moves():
    problem = gls.QuadraticAssignment.generated(30, 1)
    start = np.arange(30)[None]
    few, all_ = (
        gls.SuccessorSearch(sample=s)(problem, start, budget=gls.Budget(moves=1), backend="cpu")
        for s in (1, 435)
    )
    assert problem.cost(start)[0] >= few.best_cost > all_.best_cost


def test_chains_find_more_than_single_moves():
    problem = gls.GeneralisedAssignment.generated("D", 60, 10, 1)
    tabu, chains = (
        gls.SuccessorSearch(improvement=name, steps=300)(
            problem, np.full((2, 60), -1), budget=gls.Budget(kicks=2), backend="cpu"
        )
        for name in ("tabu", "chains")
    )
    assert chains.statistics.evaluations < tabu.statistics.evaluations
    assert problem.feasible(chains.tours).all()
    assert chains.best_cost < tabu.best_cost


def test_problems_without_chains():
    with pytest.raises(UnsupportedProblemError, match="improvement: GraphColouring has no chains"):
        gls.SuccessorSearch(improvement="chains").plan(gls.GraphColouring.queen(4, 4, 5))
    costs = np.full((4, 2), 2**30)
    large = gls.GeneralisedAssignment(costs, costs, [2**32, 2**32])
    assert not large.chains
    found = gls.SuccessorSearch(steps=5)(large, budget=gls.Budget(kicks=1), backend="cpu")
    assert found.best_cost == 2**32


@pytest.mark.parametrize(
    ("tenure", "improvement", "name"),
    [(None, "auto", "chains"), (5, "auto", "tabu"), (5, "chains", "chains"), (None, *["tabu"] * 2)],
)
def test_a_tenure_selects_tabu_steps(tenure, improvement, name):
    problem = gls.GeneralisedAssignment.generated("D", 20, 4, 1)
    search = gls.SuccessorSearch(tenure=tenure, improvement=improvement)
    assert search.plan(problem).improvement.name == name


def test_invalid_rules_are_refused():
    with pytest.raises(InvalidTypeError, match="accept: 'better' is not an Acceptance"):
        gls.SuccessorSearch(accept="better")
    with pytest.raises(InvalidParameterError, match=r"improvement, accept: .* leave one out"):
        gls.SuccessorSearch(accept=gls.Better(), improvement="tabu")


def test_a_gpu_searches_as_many_states_as_its_cache_holds():
    for n, cache, resident, lanes, shared in (
        (100, 60 << 20, 3, "256", True),  # the tables of three states for each multiprocessor fit
        (150, 60 << 20, 2, "512", True),
        (200, 60 << 20, 1, "1024", True),
        (256, 60 << 20, 1, "1024", False),  # not even one
        (237, 60 << 20, 1, "1024", False),  # a team needs a few kilobytes of shared memory, too
        (100, 4 << 20, 1, "1024", True),
    ):
        gpu = SimpleNamespace(processors=132, cache=cache, shared_memory=227 << 10, block=str)
        layout = Layout.of(gpu, gls.QuadraticAssignment.generated(n, 1), Tabu((), 1))
        found = layout.resident, layout.team, layout.shared_bytes > 0
        assert found == (resident, lanes, shared), n


@pytest.mark.parametrize("steps", [Accepted(gls.Annealing(), 1, 1), EjectionChains(1)], ids=str)
def test_steps_that_read_few_moves_ignore_the_cache(steps):
    gpu = {"processors": 132, "shared_memory": 227 << 10, "block": str, "warp": str}
    problem = gls.GeneralisedAssignment.generated("D", 400, 40, 1)
    for cache in (0, 1 << 20):
        layout = Layout.of(SimpleNamespace(**gpu, cache=cache), problem, steps)
        assert layout.resident == steps.resident
