"""A generation: its tours, its survival, its seeds, its limits, and its calls."""

from __future__ import annotations

import numpy as np

from gpu_ls_plugin import TSP
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.generations.generation import Generation
from gpu_ls_plugin.evolution.timed_run import TimedRun
from gpu_ls_plugin.evolution.tour_population import TourPopulation
from gpu_ls_plugin.tours.construction.random_tours import random_tours
from gpu_ls_plugin.tours.crossovers.edge_assembly import EdgeAssembly

SIZE = 12
PROBLEM = TSP(np.random.default_rng(7).integers(0, 1000, (60, 2)), metric="EUC_2D")
GENERATION = Generation(EdgeAssembly(), Improver(backend="cpu"))


class Ended(TimedRun):
    def seconds_left(self) -> float:
        return 0.0


def _start() -> TourPopulation:
    tours = random_tours(PROBLEM, size=SIZE, seed=1, backend="cpu")
    return TourPopulation.of(PROBLEM, np, tours, PROBLEM.cost(tours))


def _generations(seed: int, count: int = 4) -> TourPopulation:
    population, random_state = _start(), np.random.default_rng(seed)
    for _ in range(count):
        population = GENERATION(PROBLEM, population, SIZE, random_state)
    return population


def test_generations_have_the_cheapest_different_tours_and_their_costs():
    start, end = _start(), _generations(1)
    assert np.array_equal(end.costs, PROBLEM.cost(end.tours))
    assert end.distinct() == len(end) == SIZE
    assert (np.diff(end.costs) >= 0).all()
    assert end.costs.max() < start.costs.min()


def test_the_same_seed_gives_the_same_population_and_another_seed_another():
    one, same, other = (_generations(seed) for seed in (1, 1, 2))
    assert np.array_equal(one.tours, same.tours)
    assert not np.array_equal(one.keys, other.keys)


def test_the_population_is_not_changed_and_returned_if_no_time_is_left():
    start, copy = _start(), _start()
    GENERATION(PROBLEM, start, SIZE, np.random.default_rng(1))
    assert np.array_equal(start.tours, copy.tours)
    assert GENERATION(PROBLEM, start, SIZE, np.random.default_rng(1), Ended()) is start


def test_the_rule_of_replacement_gets_children_parents_and_size():
    asked = {}

    def rule(problem, population, children, parents, size):
        asked.update(children=children, parents=parents, size=size)
        return population.take(np.array([2, 0]))

    start = _start()
    generation = Generation(EdgeAssembly(), Improver(backend="cpu", moves=1), rule)
    end = generation(PROBLEM, start, 7, np.random.default_rng(1), size=5)
    assert np.array_equal(end.tours, start.tours[[2, 0]])
    assert (len(asked["children"]), asked["size"]) == (7, 5)
    expected = start.parents(7, np.random.default_rng(1))
    assert all(map(np.array_equal, asked["parents"], expected))
