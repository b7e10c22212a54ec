"""The search of a batch: budgets, statistics, seeds."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.core.rows import canonical
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.batches.kick import Kick
from gpu_ls_plugin.evolution.batches.starts import Starts
from gpu_ls_plugin.evolution.timed_run import add_search
from tests.evolution.samples import cities, rows

SIXTY = gls.TSP(cities(60), "EUC_2D")


class Noted:
    """A run with a fixed number of seconds left, which adds up statistics."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.total, self.told = seconds, Statistics(), 0

    def seconds_left(self) -> float:
        return self.seconds

    def account(self, statistics: Statistics) -> None:
        self.told += 1
        add_search(self.total, statistics)


def budget_of(improver: dict[str, Any], run: Any = None) -> Any:
    """Return the budget that a search gets."""
    seen: list[Any] = []
    inner = improver.pop("search")

    class Asked(type(inner)):
        def __call__(self, problem: Any, tours: Any, **options: Any) -> Any:
            seen.append(options["budget"])
            return gls.Result(tours, problem.cost(tours))

    Improver(Asked(), **improver)(SIXTY, rows(60, 2), np.random.default_rng(0), run)
    return seen[0]


@pytest.mark.parametrize(
    ("given", "kicks", "moves"),
    [
        ({"search": gls.LocalSearch()}, None, None),
        ({"search": gls.LocalSearch(), "moves": 5}, None, 5),
        ({"search": gls.IteratedLocalSearch(), "kicks": 7}, 7, None),
        ({"search": gls.IteratedLocalSearch(), "moves": 5}, None, 5),
    ],
)
def test_limits_become_a_budget(given, kicks, moves):
    budget = budget_of(given)
    assert (budget.kicks, budget.moves, budget.seconds) == (kicks, moves, None)


def test_an_iterated_search_has_a_limit_of_kicks():
    search = gls.IteratedLocalSearch()
    budget = budget_of({"search": search}, Noted(3.0))
    assert budget.kicks == round(search.kicks_per_city * 60)
    assert budget.seconds == 3.0


def test_a_run_gets_the_statistics_of_each_search():
    run, improver = Noted(100.0), Improver()
    tours, costs = improver(SIXTY, rows(60, 8), np.random.default_rng(1), run)
    assert (tours == canonical(tours)).all()
    assert costs is not None and costs.tolist() == SIXTY.cost(tours).tolist()
    moves = run.total.moves
    improver(SIXTY, rows(60, 8), np.random.default_rng(1), run)
    assert run.told == 2
    assert run.total.moves == 2 * moves > 0
    assert run.total.backend in ("cpu", "cuda")


def test_without_time_nothing_is_searched_but_a_number_is_drawn():
    run, state, other = Noted(0.0), np.random.default_rng(1), np.random.default_rng(1)
    tours, costs = Improver()(SIXTY, rows(60, 8), state, run)
    assert costs is None
    assert run.told == 0
    assert (tours == canonical(rows(60, 8))).all()
    other.integers(2**63)
    assert state.integers(100) == other.integers(100)


def test_real_costs_are_not_returned():
    problem = gls.TSP(cities(60), "EUC")
    assert Improver()(problem, rows(60, 3), np.random.default_rng(0))[1] is None


def test_parts_are_pickled_small():
    for part in (
        Improver("two_opt", moves=3),
        Kick(gls.DoubleBridge(segment=20)),
        Starts("greedy", Improver()),
    ):
        assert pickle.loads(pickle.dumps(part)) == part
        assert len(pickle.dumps(part)) < 500


@pytest.mark.parametrize("name", ["nearest_neighbour", "random_tours", gls.greedy])
def test_starts_are_searched_constructions(name):
    starts = Starts(name, Improver())
    tours, costs = starts(SIXTY, 5, np.random.default_rng(2))
    state = np.random.default_rng(2)
    plain = starts.construct(SIXTY, 5, state)
    again, _ = Improver()(SIXTY, plain, state)
    assert (tours == again).all()
    assert costs is not None and (costs <= SIXTY.cost(plain)).all()
