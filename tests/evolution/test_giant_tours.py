"""Giant tours with the same routes are equal solutions, whatever their copies of the depot."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_ls_plugin.evolution.diversity import different, distance, entropy
from gpu_ls_plugin.evolution.far_apart import far_apart, shared_features
from gpu_ls_plugin.evolution.replacement import BestDistinct, Crowding, EdgeDistance
from gpu_ls_plugin.evolution.tour_population import TourPopulation
from gpu_ls_plugin.tours.kernels.edge_keys import edge_keys, edge_numbers
from tests.helpers.calls import calls_of
from tests.helpers.examples import examples
from tests.helpers.routing import giant_tours, random_cvrp, rewritten

if TYPE_CHECKING:
    import gpu_ls_plugin as gls

XP = pytest.mark.parametrize("xp", ["numpy", pytest.param("cupy", marks=pytest.mark.gpu)])


def plain_canonical(problem: gls.CVRP, row: Any) -> list[int]:
    """Return the canonical form of a giant tour, computed with lists."""
    routes = problem.routes(row)
    if problem.symmetric:
        routes = [min(route, route[::-1], key=lambda r: r[0]) for route in routes]
    return list(problem.tour(sorted(routes)))


def plain_edges(problem: gls.CVRP, row: Any) -> Counter[tuple[int, int]]:
    """Return the edges of all routes; an empty route has an edge from the depot to itself."""
    ends = [0 if city > problem.customers else int(city) for city in row]
    pairs = zip(ends, [*ends[1:], ends[0]], strict=True)
    return Counter(tuple(sorted(pair)) if problem.symmetric else pair for pair in pairs)


@examples(60)
@given(
    kind=st.sampled_from(["capacity", "fleet", "directed"]),
    customers=st.integers(1, 12),
    seed=st.integers(0, 2**20),
)
def test_equal_routes_are_equal_solutions(kind, customers, seed):
    problem, random = random_cvrp(kind, customers, seed), np.random.default_rng(seed)
    rows = giant_tours(problem, 6, seed)
    again = np.stack([rewritten(problem, row, random) for row in rows])
    plain = [plain_canonical(problem, row) for row in rows]
    for written in (rows, again):
        assert problem.canonical(written).tolist() == plain
    keys = [edge_keys(np, tours, **problem.tsp.writing) for tours in (rows, again)]
    assert (keys[0] == keys[1]).all()
    assert different(problem.tsp, np.concatenate([rows, again])) == len(
        {tuple(row) for row in plain}
    )
    assert problem.difference(rows[0])(again[0]) == 0


@XP
@examples(60)
@given(
    kind=st.sampled_from(["capacity", "directed"]),
    customers=st.integers(1, 12),
    seed=st.integers(0, 2**20),
)
def test_edges_are_those_of_routes(xp, kind, customers, seed):
    module = pytest.importorskip(xp)
    problem = random_cvrp(kind, customers, seed)
    writing, rows = problem.tsp.writing, giant_tours(problem, 8, seed)
    edges = [plain_edges(problem, row) for row in rows]
    numbers = edge_numbers(np, rows, **writing)
    assert all(len(set(row)) == problem.n for row in numbers.tolist())
    assert numbers.min() >= 0 and numbers.max() < problem.n**2
    tours = module.asarray(rows)
    apart = [[(one - other).total() for other in edges] for one in edges]
    for one in range(len(rows)):
        found = distance(problem.tsp, tours, tours[one])
        assert found.tolist() == [row[one] for row in apart]
    other = np.roll(np.arange(len(rows)), 1)
    found = distance(problem.tsp, tours, tours[module.asarray(other)])
    assert found.tolist() == [apart[one][two] for one, two in enumerate(other)]
    if problem.n >= 3:
        shared = shared_features(module, edge_numbers(module, tours, **writing), len(rows))
        assert shared.tolist() == [[problem.n - far for far in row] for row in apart]


def test_entropy_and_distance_ignore_copies_of_the_depot():
    problem, random = random_cvrp("capacity", 20, 3), np.random.default_rng(3)
    row = giant_tours(problem, 2, 3)[0]
    same = np.stack([rewritten(problem, row, random) for _ in range(20)])
    assert entropy(problem.tsp, same) == 0
    assert entropy(problem.tsp.under("length"), same) > 1
    assert len(far_apart(np, edge_numbers(np, same, **problem.tsp.writing), 5, 1)) == 5
    assert (distance(problem.tsp, same, same[0]) == 0).all()


@pytest.mark.parametrize("rule", [BestDistinct(), EdgeDistance(3), Crowding()])
def test_replacements_keep_routes_once(rule):
    problem, random = random_cvrp("capacity", 20, 5), np.random.default_rng(5)
    tsp = problem.tsp
    rows = giant_tours(problem, 10, 5)
    copies = np.stack([rewritten(problem, row, random) for row in rows])
    start = TourPopulation.of(tsp, np, rows, tsp.cost(rows))
    children = TourPopulation.of(tsp, np, copies, tsp.cost(copies))
    parents = np.arange(10), np.arange(10)
    kept = rule(tsp, start, children, parents, 20)
    assert kept.distinct() == len(kept) == len(np.unique(problem.canonical(rows), axis=0))


def test_batches_are_converted_without_a_loop_over_rows():
    problem = random_cvrp("capacity", 400, 7)
    rows = giant_tours(problem, 500, 7)
    assert calls_of(lambda: problem.canonical(rows)) < len(rows)
