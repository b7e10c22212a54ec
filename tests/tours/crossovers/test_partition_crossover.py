"""Partition crossover: children have the shorter parent's edges in each component."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from tests.helpers import graph_oracle
from tests.helpers.examples import examples
from tests.helpers.graph_oracle import edges
from tests.helpers.oracles import distance_matrix
from tests.helpers.parents import crossings
from tests.helpers.random_problems import INTEGER

CROSS = gls.PartitionRecombination().cross
ANGLES = np.arange(20) / 20 * 2 * np.pi
RING = gls.TSP(1000 * np.column_stack([np.cos(ANGLES), np.sin(ANGLES)]), "EUC_2D")
ROUND = list(range(20))


def with_exchanged(tour, *cities):
    """The tour after swapping each of some cities with the next one."""
    tour = list(tour)
    for city in cities:
        place = tour.index(city)
        tour[place], tour[place + 1] = tour[place + 1], tour[place]
    return tour


def child_of(first, second):
    return CROSS(RING, np.array([first]), np.array([second]), backend="cpu")[0].tolist()


def test_the_shorter_path_of_each_component():
    """Cities around a circle; each parent has two mistakes of its own."""
    first, second = with_exchanged(ROUND, 2, 12), with_exchanged(ROUND, 7, 16)
    assert len(graph_oracle.components(first, second)) == 4
    for pair in ((first, second), (second, first), (first, second[::-1])):
        assert edges(child_of(*pair)) == edges(ROUND)


def test_a_mistake_of_both_parents_is_kept():
    first, second = with_exchanged(ROUND, 2, 12), with_exchanged(ROUND, 7, 12)
    assert edges(child_of(first, second)) == edges(with_exchanged(ROUND, 12))


def test_with_one_component_the_shorter_parent_is_the_child():
    detour = ROUND[:5] + ROUND[5:15][::-1] + ROUND[15:]
    assert len(graph_oracle.components(ROUND, detour)) == 1
    assert child_of(ROUND, detour) == ROUND
    assert edges(child_of(detour, ROUND)) == edges(ROUND)


def mixed_parents():
    """A detour with different passages in both parents, and a mistake in each other part.

    The detour's edges are (4, 5) and (14, 15), or (4, 14) and (5, 15). In the paths between them,
    city 7 (first parent) and city 17 (second parent) are swapped with the next one.
    """
    detour = ROUND[:5] + with_exchanged(ROUND, 7)[5:15][::-1] + ROUND[15:]
    return detour, with_exchanged(ROUND, 17)


def test_mixed_components_are_taken_together():
    first, second = mixed_parents()
    parts = graph_oracle.components(first, second)
    assert {4, 5, 14, 15} in parts and len(parts) == 3
    (mixed,) = (part for part in parts if part == {4, 5, 14, 15})
    others = set().union(*parts) - mixed
    here, there = (graph_oracle.passages(tour, mixed, others) for tour in (first, second))
    assert here == {frozenset((4, 14)), frozenset((5, 15))}
    assert there == {frozenset((4, 5)), frozenset((14, 15))}
    assert edges(child_of(first, second)) == edges(child_of(second, first)) == edges(ROUND)


def test_mixed_components_come_from_the_shorter_parent():
    """The detour of the second parent is longer; its other edges are shorter."""
    first = with_exchanged(ROUND, 7, 17)
    second = ROUND[:5] + ROUND[5:15][::-1] + ROUND[15:]
    assert edges(child_of(first, second)) == edges(ROUND)


@examples(120)
@given(crossings(INTEGER))
def test_children_are_the_oracles(crossing):
    problem, first, second, seed = crossing
    children = CROSS(problem, first, second, seed=seed, backend="cpu")
    lengths = distance_matrix(problem).tolist()
    for row, child in enumerate(children):
        pair = first[row].tolist(), second[row].tolist()
        assert edges(child) == graph_oracle.partition_crossover(*pair, lambda a, b: lengths[a][b])


@examples(60)
@given(crossings(), st.integers(0, 2**40))
def test_children_have_edges_of_their_parents_and_cost_no_more_than_either(crossing, first_row):
    problem, first, second, seed = crossing
    children = CROSS(problem, first, second, seed=seed, backend="cpu", first_row=first_row)
    assert (np.sort(children, axis=1) == np.arange(problem.n)).all()
    least = np.minimum(problem.cost(first), problem.cost(second))
    assert (problem.cost(children) <= least * (1 if problem.integer else 1 + 1e-9)).all()
    for child, own, other in zip(children, first, second, strict=True):
        assert edges(child) <= edges(own) | edges(other)
        assert edges(child) >= edges(own) & edges(other)
        assert child[0] == own[0]
    again = CROSS(problem, first, second, seed=3, backend="cpu")
    assert np.array_equal(children, again)  # there are no random choices
