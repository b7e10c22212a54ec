"""Graph colouring: costs by brute force, the functor, and known graphs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidProblemError
from gpu_ls_plugin.testing import check_assignment
from tests.testing.faults import ON_BOTH


@st.composite
def colourings(draw):
    """A graph, possibly with duplicate edges, and its states."""
    n, colours = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    vertex = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(vertex, vertex).filter(lambda e: e[0] != e[1]), max_size=12))
    row = st.lists(st.integers(-1, colours - 1), min_size=n, max_size=n)
    return n, edges, colours, draw(st.lists(row, min_size=1, max_size=5))


@given(colourings())
def test_costs_are_conflicts(case):
    n, edges, colours, rows = case
    problem = gls.GraphColouring(n, edges, colours)
    distinct = {frozenset(edge) for edge in edges}
    assert {frozenset(edge) for edge in problem.edges.tolist()} == distinct
    assert len(problem.edges) == len(distinct)
    expected = [sum(row[a] == row[b] >= 0 for a, b in map(tuple, distinct)) for row in rows]
    assert problem.cost(rows).tolist() == expected
    assert problem.feasible(rows).tolist() == [min(row) >= 0 for row in rows]


@given(colourings(), st.randoms())
def test_renamed_colours_have_the_same_form(case, random):
    n, edges, colours, rows = case
    problem = gls.GraphColouring(n, edges, colours)
    names = [*random.sample(range(colours), colours), -1]
    renamed = [[names[colour] for colour in row] for row in rows]
    written = problem.canonical(rows)
    assert np.array_equal(written, problem.canonical(renamed))
    assert ((written < 0) == (np.array(rows) < 0)).all()
    assert np.array_equal(problem.cost(written), problem.cost(rows))


def test_canonical_by_hand():
    problem = gls.GraphColouring(5, [], 4)
    assert problem.canonical([[3, -1, 0, 3, 2]]).tolist() == [[0, -1, 1, 0, 2]]


@ON_BOTH
def test_the_functor(backend):
    for problem in (
        gls.GraphColouring.random(15, 0.4, 3, seed=2),
        gls.GraphColouring(3, [], 1),
        gls.GraphColouring.queen(3, 4, 5),
    ):
        check_assignment(problem, backend=backend)


@pytest.mark.slow
def test_the_functor_for_vertices_with_many_neighbours():
    star = gls.GraphColouring(2**16 + 1, [(0, leaf) for leaf in range(1, 2**16 + 1)], 2)
    assert star.functor() == "gls::GraphColouring<int>"

    class Wide(gls.GraphColouring):
        def functor(self):
            return star.functor()

        def kept_bytes(self):
            return 4 * self.n * self.colours

    check_assignment(Wide(7, [(0, leaf) for leaf in range(1, 7)], 2), backend="cpu")


@pytest.mark.parametrize(
    ("n", "edges", "words"),
    [
        (3, [(0, 3)], "edge 0 joins 0 and 3"),
        (3, [(0, 1), (-1, 1)], "edge 1"),
        (3, [(1, 1)], "to itself"),
        (3, [(0, 1, 2)], "shape"),
        (3, [0, 1], "shape"),
        (3, [(0.5, 1)], "not an integer"),
        (3, [(float("nan"), 1)], "not finite"),
    ],
)
def test_invalid_edges_are_refused(n, edges, words):
    with pytest.raises(InvalidProblemError, match=f"^edges: .*{words}"):
        gls.GraphColouring(n, edges, 2)


@pytest.mark.parametrize(("n", "colours"), [(0, 2), (3, 0), (2**31, 2)])
def test_numbers_out_of_range(n, colours):
    with pytest.raises(InvalidParameterError):
        gls.GraphColouring(n, [], colours)


@pytest.mark.parametrize(
    ("problem", "n", "edges"),
    [  # sizes of DIMACS graphs: queen5_5, queen8_8, queen8_12, myciel3, myciel5
        (gls.GraphColouring.queen(5, 5, 5), 25, 160),
        (gls.GraphColouring.queen(8, 8, 9), 64, 728),
        (gls.GraphColouring.queen(8, 12, 12), 96, 1368),
        (gls.GraphColouring.mycielski(4, 4), 11, 20),
        (gls.GraphColouring.mycielski(6, 6), 47, 236),
        (gls.GraphColouring.mycielski(2, 2), 2, 1),
        (gls.GraphColouring.leighton(450, 25, 17343), 450, 17343),
        (gls.GraphColouring.leighton(9, 3, 27), 9, 27),  # all possible edges
        (gls.GraphColouring.leighton(9, 3, 3), 9, 3),  # a triangle
    ],
    ids=str,
)
def test_sizes_of_graphs(problem, n, edges):
    assert (problem.n, len(problem.edges)) == (n, edges)


def least_colours(problem):
    """The chromatic number, by exhaustive search."""

    def colourable(colours, state):
        vertex = len(state)
        if vertex == problem.n:
            return True
        taken = {state[a] for a, b in problem.edges if b == vertex}
        return any(
            colourable(colours, [*state, colour])
            for colour in range(min(colours, max(state, default=-1) + 2))
            if colour not in taken
        )

    return next(colours for colours in range(1, problem.n + 1) if colourable(colours, []))


def test_chromatic_numbers():
    assert [least_colours(gls.GraphColouring.mycielski(k, k)) for k in (2, 3, 4)] == [2, 3, 4]
    assert least_colours(gls.GraphColouring.queen(5, 5, 5)) == 5
    for seed in range(5):
        assert least_colours(gls.GraphColouring.leighton(14, 4, 40, seed)) == 4


def test_mycielski_graphs_have_no_triangle():
    problem = gls.GraphColouring.mycielski(6, 6)
    joined = np.zeros((problem.n, problem.n), int)
    joined[tuple(problem.edges.T)] = 1
    joined |= joined.T
    assert np.trace(joined @ joined @ joined) == 0
    assert problem.optimum == 0 and gls.GraphColouring.mycielski(6, 5).optimum is None


def test_random_graphs():
    problem = gls.GraphColouring.random(300, 0.25, 9, seed=5)
    share = len(problem.edges) / (300 * 299 / 2)
    assert abs(share - 0.25) < 0.01  # five standard deviations
    again, other = (gls.GraphColouring.random(300, 0.25, 9, seed=seed) for seed in (5, 6))
    assert np.array_equal(problem.edges, again.edges)
    assert not np.array_equal(problem.edges, other.edges)
    assert [len(gls.GraphColouring.random(20, p, 3).edges) for p in (0, 1)] == [0, 190]
    assert gls.GraphColouring.random(1, 1, 3).n == 1


@pytest.mark.parametrize("edges", [2, 28])
def test_impossible_leighton_graphs_are_refused(edges):
    with pytest.raises(InvalidParameterError, match="between 3 and 27"):
        gls.GraphColouring.leighton(9, 3, edges)


def test_another_number_of_colours():
    graph = gls.GraphColouring(3, [(0, 1), (1, 2)], 2, optimum=1)
    wider = graph.with_colours(4)
    assert (wider.colours, wider.optimum, graph.colours, graph.optimum) == (4, 0, 2, 1)
    assert wider.sizes.tolist() == [4, 4, 4] and graph.sizes.tolist() == [2, 2, 2]
    assert wider.kept_bytes() == 2 * graph.kept_bytes()
    begins, neighbours = wider.neighbours
    assert (begins.tolist(), neighbours.tolist()) == ([0, 1, 3, 4], [1, 0, 2, 1])
    with pytest.raises(InvalidParameterError, match="colours: 0"):
        graph.with_colours(0)
