"""The fewest colours: greedy bounds, one colour less, and the end of the search."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.assignment.plan.fewest_colours import without_a_colour
from gpu_ls_plugin.assignment.problem.graph_colouring import greedy_clique, greedy_colouring
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from tests.assignment.problem.test_graph_colouring import least_colours

CPU = {"backend": "cpu", "population": 4}


@st.composite
def graphs(draw, most=6):
    n = draw(st.integers(1, most))
    pairs = list(itertools.combinations(range(n), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return gls.GraphColouring(n, edges, colours=draw(st.integers(1, 9)))


@given(graphs())
def test_greedy_bounds(graph):
    colouring, clique = greedy_colouring(graph), greedy_clique(graph)
    colours = int(colouring.max()) + 1
    wider = gls.GraphColouring(graph.n, graph.edges, colours)
    assert wider.cost(colouring)[0] == 0 and wider.feasible(colouring)[0]
    joined = {tuple(edge) for edge in graph.edges.tolist()}
    assert all(pair in joined for pair in itertools.combinations(sorted(clique), 2))
    assert 1 <= len(clique) <= least_colours(graph) <= colours


def test_greedy_begins_with_the_largest_degree():
    """By number, the leaves at both ends would come first and need a third colour."""
    path = gls.GraphColouring(4, [(0, 2), (2, 3), (3, 1)], 1)
    assert greedy_colouring(path).tolist() == [1, 0, 0, 1]


@given(graphs(most=5))
def test_the_fewest_colours_of_small_graphs(graph):
    result = gls.fewest_colours(graph, 20, kicks=3, **CPU)
    assert result.problem.colours == least_colours(graph)
    assert len(result.tours) and not result.problem.cost(result.tours).any()
    assert result.problem.feasible(result.tours).all()


@given(st.integers(1, 5).flatmap(
    lambda k: st.tuples(st.just(k), st.lists(st.integers(-1, k - 1), min_size=1, max_size=8))
))  # fmt: skip
def test_a_colour_is_given_up(case):
    colours, row = case
    states = np.array([row], np.int32)
    before = states.copy()
    (fewer,) = without_a_colour(states, colours)
    assert (states == before).all() and fewer.max() < max(1, colours - 1)
    counts = np.bincount(states[0][states[0] >= 0], minlength=colours)
    released = (fewer < 0) & (states[0] >= 0)
    assert released.sum() == counts.min()
    kept = fewer >= 0
    assert (fewer[states[0] < 0] == -1).all()
    same = states[0][kept][:, None] == states[0][kept]
    assert ((fewer[kept][:, None] == fewer[kept]) == same).all()


def test_numbers_fall_until_a_clique_proves_the_end():
    seen = []
    graph = gls.GraphColouring.queen(5, 5, colours=2)
    result = gls.fewest_colours(graph, 60, callback=seen.append, **CPU)
    assert result.problem.colours == 5 and result.statistics.stopped_by == "optimum"
    numbers = [point.best_cost for point in result.statistics.history]
    assert numbers == sorted(numbers, reverse=True) and numbers[0] > numbers[-1] == 5
    assert {progress.best_cost for progress in seen} <= set(numbers[:-1])
    assert all(progress.best_tours().max() < progress.best_cost - 1 for progress in seen[-1:])


def test_a_target_and_time_end_it():
    graph = gls.GraphColouring.queen(6, 6, colours=1)
    greedy = int(greedy_colouring(graph).max()) + 1
    result = gls.fewest_colours(graph, 60, target=greedy - 1, **CPU)
    assert (result.problem.colours, result.statistics.stopped_by) == (greedy - 1, "target")
    result = gls.fewest_colours(graph, 0, **CPU)
    assert (result.problem.colours, result.statistics.stopped_by) == (greedy, "seconds")
    assert result.costs.tolist() == [0]
    result = gls.fewest_colours(graph, 0.3, **CPU)  # the clique has 6 vertices: 7 are needed
    assert (result.problem.colours, result.statistics.stopped_by) == (7, "seconds")


def test_an_interrupt_returns_the_best_colouring():
    def press(progress):
        raise KeyboardInterrupt

    result = gls.fewest_colours(gls.GraphColouring.queen(5, 5, 1), 60, callback=press, **CPU)
    assert result.statistics.interrupted
    assert not result.problem.cost(result.tours).any()


def test_other_problems_are_refused():
    with pytest.raises(InvalidTypeError, match=r"graph: .* is not a GraphColouring"):
        gls.fewest_colours(gls.QuadraticAssignment.generated(5))
