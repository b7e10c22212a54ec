"""Evolutions one after the other: whose turn it is, and what is kept of those before."""

from __future__ import annotations

import math
import pickle
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gpu_ls_plugin import TSP
from gpu_ls_plugin.evolution.generations.evolution import Evolution
from gpu_ls_plugin.evolution.generations.in_turn import InTurn, Part
from gpu_ls_plugin.evolution.tour_population import TourPopulation
from tests.evolution.samples import cities

if TYPE_CHECKING:
    from gpu_ls_plugin.result import Statistics

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
    evolution, clock = InTurn(((0.4, first),), last), Clock()
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
    evolution, clock = InTurn(((0.5, Told([[9]])),), Told([[8, 7]])), Clock()
    turn = evolution.start(PROBLEM, RANDOM, clock)
    clock.done = 0.5
    turn = evolution.next(PROBLEM, turn, RANDOM, clock)
    assert turn.costs.tolist() == [8, 7] and turn.tours[:, 0].tolist() == [2, 3]
    copy = pickle.loads(pickle.dumps(turn))
    assert (copy.tours == turn.tours).all() and copy.cost == 9


def test_given_tours_begin_the_last_one():
    last = Told([[4, 5], [3, 5]])
    evolution, clock = InTurn(((0.5, Told([])),), last), Clock()
    given = np.arange(5, dtype=np.int32)[None]
    turn = evolution.start(PROBLEM, RANDOM, clock, given)
    clock.done = 0.5
    turn = evolution.next(PROBLEM, turn, RANDOM, clock)
    assert last.given is given and turn.number == 1
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
