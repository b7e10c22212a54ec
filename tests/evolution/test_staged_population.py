"""Populations of a plan's stages: the current stage, and the best rows of earlier stages."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gpu_ls_plugin import TSP
from gpu_ls_plugin.evolution.generations.staged_population import PlannedEvolution
from gpu_ls_plugin.routes.plan.fewer_vehicles import _Tries
from gpu_ls_plugin.runs.plan import Plan, Stage
from tests.evolution.samples import cities
from tests.helpers.routing import roomy_cvrp

if TYPE_CHECKING:
    from gpu_ls_plugin.core.result import Statistics
    from gpu_ls_plugin.runs.stretch import Stretch

from gpu_ls_plugin.core.result import Statistics as Counts

ROUTES = roomy_cvrp()
PROBLEM = TSP(cities(5), "EUC_2D")


@dataclass
class Clock:
    """A run of ten seconds with a clock that tests set."""

    done: float = 0.0
    counted: list[Any] = field(default_factory=list)

    def seconds_left(self) -> float:
        return 10.0 * (1.0 - self.done)

    def progress(self) -> float:
        return self.done

    def account(self, statistics: Statistics) -> None:
        self.counted.append(statistics)


class Made:
    """A population with given costs, which records its stretches."""

    def __init__(self, search: Told, problem: Any) -> None:
        self._search, self._problem, self.adopted = search, problem, None

    def advance(self, stretch: Stretch, enough: Any = None) -> Statistics:
        assert stretch.generations == 1 and stretch.begin == stretch.end
        self.tours, self.costs = self._search.made(self._problem)
        self._search.runs.append((round(stretch.seconds, 3), round(stretch.begin, 3)))
        return Counts(kicks=1, seconds=0.5)

    def __len__(self) -> int:
        return len(self.costs)

    def adopt(self, tours: Any, costs: Any) -> None:
        self.adopted = costs


@dataclass
class Told:
    """A search whose populations have given costs."""

    costs: list[list[int]]
    runs: list[tuple[float, float]] = field(default_factory=list)
    rows: Any = None

    def population(self, problem: Any, rows: Any, *, seed: int, backend: str) -> Made:
        self.rows = rows
        return Made(self, problem)

    def made(self, problem: Any) -> tuple[Any, Any]:
        costs = np.array(self.costs.pop(0))
        return np.array([np.roll(np.arange(5), cost) for cost in costs], np.int32), costs


def prepared(stage: Stage, seen: list[str]) -> None:
    seen.append(stage.name)


def stage_of(name: str, search: Any, seconds: float = math.inf, problem: Any = PROBLEM) -> Stage:
    return Stage(name, "", search, problem, problem, 3, "random_tours", seconds=seconds)


def evolution_of(*stages: Stage, problem: Any = PROBLEM) -> PlannedEvolution:
    return PlannedEvolution(Plan(problem, stages, 10.0, "cpu"))


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_each_stage_begins_at_the_end_of_the_one_before():
    first, last = Told([[9, 8], [7, 9]]), Told([[6, 9, 10], [8, 6, 11], [5, 9, 10]])
    evolution, clock = evolution_of(stage_of("first", first, 4.0), stage_of("last", last)), Clock()
    assert evolution.size == 3
    population, costs = evolution.start(PROBLEM, rng(), clock), []
    for clock.done in (0.2, 0.4, 0.7, 0.99):
        population = evolution.next(PROBLEM, population, rng(), clock)
        costs.append(population.costs.tolist())
        assert [tour[0] for tour in population.tours] == [-cost % 5 for cost in population.costs]
        assert len(population) == len(population.costs)
    assert first.runs == [(4, 0), (2, 0.5)]  # seconds left in the stage, and shares of it
    assert last.runs == [(6, 0), (3, 0.5), (0.1, 0.983)]
    # The best tour of the first stage costs 7: it replaces the worst one.
    assert costs[1:] == [[6, 9, 7], [8, 6, 7], [5, 9, 7]]
    assert population.population.costs.tolist() == [5, 9, 10]
    assert [counted.kicks for counted in clock.counted] == [1] * 5
    assert all(counted.seconds > 0 for counted in clock.counted[:1])


@pytest.mark.parametrize("together", [False, True])
def test_a_run_waits_for_its_first_stage_and_islands_for_all(together):
    seen: list[str] = []
    ready = partial(prepared, seen=seen)
    stages = [
        Stage(name, "", Told([]), PROBLEM, PROBLEM, 1, prepare=ready) for name in ("first", "last")
    ]
    evolution = evolution_of(*stages)
    evolution.prepare_all() if together else evolution.prepare(PROBLEM)
    assert seen == ["first", "last"][: 1 + together]


def test_a_row_of_an_earlier_stage_that_is_worse_than_all_is_left_out():
    evolution = evolution_of(stage_of("first", Told([[9]]), 5.0), stage_of("last", Told([[8, 7]])))
    clock = Clock()
    population = evolution.start(PROBLEM, rng(), clock)
    clock.done = 0.5
    population = evolution.next(PROBLEM, population, rng(), clock)
    assert population.costs.tolist() == [8, 7] and population.tours[:, 0].tolist() == [2, 3]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda all: pickle.loads(pickle.dumps(all))])
@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_copies_continue_identically_in_any_stage(copied, after):
    first, last = Told([[9, 8], [7, 9]]), Told([[6, 9, 10], [8, 6, 11], [5, 9, 10]])
    evolution, clock = evolution_of(stage_of("first", first, 4.0), stage_of("last", last)), Clock()
    population, found = evolution.start(PROBLEM, rng(), clock), []
    for number, clock.done in enumerate((0.2, 0.4, 0.7, 0.9)):
        if number == after:
            evolution, population = copied((evolution, population))
        population = evolution.next(PROBLEM, population, rng(), clock)
        found.append(population.costs.tolist())
    assert found == [[7, 9], [6, 9, 7], [8, 6, 7], [5, 9, 7]]


class Limited(Told):
    """Chains whose costs depend on the fleet of their problem."""

    def made(self, problem: Any) -> tuple[Any, Any]:
        fleet = problem.fleet or 8
        rows = np.array_split(np.arange(1, problem.customers + 1), fleet)
        costs = np.array([self.costs[0][fleet], 99])
        self.runs.append(problem.fleet)
        return np.tile(problem.tour(rows), (2, 1)), costs


@pytest.mark.parametrize(
    ("costs", "tried", "last"),
    [
        ({8: 50, 7: 60}, [None, 7], None),
        ({8: 50, 7: 50}, [None, 7], None),  # as good is not better
        ({8: 50, 7: 40, 6: 45}, [None, 7, 6], 7),
        ({8: 50, 7: 40, 6: 30, 5: 20, 4: 10}, [None, 7, 6, 5, 4], 4),  # the fewest
    ],
)
def test_tries_of_fewer_vehicles(costs, tried, last):
    search: Any = Limited([costs])
    main = stage_of("routes", search, problem=ROUTES)
    one = Stage("try", "", search, ROUTES, ROUTES, 3, "random_tours", seconds=0.4, after=_Tries())
    evolution, clock, random = evolution_of(one, main, problem=ROUTES), Clock(0.52), rng()
    population = evolution.start(ROUTES, random, clock)
    seen = []
    for clock.done in np.linspace(0.53, 0.98, 46):
        if not seen or population.stage is not seen[-1]:
            seen.append(population.stage)
        population = evolution.next(ROUTES, population, random, clock)
    assert [stage.problem.fleet for stage in seen] == [*tried, last]
    assert all(stage.searched is stage.problem for stage in seen)
    assert seen[-1].name == "routes"
    assert min(population.costs) == min(costs.values())


def test_given_tours_begin_the_last_stage():
    first, last = Told([]), Told([[4, 5], [3, 5]])
    evolution, clock = evolution_of(stage_of("first", first, 5.0), stage_of("last", last)), Clock()
    given = np.arange(5, dtype=np.int32)[None]
    population = evolution.start(PROBLEM, rng(), clock, given)
    clock.done = 0.5
    evolution.next(PROBLEM, population, rng(), clock)
    assert (last.rows[0] == given[0]).all() and len(last.rows) == 3
    assert last.runs == [(10, 0), (5, 0.5)]


def test_a_single_stage_takes_the_whole_run():
    """A population that begins in the middle of the run has the temperature of the run."""
    search, clock = Told([[1], [1]]), Clock(0.5)
    evolution = evolution_of(stage_of("tours", search))
    population = evolution.start(PROBLEM, rng(), clock)
    evolution.next(PROBLEM, population, rng(), clock)
    assert search.runs == [(5, 0.0), (5, 0.5)]


def test_runs_without_a_time_limit_and_after_the_last_generation():
    """After the last generation of a limited run, seconds still limit further generations."""

    class Limited(Clock):
        left = math.inf

        def seconds_left(self) -> float:
            return self.left

    search, clock = Told([[1]] * 4), Limited()
    evolution = evolution_of(stage_of("tours", search))
    population = evolution.start(PROBLEM, rng(), clock)
    for clock.done, clock.left in ((0.5, math.inf), (1.0, math.inf), (1.0, 3.0)):
        population = evolution.next(PROBLEM, population, rng(), clock)
    assert search.runs == [(math.inf, 0), (math.inf, 0.5), (math.inf, 1), (3, 1)]


def test_rows_of_others_go_to_the_current_population():
    evolution = evolution_of(stage_of("tours", Told([[1]])))
    population = evolution.start(PROBLEM, rng(), Clock())
    population.adopt(population.tours, population.costs)
    assert population.population.adopted.tolist() == [1]
