"""Evolutions one after the other: whose turn it is, and what is kept of those before."""

from __future__ import annotations

import math
import pickle
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from gpu_ls_plugin.evolution.generations.fleet_evolution import FleetEvolution
from gpu_ls_plugin.evolution.generations.in_turn import InTurn, Part

from gpu_ls_plugin import TSP
from gpu_ls_plugin.evolution.generations.evolution import Evolution
from gpu_ls_plugin.evolution.tour_population import TourPopulation
from tests.evolution.samples import cities
from tests.helpers.routing import roomy_cvrp

if TYPE_CHECKING:
    from gpu_ls_plugin.result import Statistics

ROUTES = roomy_cvrp()
PROBLEM = TSP(cities(5), "EUC_2D")
RANDOM = np.random.default_rng(1)


@dataclass
class Clock:
    """A run of ten seconds, whose clock is set."""

    done: float = 0.0
    counted: list[Any] = field(default_factory=list)

    def seconds_left(self) -> float:
        return 10.0 * (1.0 - self.done)

    def progress(self) -> float:
        return self.done

    def account(self, statistics: Statistics) -> None:
        self.counted.append(statistics)


@dataclass
class Told(Evolution[TourPopulation]):
    """Generations whose costs are told, and which write down what they see of the run."""

    costs: list[list[int]]
    runs: list[tuple[float, float]] = field(default_factory=list)
    given: Any = None
    size = 3

    def prepare(self, problem: TSP) -> None:
        self.given = "prepared"

    def start(self, problem: Any, random_state: Any, run: Any, given: Any = None) -> TourPopulation:
        self.given = given
        return self._made(run)

    def next(self, problem: Any, population: Any, random_state: Any, run: Any) -> TourPopulation:
        return self._made(run)

    def _made(self, run: Any) -> TourPopulation:
        self.runs.append((round(run.seconds_left(), 9), round(run.progress(), 9)))
        costs = np.array(self.costs.pop(0))
        tours = np.array([np.roll(np.arange(5), cost) for cost in costs], np.int32)
        return TourPopulation(np, tours, costs, None)


def test_each_begins_where_the_one_before_ends():
    first, last = Told([[9, 8], [7, 9]]), Told([[6, 9, 10], [8, 6, 11], [5, 9, 10]])
    evolution, clock = InTurn((0.4, first), last), Clock()
    evolution.prepare(PROBLEM)
    assert (first.given, last.given) == ("prepared", "prepared") and evolution.size == 3
    turns = [evolution.start(PROBLEM, RANDOM, clock)]
    for clock.done in (0.2, 0.4, 0.7, 1.0):
        turns.append(evolution.next(PROBLEM, turns[-1], RANDOM, clock))
    assert first.runs == [(4, 0), (2, 0.5)]  # seconds that are left to them, and shares
    assert last.runs == [(6, 0), (3, 0.5), (0, 1)]
    assert [turn.number for turn in turns] == [0, 0, 1, 1, 1]
    # The best tour of the first one costs 7: it takes the place of the worst.
    assert [turn.costs.tolist() for turn in turns[2:]] == [[6, 9, 7], [8, 6, 7], [5, 9, 7]]
    for turn in turns:
        assert [tour[0] for tour in turn.tours] == [-cost % 5 for cost in turn.costs]
        assert len(turn) == len(turn.costs)
    assert last.costs == [] and turns[2].population.costs.tolist() == [6, 9, 10]


def test_what_is_worse_than_all_is_left_out():
    evolution, clock = InTurn((0.5, Told([[9]])), Told([[8, 7]])), Clock()
    turn = evolution.start(PROBLEM, RANDOM, clock)
    clock.done = 0.5
    turn = evolution.next(PROBLEM, turn, RANDOM, clock)
    assert turn.costs.tolist() == [8, 7] and turn.tours[:, 0].tolist() == [2, 3]
    copy = pickle.loads(pickle.dumps(turn))
    assert (copy.tours == turn.tours).all() and copy.cost == 9


class Limited(Told):
    """Chains under a limit of the fleet, by which their costs and their routes go."""

    fleet: int | None = None

    def limited(self, fleet: int | None) -> Limited:
        made = Limited([])
        made.fleet, made.costs = fleet, self.costs
        return made

    def _made(self, run: Any) -> TourPopulation:
        problem, fleet = ROUTES, self.fleet or 8
        rows = np.array_split(np.arange(1, problem.customers + 1), fleet)
        costs = np.array([self.costs[0][fleet], 99])
        return TourPopulation(np, np.tile(problem.tour(rows), (2, 1)), costs, None)


@pytest.mark.parametrize(
    ("costs", "tried", "last"),
    [
        ({8: 50, 7: 60}, [None, 7], None),
        ({8: 50, 7: 50}, [None, 7], None),  # as good is not better
        ({8: 50, 7: 40, 6: 45}, [None, 7, 6], 7),
        ({8: 50, 7: 40, 6: 30, 5: 20, 4: 10}, [None, 7, 6, 5, 4], 4),  # the fewest
    ],
)
def test_tries_of_fewer_vehicles(costs: Any, tried: Any, last: Any):
    chains: Any = Limited([costs])
    evolution, clock = FleetEvolution(chains, chains), Clock(0.52)
    turn = evolution.start(ROUTES.tsp, RANDOM, clock)
    seen = [turn]
    for clock.done in np.linspace(0.54, 0.98, 23):
        turn = evolution.next(ROUTES.tsp, turn, RANDOM, clock)
        turn = pickle.loads(pickle.dumps(turn))
        if turn.number > seen[-1].number:
            seen.append(turn)
    assert [each.evolution.fleet for each in seen] == [*tried, last]
    assert [each.end - each.begin for each in seen[:2]] == pytest.approx([0.48 / 12, 0.44 / 12])
    assert seen[-1].end == 1.0 and min(turn.costs) == min(costs.values())


def test_given_tours_begin_the_last_one():
    last = Told([[4, 5], [3, 5]])
    evolution, clock = InTurn((0.5, Told([])), last), Clock()
    given = np.arange(5, dtype=np.int32)[None]
    turn = evolution.start(PROBLEM, RANDOM, clock, given)
    clock.done = 0.5
    turn = evolution.next(PROBLEM, turn, RANDOM, clock)
    assert last.given is given and turn.evolution is last
    assert last.runs == [(10, 0), (5, 0.5)]


@pytest.mark.parametrize(("done", "seconds", "share"), [(0.2, 4, 0), (0.4, 2, 0.5), (0.7, 0, 1)])
def test_a_part_of_a_run(done: float, seconds: float, share: float):
    part = Part(Clock(done), 0.2, 0.6)
    assert part.seconds_left() == pytest.approx(seconds)
    assert part.progress() == pytest.approx(share)


def test_a_part_of_a_run_without_an_end():
    class Endless(Clock):
        def seconds_left(self) -> float:
            return math.inf

    part = Part(Endless(), 0.0, 1.0)
    assert (part.seconds_left(), part.progress()) == (math.inf, 0.0)
    part.account(None)
    assert part.run.counted == [None]
