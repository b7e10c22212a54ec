"""Criteria of convergence, and restarts from the best tour."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from gpu_ls_plugin import TSP
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.convergence import FewTours, LowEntropy, Stagnation
from gpu_ls_plugin.evolution.generations.evolution import Evolution
from gpu_ls_plugin.evolution.generations.generation import Generation, GenerationEvolution
from gpu_ls_plugin.evolution.generations.restarts import Restarts, Watched
from gpu_ls_plugin.evolution.timed_run import TimedRun
from gpu_ls_plugin.evolution.tour_population import TourPopulation
from gpu_ls_plugin.tours.crossovers.edge_assembly import EdgeAssembly
from tests.evolution.samples import cities, rows

PROBLEM = TSP(cities(40), "EUC_2D")
RING, STAR = np.arange(5), np.array([0, 2, 4, 1, 3])  # no edge in common
FIVE, FIVE_DIRECTED = (
    TSP.from_matrix(np.ones((5, 5)) + np.triu(np.ones((5, 5)) * s)) for s in (0, 1)
)


def population_of(*tours: Any, symmetric: bool = True) -> TourPopulation:
    array = np.array(tours, dtype=np.int32)
    problem = FIVE if symmetric else FIVE_DIRECTED
    return TourPopulation.of(problem, np, array, np.arange(len(array)))


@dataclass
class Told(Evolution[TourPopulation]):
    """Generations with given lowest costs; records the tours that starts get."""

    lowest: list[int]
    given: list[Any] = field(default_factory=list)
    size = 3

    def prepare(self, problem: TSP) -> None:
        self.given.append("prepared")

    def start(self, problem: Any, random_state: Any, run: Any, given: Any = None) -> TourPopulation:
        self.given.append(None if given is None else given.tolist())
        return self._made()

    def next(self, problem: Any, population: Any, random_state: Any, run: Any) -> TourPopulation:
        return self._made()

    def _made(self) -> TourPopulation:
        low = self.lowest.pop(0)
        tours = rows(40, 3, low)
        return TourPopulation.of(PROBLEM, np, tours, np.array([low + 5, low, low + 5]))


def run_of(evolution: Evolution[Any], generations: int, seed: int = 1) -> list[Any]:
    random_state = np.random.default_rng(seed)
    populations = [evolution.start(PROBLEM, random_state, TimedRun())]
    for _ in range(generations):
        populations.append(evolution.next(PROBLEM, populations[-1], random_state, TimedRun()))
    return populations


def test_a_stagnating_population_restarts_from_its_best_tour():
    told = Told([50, 40, 40, 41, 40, 39, 39, 38])
    found = run_of(Restarts(told, Stagnation(2)), 6)
    best = rows(40, 3, 41)[1].tolist()  # of the generation before the restart
    assert told.given == [None, [best]]
    # the third generation is followed by a start, whose best tour costs 40
    assert [one.lowest for one in found] == [50, 40, 40, 40, 39, 39, 38]
    assert [one.unimproved for one in found] == [0, 0, 1, 0, 0, 1, 0]
    assert [one.restarts for one in found] == [0, 0, 0, 1, 1, 1, 1]


def test_no_restart_without_time():
    class Ended(TimedRun):
        def seconds_left(self) -> float:
            return 0.0

    told = Told([50, 40])
    evolution, random_state = Restarts(told, lambda *_: True), np.random.default_rng(1)
    start = evolution.start(PROBLEM, random_state, Ended())
    assert evolution.next(PROBLEM, start, random_state, Ended()).restarts == 0
    assert told.given == [None]


def test_criteria_get_the_population_after_each_generation():
    asked = []

    def converged(problem: Any, population: Any, unimproved: int) -> bool:
        asked.append((problem, int(population.costs.min()), unimproved))
        return False

    run_of(Restarts(Told([9, 8, 8, 7]), converged), 3)
    assert asked == [(PROBLEM, 8, 0), (PROBLEM, 8, 1), (PROBLEM, 7, 0)]


def test_size_and_compilation_are_those_of_the_evolution():
    told = Told([])
    Restarts(told).prepare(PROBLEM)
    assert told.given == ["prepared"]
    assert Restarts(told).size == 3


def test_runs_with_restarts_never_lose_their_best_and_follow_their_seed():
    generation = Generation(EdgeAssembly(), Improver(backend="cpu"))
    evolution = Restarts(GenerationEvolution(generation, 10), Stagnation(2))
    one, same, other = (run_of(evolution, 9, seed) for seed in (1, 1, 2))
    assert one[-1].restarts >= 2
    assert (np.diff([end.lowest for end in one]) <= 0).all()
    assert all(np.array_equal(a.tours, b.tours) for a, b in zip(one, same, strict=True))
    assert not np.array_equal(one[-1].tours[:5], other[-1].tours[:5])


@pytest.mark.parametrize("kind", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_continue_identically(kind):
    generation = Generation(EdgeAssembly(), Improver(backend="cpu"))
    evolution = Restarts(GenerationEvolution(generation, 10), Stagnation(3))
    before = run_of(evolution, 2)[-1]
    ends = [
        evolution.next(PROBLEM, one, np.random.default_rng(5), TimedRun())
        for one in (before, kind(before))
    ]
    assert ends[0].restarts == ends[1].restarts
    assert np.array_equal(ends[0].tours, ends[1].tours)
    assert len(ends[0]) == len(ends[0].costs)


def test_low_entropy_is_counted_in_nats_for_each_city():
    both = population_of(RING, STAR)
    assert not LowEntropy(0.69)(FIVE, both, 0)  # log 2 = 0.6931
    assert LowEntropy(0.70)(FIVE, both, 0)
    assert LowEntropy(1e-9)(FIVE, population_of(RING, RING[::-1]), 0)
    directed = population_of(RING, RING[::-1], symmetric=False)
    assert not LowEntropy(math.log(2) - 1e-9)(FIVE_DIRECTED, directed, 0)


def test_few_tours_are_those_that_differ():
    tours = (RING, RING[::-1], STAR)
    assert FewTours(3)(FIVE, population_of(*tours), 0)
    assert not FewTours(2)(FIVE, population_of(*tours), 0)
    assert not FewTours(3)(FIVE_DIRECTED, population_of(*tours, symmetric=False), 0)


def test_stagnation_counts_generations():
    assert [Stagnation(2)(FIVE, population_of(RING), count) for count in range(4)] == [
        False,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("criterion", "name"), [(Stagnation, "generations"), (LowEntropy, "nats"), (FewTours, "tours")]
)
def test_wrong_parameters(criterion, name):
    with pytest.raises(InvalidParameterError, match=f"{name}: -1"):
        criterion(-1)


def test_a_watched_population_is_a_population():
    inside = population_of(RING, STAR)
    watched = Watched(inside, 0.0)
    assert watched.tours is inside.tours
    assert watched.costs is inside.costs
    assert len(watched) == 2
