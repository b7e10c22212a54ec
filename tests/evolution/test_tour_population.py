"""Populations as arrays, and generations of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_ls_plugin import TSP
from gpu_ls_plugin.core.rows import canonical
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.generations.generation import Generation
from gpu_ls_plugin.evolution.timed_run import TimedRun
from gpu_ls_plugin.evolution.tour_population import TourPopulation
from gpu_ls_plugin.tours.construction.random_tours import random_tours
from gpu_ls_plugin.tours.crossovers.edge_assembly import EdgeAssembly
from gpu_ls_plugin.tours.kernels.edge_keys import edge_keys
from tests.evolution.samples import problem_of


def _tours(size: int, n: int, seed: int) -> np.ndarray:
    rows = np.tile(np.arange(n, dtype=np.int32), (size, 1))
    return np.random.default_rng(seed).permuted(rows, axis=1)


@given(
    st.integers(1, 40), st.integers(1, 7), st.integers(0, 2**32), st.booleans(), st.integers(0, 50)
)
def test_keys_are_equal_for_the_same_tours_and_only_these(size, n, seed, symmetric, turn):
    tours = _tours(size, n, seed)
    tours = np.concatenate([tours, np.roll(tours, turn, axis=1), tours[:, ::-1]])
    found = edge_keys(np, tours, symmetric=symmetric)
    # One or two cities have only one tour, also if lengths are asymmetric.
    written = canonical(tours, symmetric=symmetric)
    same = (written[:, np.newaxis] == written).all(axis=2)
    assert found.dtype == np.uint64
    assert np.array_equal(found[:, np.newaxis] == found, same)


@given(st.integers(1, 30), st.integers(1, 40), st.integers(0, 2**32), st.booleans())
def test_best_keeps_the_cheapest_different_tours_in_order_of_arrival(size, kept, seed, real):
    tours = _tours(size, 5, seed)
    costs = edge_keys(np, tours) % np.uint64(4)  # the same tour costs the same, others may too
    costs = costs.astype(np.float64 if real else np.int64)
    best = TourPopulation.of(problem_of(5), np, tours, costs).best(kept)
    rows, seen = [], set()
    for row, key in enumerate(canonical(tours).tolist()):
        if tuple(key) not in seen:
            seen.add(tuple(key))
            rows.append(row)
    rows = sorted(rows, key=lambda row: costs[row])[:kept]
    assert np.array_equal(best.tours, tours[rows])
    assert np.array_equal(best.costs, costs[rows])
    assert best.distinct() == len(best) == len(rows)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_parents_are_different_rows_and_every_pair_is_drawn(size):
    population = TourPopulation.of(problem_of(9), np, _tours(size, 9, 1), np.zeros(size, np.int64))
    first, second = population.parents(2000, np.random.default_rng(1))
    pairs = set(zip(first.tolist(), second.tolist(), strict=True))
    assert pairs == {(a, b) for a in range(size) for b in range(size) if a != b or size == 1}


def test_joined_holds_both_in_order():
    one = TourPopulation.of(problem_of(9), np, _tours(3, 9, 1), np.arange(3))
    other = TourPopulation.of(problem_of(9), np, _tours(2, 9, 2), np.arange(2))
    both = one.joined(other)
    assert np.array_equal(both.tours, np.concatenate([one.tours, other.tours]))
    assert both.costs.tolist() == [0, 1, 2, 0, 1]
    assert np.array_equal(both.keys, edge_keys(np, both.tours))


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
