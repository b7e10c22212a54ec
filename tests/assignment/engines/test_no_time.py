"""Searches without time: complete rows with exact costs, and no error."""

from __future__ import annotations

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.engines.found_states import completed, quick_state
from gpu_ls_plugin.assignment.engines.searched_states import SearchedStates
from gpu_ls_plugin.assignment.engines.state_population import StatePopulation
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.cpu import CpuBackend
from gpu_ls_plugin.core import budget
from gpu_ls_plugin.runs import search_population
from gpu_ls_plugin.runs.plan import Plan
from gpu_ls_plugin.runs.repeated_calls import population_of
from gpu_ls_plugin.runs.stretch import Stretch
from tests.helpers.bin_packing import BinPacking
from tests.helpers.searched_states import searched

PROBLEMS = {
    "colouring": gls.GraphColouring.queen(6, 6, 7),
    "generalised": gls.GeneralisedAssignment.generated("C", 30, 4, 1),
    "quadratic": gls.QuadraticAssignment.generated(12, 1),
    "third_party": BinPacking([3, 1, 4, 1, 5, 9, 2, 6], 6, 10),
}
ROWS = 6
NOTHING_ALLOWED = {"seconds": {"seconds": 0}, "kicks": {"kicks": 0}, "moves": {"moves": 0}}

