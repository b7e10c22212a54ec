"""Migration in a ring, compared with its definition tour by tour."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_ls_plugin import TSP
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.generations.generation import Generation
from gpu_ls_plugin.evolution.migration import RingMigration
from gpu_ls_plugin.evolution.tour_population import TourPopulation
from gpu_ls_plugin.tours.crossovers.edge_assembly import EdgeAssembly
from tests.evolution.samples import cities, problem_of, rows

PROBLEM = TSP(cities(5), "EUC_2D")


def population_of(size: int, seed: int, problem: TSP = PROBLEM) -> TourPopulation:
    tours = rows(problem.n, size, seed).astype(np.int32)
    return TourPopulation.of(problem, np, tours, problem.cost(tours)).best(size)


@given(
    st.lists(st.tuples(st.integers(1, 8), st.integers(0, 99)), min_size=2, max_size=4),
    st.integers(1, 5),
)
def test_the_best_of_each_population_replace_the_worst_of_the_next(seeds, migrants):
    before = [population_of(size, seed) for size, seed in seeds]
    after = RingMigration(1, migrants)(1, before)
    for row, (one, found) in enumerate(zip(before, after, strict=True)):
        guests = before[row - 1].keys[:migrants].tolist()
        new = [key for key in guests if key not in one.keys.tolist()][: len(one) - 1]
        stay = one.keys.tolist()[: len(one) - len(new)]
        assert sorted(found.keys.tolist()) == sorted(stay + new)
        assert np.array_equal(found.costs, PROBLEM.cost(found.tours))
        assert (np.diff(found.costs) >= 0).all()


def test_a_ring_of_three_by_hand():
    tours = rows(9, 6, 1)
    before = [
        TourPopulation.of(problem_of(9), np, tours[2 * i : 2 * i + 2], np.array(costs))
        for i, costs in enumerate([(1, 9), (2, 3), (5, 6)])
    ]
    after = RingMigration(every=3)(6, before)
    assert [one.costs.tolist() for one in after] == [[1, 5], [1, 2], [2, 5]]


def test_between_migrations_and_alone_nothing_happens():
    before = [population_of(3, seed) for seed in (1, 2)]
    for generation in (1, 2, 4):
        same = RingMigration(every=3)(generation, before)
        assert all(one is other for one, other in zip(same, before, strict=True))
    assert RingMigration(1)(1, before[:1])[0] is before[0]


def test_populations_of_generations_migrate():
    problem: Any = TSP(cities(60), "EUC_2D")
    generation = Generation(EdgeAssembly(), Improver(backend="cpu"))

    def islands(seed: int) -> tuple[list[Any], list[TourPopulation]]:
        random_state, migrate = np.random.default_rng(seed), RingMigration(every=2, migrants=2)
        populations = [population_of(8, number, problem) for number in range(3)]
        for number in range(1, 5):
            populations = [generation(problem, one, 8, random_state) for one in populations]
            best = [one.keys[0] for one in populations]
            populations = migrate(number, populations)
        return best, populations

    (best, one), (_, same), (_, other) = islands(1), islands(1), islands(2)
    assert all(len(population) == population.distinct() == 8 for population in one)
    assert all(best[row - 1] in one[row].keys for row in range(3))
    assert all(np.array_equal(a.tours, b.tours) for a, b in zip(one, same, strict=True))
    assert not np.array_equal(one[0].keys, other[0].keys)


@pytest.mark.parametrize("name", ["every", "migrants"])
def test_wrong_parameters(name):
    with pytest.raises(InvalidParameterError, match=f"{name}: 0"):
        RingMigration(**{name: 0})
