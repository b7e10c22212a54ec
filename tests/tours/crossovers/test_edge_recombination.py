"""Edge recombination: the edges of its children, and what they depend on."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from tests.helpers import graph_oracle
from tests.helpers.examples import examples
from tests.helpers.graph_oracle import edges
from tests.helpers.parents import crossings
from tests.helpers.philox import philox
from tests.helpers.random_problems import random_problem

CROSS = gls.EdgeRecombination().cross
PURPOSE = 9  # of the random numbers


def child_of(first, second, seed=0):
    problem = random_problem("EUC_2D", len(first))
    return CROSS(problem, np.array([first]), np.array([second]), seed=seed, backend="cpu")[0]


def foreign(child, first, second):
    """Edges that neither parent has."""
    return edges(child) - edges(first) - edges(second)


@examples(100)
@given(crossings(), st.integers(0, 2**40))
def test_children_are_the_oracles(crossing, first_row):
    problem, first, second, seed = crossing
    children = CROSS(problem, first, second, seed=seed, backend="cpu", first_row=first_row)
    for row, child in enumerate(children):
        numbers = philox(seed, PURPOSE, first_row + row, 0)
        pair = first[row].tolist(), second[row].tolist()
        assert child.tolist() == graph_oracle.edge_recombination(*pair, numbers)


def test_goes_along_common_edges_first():
    """City 1 is a neighbour of 0 in both parents; 3 and 5 have the same number of open edges."""
    first, second = [0, 1, 2, 3, 4, 5], [0, 1, 4, 5, 2, 3]
    assert {tuple(child_of(first, second, seed)[:2].tolist()) for seed in range(20)} == {(0, 1)}


def test_then_goes_to_the_city_with_the_fewest_ways_to_go_on():
    """All four neighbours of 0 have three other neighbours.

    The parents are 0 1 2 3 4 5 6 7 and 0 5 1 7 3 6 2 4, so the neighbours are
    0: 1 7 4 5, 1: 0 2 5 7, 2: 1 3 6 4, 3: 2 4 7 6, 4: 3 5 2 0, 5: 4 6 0 1, 6: 5 7 3 2, 7: 6 0 1 3.
    """
    first, second = [0, 1, 2, 3, 4, 5, 6, 7], [0, 5, 1, 7, 3, 6, 2, 4]
    children = [child_of(first, second, seed).tolist() for seed in range(60)]
    assert {child[1] for child in children} == {1, 4, 5, 7}
    # 5 and 7 were neighbours of 0 as well and have two open edges left; 2 has three.
    assert {child[2] for child in children if child[1] == 1} == {5, 7}


def test_equal_ways_are_equally_likely():
    """The second city is each of the four neighbours of the first one about 400 times."""
    first = [0, 1, 2, 3, 4, 5, 6, 7]
    second = [0, 5, 1, 7, 3, 6, 2, 4]
    pairs = (np.tile(np.array(tour), (1600, 1)) for tour in (first, second))
    children = CROSS(random_problem("EUC_2D", 8), *pairs, seed=1, backend="cpu")
    counts = np.bincount(children[:, 1], minlength=8)
    assert counts.sum() == counts[[1, 4, 5, 7]].sum()
    assert (abs(counts[[1, 4, 5, 7]] - 400) < 80).all()  # more than four standard deviations