every_problem = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until a test moves it."""
    seconds = [0.0]
    monkeypatch.setattr(budget, "now", lambda: seconds[0])
    return seconds


def expect_complete(problem, result):
    assert (result.tours >= 0).all() and (result.tours < problem.sizes).all()
    np.testing.assert_array_equal(result.costs, problem.cost(result.tours))
    if problem.distinct:
        assert problem.feasible(result.tours).all()


def worth(problem, row):
    return not problem.feasible(row)[0], int(problem.cost(row)[0])


def expect_as_good_as_a_construction(problem, result):
    quick = completed(problem, quick_state(problem, get_backend("cpu"), 1)[np.newaxis], 1)
    assert worth(problem, result.best_tour) <= worth(problem, quick[0])


def cut_launches(monkeypatch, clock, rows):
    """Let only the first `rows` rows begin their steps; then the time is over."""
    launch = CpuBackend.launch

    def cut(self, kernel, count, arguments, **options):
        if kernel.name not in ("tabu", "chains", "accepted"):
            return launch(self, kernel, count, arguments, **options)
        if rows:
            launch(self, kernel, rows, arguments, **options)
        clock[0] += 1e6
        return False

    monkeypatch.setattr(CpuBackend, "launch", cut)


@pytest.mark.parametrize("limits", NOTHING_ALLOWED.values(), ids=NOTHING_ALLOWED)
@every_problem
def test_budgets_of_nothing(problem, limits):
    result = gls.solve(problem, **({"seconds": 1e6} | limits), population=ROWS, backend="cpu")
    expect_complete(problem, result)
    expect_as_good_as_a_construction(problem, result)
    assert result.statistics.moves == 0


@pytest.mark.parametrize("rows", [0, 2])
@pytest.mark.parametrize("improvement", ["auto", "tabu"])
@every_problem
def test_rows_that_have_not_begun_are_complete(problem, improvement, rows, monkeypatch, clock):
    empty, search = np.full((ROWS, problem.n), -1), gls.SuccessorSearch(improvement=improvement)
    search(problem, empty, budget=gls.Budget(kicks=1, moves=1), backend="cpu")  # compiles
    cut_launches(monkeypatch, clock, rows)
    result = search(problem, empty, budget=gls.Budget(seconds=1.0), backend="cpu")
    assert result.statistics.stopped_by == "seconds"
    expect_complete(problem, result)
    expect_as_good_as_a_construction(problem, result)


@every_problem
def test_rows_that_have_not_begun_begin_later(problem, monkeypatch, clock):
    states = np.full((ROWS, problem.n), -1, np.int32)
    population = searched(gls.SuccessorSearch(steps=30), problem, states)
    with monkeypatch.context() as patch:
        cut_launches(patch, clock, 2)
        population.advance(8, 1.0)
    assert (states[2:] < 0).all() and population.step == 0
    costs = problem.cost(population.found.states)
    for _ in range(3):
        population.advance(30, 1e6)
        population.renew()
        population.advance(30, 1e6)
    assert (states >= 0).all()
    np.testing.assert_array_equal(population.found.costs, problem.cost(population.found.states))
    if problem.distinct:
        assert (population.found.costs <= costs).all()


@every_problem
def test_given_rows_come_back_without_time(problem):
    rng = np.random.default_rng(1)
    given = completed(problem, np.full((ROWS, problem.n), -1, np.int32), 3)
    partly = np.where(rng.random(given.shape) < 0.5, -1, given)
    for states in (given, partly):
        result = gls.SuccessorSearch()(problem, states, budget=gls.Budget(0.0), backend="cpu")
        expect_complete(problem, result)
        assert ((result.tours == states) | (states < 0)).all()


@every_problem
def test_completed_rows_do_not_depend_on_the_batch(problem):
    empty = np.full((4, problem.n), -1, np.int32)
    whole, part = completed(problem, empty, 5), completed(problem, empty[1:], 5, first_row=1)
    np.testing.assert_array_equal(whole[1:], part)
    assert (whole[0] != whole[1]).any() and (empty < 0).all()


MOMENTS = {
    "preparing": (SearchedStates, "__init__"),
    "searching": (SearchedStates, "advance"),
    "renewing": (SearchedStates, "renew"),
    "reporting": (search_population, "record_point"),
    "ending": (search_population, "Result"),
}


@pytest.mark.parametrize("moment", MOMENTS.values(), ids=MOMENTS)
@every_problem
def test_ctrl_c_at_any_moment(problem, moment, monkeypatch):
    owner, name = moment
    original, calls = getattr(owner, name), []

    def interrupted(*arguments, **options):
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return original(*arguments, **options)

    gls.solve(problem, kicks=2, population=ROWS, backend="cpu")  # compiles
    monkeypatch.setattr(Plan, "prepare", lambda *_, **__: None)
    monkeypatch.setattr(owner, name, interrupted)
    result = gls.solve(problem, kicks=3, target=-(2**60), population=ROWS, backend="cpu")
    assert calls and result.statistics.interrupted
    expect_complete(problem, result)


def test_colours_without_time(monkeypatch, clock):
    graph = gls.GraphColouring.random(60, 0.5, 60, seed=1)
    gls.solve(graph, 1e6, moves=1, backend="cpu", population=ROWS)
    for rows in (0, 2):
        with monkeypatch.context() as patch:
            patch.setattr(gls.SuccessorSearch, "prepare", lambda *_, **__: None)
            cut_launches(patch, clock, rows)
            result = gls.fewest_colours(graph, 1.0, backend="cpu", population=ROWS)
        assert result.problem.feasible(result.tours).all() and (result.costs == 0).all()


@every_problem
def test_generations_without_time(problem, monkeypatch, clock):
    search = gls.SuccessorSearch(steps=30)
    states = np.full((ROWS, problem.n), -1, np.int32)
    made = StatePopulation(search, problem, states, 1, "cpu")
    assert (made.tours >= 0).all()
    assert not made.advance(Stretch(0.0, generations=1)).moves
    before = made.tours.copy()
    assert (before >= 0).all()
    with monkeypatch.context() as patch:
        cut_launches(patch, clock, 2)
        made.advance(Stretch(1.0, generations=1))
    assert (made.tours >= 0).all()
    made.advance(Stretch(1e6, generations=1))
    feasible = problem.feasible(made.tours)
    np.testing.assert_array_equal(made.costs[feasible], problem.cost(made.tours)[feasible])
    assert min(worth(problem, row) for row in made.tours) <= min(
        worth(problem, row) for row in before
    )


@every_problem
def test_an_island_without_time(problem):
    search = gls.SuccessorSearch(steps=30)
    empty, place = np.full((ROWS, problem.n), -1, np.int32), {"seed": 1, "backend": "cpu"}
    island = population_of(search, problem, empty, first_row=3, asked=problem, **place)
    island.advance(Stretch(0.0, None))
    rows, costs = island.tours, island.costs
    assert (rows >= 0).all()
    np.testing.assert_array_equal(costs, problem.cost(rows))
    island.adopt(rows[:1], costs[:1])


@every_problem
def test_quick_states(problem):
    quick = completed(problem, quick_state(problem, get_backend("cpu"), 1)[np.newaxis], 1)
    drawn = completed(problem, np.full((50, problem.n), -1, np.int32), 1)
    assert problem.cost(quick)[0] < problem.cost(drawn).mean()


def test_the_quick_permutation_is_greedy():
    rng = np.random.default_rng(1)
    tables = rng.integers(-9, 90, (2, 7, 7))
    problem = gls.QuadraticAssignment(*tables)
    state = np.full((1, 7), -1)
    flows = problem.flows.sum(axis=0) + problem.flows.sum(axis=1)
    for facility in flows.argsort(kind="stable")[::-1]:
        free = np.setdiff1d(np.arange(7), state)
        tried = np.repeat(state, len(free), axis=0)
        tried[:, facility] = free
        state = tried[problem.cost(tried).argmin()][np.newaxis]
    np.testing.assert_array_equal(problem.quick_state(), state[0])


def test_large_problems_have_quick_states(monkeypatch):
    for module, problem in (
        ("graph_colouring", PROBLEMS["colouring"]),
        ("generalised_assignment", PROBLEMS["generalised"]),
        ("quadratic_assignment", PROBLEMS["quadratic"]),
    ):
        monkeypatch.setattr(f"gpu_ls_plugin.assignment.problem.{module}.MOST_QUICK", 5)
        own = problem.quick_state()
        assert own is None or problem.feasible(own).all()
