"""Rules of replacement and shared edges, compared with plain definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu_ls_plugin import TSP
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.evolution import far_apart as counting
from gpu_ls_plugin.evolution.far_apart import far_apart, shared_features
from gpu_ls_plugin.evolution.replacement import BestDistinct, Crowding, EdgeDistance
from gpu_ls_plugin.evolution.tour_population import TourPopulation
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_plugin.tours.kernels.edge_keys import edge_numbers
from tests.evolution.samples import cities, directed, rows, undirected
from tests.evolution.samples import problem_of as sampled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.evolution.replacement import Replacement

RULES: tuple[Replacement, ...] = (BestDistinct(), EdgeDistance(3), Crowding())
Edges = frozenset[Any]


def problem_of(n: int, symmetric: bool) -> TSP:
    lengths = np.random.default_rng(n).integers(1, 6, (n, n))
    np.fill_diagonal(lengths, 0)
    return TSP.from_matrix(np.maximum(lengths, lengths.T) if symmetric else lengths)


def edges_of(tours: NDArray[Any], symmetric: bool) -> list[Edges]:
    return [frozenset(undirected(tour) if symmetric else directed(tour)) for tour in tours]


@st.composite
def generations(draw: st.DrawFn) -> tuple[Any, ...]:
    """A problem with many equal lengths, a population, children and their parents."""
    n, symmetric = draw(st.integers(3, 8)), draw(st.booleans())
    problem = problem_of(n, symmetric)
    tours = rows(n, draw(st.integers(1, 20)), draw(st.integers(0, 999))).astype(np.int32)
    start = TourPopulation.of(problem, np, tours, problem.cost(tours))
    start = start.best(draw(st.integers(1, 9)))
    count = draw(st.integers(1, 15))
    made = rows(n, count, draw(st.integers(0, 999))).astype(np.int32)
    children = TourPopulation.of(problem, np, made, problem.cost(made))
    members = st.lists(st.integers(0, len(start) - 1), min_size=count, max_size=count)
    parents = np.array(draw(members)), np.array(draw(members))
    return problem, start, children, parents, draw(st.integers(1, 25))


def apart(edges: list[Edges], count: int, least: int) -> list[int]:
    """Return the rows that are far from all taken before, and the first others, in order."""
    taken: list[int] = []
    for row, one in enumerate(edges):
        if len(taken) < count and all(len(one - edges[other]) >= least for other in taken):
            taken.append(row)
    others = [row for row in range(len(edges)) if row not in taken]
    return sorted(taken + others[: count - len(taken)])


@given(
    st.integers(1, 9),
    st.integers(1, 40),
    st.integers(1, 40),
    st.integers(0, 9),
    st.booleans(),
    st.sampled_from([3, 512]),
    st.integers(0, 999),
)
def test_far_apart_takes_one_tour_after_the_other(n, size, count, edges, symmetric, block, seed):
    tours, count = rows(n, size, seed), min(count, size)
    with mock.patch("gpu_ls_plugin.evolution.far_apart.BLOCK", block):
        problem = sampled(n, symmetric=symmetric)
        features = domain_of(problem).features(problem, np, tours)
        found = far_apart(np, features, count, edges)
    assert found.tolist() == apart(edges_of(tours, symmetric), count, edges)


@given(generations(), st.integers(0, 8))
def test_edge_distance_keeps_the_best_that_are_apart(case, edges):
    problem, start, children, parents, size = case
    ranked = start.joined(children).best(len(start) + len(children))
    sets = edges_of(ranked.tours, problem.symmetric)
    expected = ranked.tours[apart(sets, min(size, len(ranked)), edges)]
    found = EdgeDistance(edges)(problem, start, children, parents, size)
    assert np.array_equal(found.tours, expected)


@given(generations())
def test_crowding_is_a_duel_with_the_more_similar_parent(case):
    problem, start, children, parents, _ = case
    members = edges_of(start.tours, problem.symmetric)
    known, duels = set(members), {row: [] for row in range(len(start))}
    for child, one in enumerate(edges_of(children.tours, problem.symmetric)):
        first, second = (int(rows[child]) for rows in parents)
        closer = len(one - members[second]) < len(one - members[first])
        rival = second if closer else first
        if one not in known and children.costs[child] < start.costs[rival]:
            duels[rival].append(child)
        known.add(one)
    expected = [
        children.tours[min(rivals, key=lambda child: children.costs[child])]
        if rivals
        else start.tours[row]
        for row, rivals in duels.items()
    ]
    found = Crowding()(problem, start, children, parents, len(start))
    assert sorted(found.tours.tolist()) == sorted(tour.tolist() for tour in expected)


@given(generations())
def test_all_keep_different_tours_with_their_costs_and_the_best(case):
    problem, start, children, _, size = case
    both = start.joined(children)
    for rule in RULES:
        found = rule(*case)
        assert len(found) == found.distinct() == min(size, both.distinct())
        assert np.array_equal(found.costs, problem.cost(found.tours))
        assert found.costs[0] == both.costs.min()
        assert (np.diff(found.costs) >= 0).all()


def test_a_reversed_tour_of_an_asymmetric_problem_is_far_away():
    ring, near = np.arange(6), np.array([1, 0, 2, 3, 4, 5])
    tours = np.array([ring, near, ring[::-1]])
    problem = problem_of(6, symmetric=False)
    start = TourPopulation.of(problem, np, tours, np.array([1, 2, 3]))
    parents = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    rule, child = EdgeDistance(4), start.take(np.array([0]))
    found = rule(problem, start, child, parents, 2)
    assert found.costs.tolist() == [1, 3]


def test_a_duel_by_hand():
    problem = TSP(cities(6), "EUC_2D")
    ring, star = np.arange(6), np.array([0, 2, 4, 1, 5, 3])
    near_ring, near_star = np.array([1, 0, 2, 3, 4, 5]), np.array([0, 2, 4, 1, 3, 5])
    start = TourPopulation.of(problem, np, np.array([ring, star]), np.array([10, 20]))
    children = TourPopulation.of(problem, np, np.array([near_ring, near_star]), np.array([15, 19]))
    parents = np.array([0, 0]), np.array([1, 1])
    found = Crowding()(problem, start, children, parents, 2)
    # the first child is better than the worse parent, but like the better one
    assert found.tours.tolist() == [ring.tolist(), near_star.tolist()]
    assert found.costs.tolist() == [10, 19]


def test_a_growing_population_takes_the_best_of_the_rest():
    problem = TSP(cities(6), "EUC_2D")
    tours = rows(6, 5, 3)
    start = TourPopulation.of(problem, np, tours[:1], np.array([10]))
    children = TourPopulation.of(problem, np, tours[1:], np.array([9, 12, 8, 11]))
    parents = np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.int64)
    assert Crowding()(problem, start, children, parents, 3).costs.tolist() == [8, 9, 10]
    assert Crowding()(problem, start, children, parents, 1).costs.tolist() == [8]


def test_wrong_parameters():
    with pytest.raises(InvalidParameterError, match="edges: -1"):
        EdgeDistance(-1)


@st.composite
def populations(draw: st.DrawFn) -> NDArray[Any]:
    """Draw tours, some of them several times or reversed."""
    n, size = draw(st.integers(3, 40)), draw(st.integers(1, 12))
    tours = rows(n, size, draw(st.integers(0, 999)))
    written = np.concatenate([tours, np.roll(tours, 2, axis=1)[:, ::-1]])
    return written[draw(st.lists(st.integers(0, 2 * size - 1), min_size=1, max_size=20))]


@given(
    populations(),
    st.integers(1, 20),
    st.booleans(),
    st.sampled_from([0, 4, 500, 10**6]),
    st.sampled_from([7, 2**23]),
)
def test_they_are_those_of_sets_of_edges(tours, first, symmetric, rare, chunk):
    edges: Any = undirected if symmetric else directed
    sets, first = [edges(tour) for tour in tours], min(first, len(tours))
    with mock.patch.multiple(counting, RARE=rare, CHUNK=chunk):
        found = shared_features(np, edge_numbers(np, tours, symmetric=symmetric), first)
    assert found.dtype == np.int64
    assert found.tolist() == [[len(one & other) for other in sets] for one in sets[:first]]


@pytest.mark.parametrize("n", [3, 4])
def test_the_smallest_tours(n):
    ring = np.arange(n, dtype=np.int32)
    both = np.array([ring, ring[::-1]])
    assert shared_features(np, edge_numbers(np, both), 1).tolist() == [[n, n]]
    found = shared_features(np, edge_numbers(np, both, symmetric=False), 1)
    assert found.tolist() == [[n, 0]]


class NumPy1:
    """NumPy without what version 2 has added."""

    def __getattr__(self, name: str) -> Any:
        if name == "bitwise_count":
            raise AttributeError(name)
        return getattr(np, name)


@given(populations(), st.integers(1, 20))
def test_bits_are_counted_without_the_function_of_numpy_2(tours, first):
    features, first = edge_numbers(np, tours), min(first, len(tours))
    with mock.patch.multiple(counting, RARE=10**6):  # all features are counted in sets of bits
        found = [shared_features(xp, features, first) for xp in (NumPy1(), np)]
    assert np.array_equal(*found)
