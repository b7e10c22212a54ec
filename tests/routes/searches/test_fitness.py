"""Biased fitness and survivors by hand, and common edges by counting."""

from __future__ import annotations

import numpy as np
import pytest

from gpu_ls_plugin.routes.searches.genetic import fitness as part
from gpu_ls_plugin.routes.searches.genetic.fitness import (
    biased_fitness,
    ranks,
    shared_buckets,
    survivors,
)
from gpu_ls_plugin.tours.kernels.edge_keys import edge_numbers
from tests.helpers.routing import giant_tours, random_cvrp


@pytest.mark.parametrize("kind", ["capacity", "directed"])
def test_common_buckets_are_nearly_common_edges(kind, monkeypatch):
    problem = random_cvrp(kind, 30)
    tours = giant_tours(problem, 24).reshape(3, 8, problem.n)
    shared = shared_buckets(np, tours, **problem.tsp.writing)
    numbers = edge_numbers(np, tours.reshape(24, -1), **problem.tsp.writing)
    sets = [set(row) for row in numbers.tolist()]
    for s, i, j in np.ndindex(shared.shape):
        edges = len(sets[8 * s + i] & sets[8 * s + j])
        assert abs(shared[s, i, j] - edges) <= 3, (s, i, j)
    monkeypatch.setattr(part, "CHUNK_BYTES", 1)  # one population at a time
    assert (shared_buckets(np, tours, **problem.tsp.writing) == shared).all()


def shared_of(distances: list[list[int]], edges: int = 10) -> np.ndarray:
    return edges - np.array([distances])


def fitness_of(costs: np.ndarray, shared: np.ndarray, elite: int, feasible=True) -> np.ndarray:
    feasible = np.broadcast_to(feasible, costs.shape)
    return biased_fitness(np, ranks(np, costs, feasible), shared, feasible, elite)


def test_fitness_by_hand():
    """The second of four individuals is far from all others."""
    costs = np.array([[10, 30, 20, 40]])
    shared = shared_of([[0, 9, 2, 3], [9, 0, 8, 9], [2, 8, 0, 4], [3, 9, 4, 0]])
    # Ranks by cost 0, 2, 1, 3; by distance 14, 26, 14, 16 from the farthest: 2, 0, 3, 1.
    assert fitness_of(costs, shared, 0).tolist() == [[2 / 4, 2 / 4, 4 / 4, 4 / 4]]
    # One of four is elite: distances count three quarters.
    assert fitness_of(costs, shared, 1).tolist() == [[1.5 / 4, 2 / 4, 3.25 / 4, 3.75 / 4]]


def test_both_kinds_are_ranked_separately():
    """Two individuals are feasible; one of them costs most."""
    costs = np.array([[50, 10, 40, 20, 30]])
    feasible = np.array([[True, False, True, False, False]])
    at = np.array([0, 1, 5, 9, 11])
    shared = shared_of(abs(at[:, None] - at).tolist(), 40)
    found = fitness_of(costs, shared, 0, feasible)
    for kind in (feasible[0], ~feasible[0]):
        alone = fitness_of(costs[:, kind], shared[:, kind][:, :, kind], 0)
        assert found[:, kind].tolist() == alone.tolist()
    # By cost 1, 0 of the feasible ones, equally far from each other: ranks by distance 0, 1.
    assert found[:, feasible[0]].tolist() == [[1 / 2, 1 / 2]]


def test_copies_come_last_and_count_as_no_neighbours():
    costs = np.array([[10, 20, 10, 30]])
    shared = shared_of([[0, 5, 0, 4], [5, 0, 5, 6], [0, 5, 0, 4], [4, 6, 4, 0]])
    found = fitness_of(costs, shared, 1)[0]
    assert found.argmax() == 2 and found[2] >= part.FAR
    # Without the copy, the distances of the second add up to 11, those of the last to 10.
    assert found[[0, 1, 3]].tolist() == [1.5 / 4, 2 / 4, 3.75 / 4]
    # Four copies of the second one do not reduce its distance to the others.
    crowd = np.array([[10, 20, 20, 20, 20, 30, 40, 50]])
    at = np.array([0, 6, 6, 6, 6, 13, 21, 30])
    found = fitness_of(crowd, shared_of(abs(at[:, None] - at).tolist(), 40), 0)[0]
    alone = [0, 1, 5, 6, 7]
    distances = abs(at[alone][:, None] - at[alone]).tolist()
    others = fitness_of(crowd[:, alone], shared_of(distances, 40), 0)[0]
    assert found[alone].argsort().tolist() == others.argsort().tolist()


def test_populations_are_independent():
    random = np.random.default_rng(1)
    costs = random.integers(0, 9, (5, 6))
    tours = np.stack([random.permutation(12) for _ in range(30)]).reshape(5, 6, 12)
    shared = shared_buckets(np, tours, symmetric=True, customers=None)
    feasible = random.random((5, 6)) < 0.5
    together = fitness_of(costs, shared, 2, feasible)
    for s in range(5):
        alone = fitness_of(costs[s : s + 1], shared[s : s + 1], 2, feasible[s])
        assert (together[s] == alone[0]).all()


def survivors_of(fitness, costs, feasible, elite: int = 0) -> list[int]:
    fitness, costs, feasible = (np.array([row]) for row in (fitness, costs, feasible))
    return survivors(np, fitness, ranks(np, costs, feasible), feasible, elite, 4)[0].tolist()


def test_survivors_are_the_fittest_of_both_kinds():
    fitness, costs = [5.0, 1, 4, 2, 3, 0], [9] * 6
    yes, no = True, False
    assert survivors_of(fitness, costs, [yes, no, yes, no, yes, no]) == [4, 2, 5, 1]
    assert survivors_of(fitness, costs, [yes, no, no, no, no, no]) == [0, 5, 1, 3]
    assert survivors_of(fitness, costs, [yes] * 6) == [5, 1, 3, 4]


def test_the_cheapest_of_each_kind_survive_unless_they_are_copies():
    fitness, feasible = [5.0, 1, 4, 2, 3, 0], [True, False] * 3
    costs = [10, 90, 80, 20, 70, 60]
    assert survivors_of(fitness, costs, feasible, elite=1) == [0, 4, 3, 5]
    fitness[0] += part.FAR  # a copy
    assert survivors_of(fitness, costs, feasible, elite=1) == [4, 2, 3, 5]
