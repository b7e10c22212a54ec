"""Alpha-nearest cities against their definition, and against published optimal tours."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import Delaunay

from gpu_ls_plugin import TSP
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.tours.candidates.alpha import Alpha
from gpu_ls_plugin.tours.candidates.lists import wrong_row
from gpu_ls_plugin.tours.candidates.one_trees import CompleteGraph, ascend
from gpu_ls_plugin.tours.candidates.quadrant import Quadrant
from gpu_ls_plugin.tours.candidates.sparse_graph import SparseGraph, neighbour_graph
from gpu_ls_plugin.tours.problem.tsplib import read_tour
from tests.helpers import one_trees, oracles
from tests.helpers.candidate_lists import Treeless, assert_lists
from tests.helpers.examples import examples
from tests.helpers.instances import OPTIMA, each_name, instance_path, tsp_instance, tsp_names
from tests.helpers.processes import run_python
from tests.helpers.random_problems import METRICS, random_problem

COVERED = [name for name in tsp_names(solved=True) if name in {"a280", "pcb442", "pr1002"}]
CLUSTERED = [name for name in tsp_names() if name in {"fl417", "fl1400", "rl1889"}]


def both_graphs(d: np.ndarray) -> list[CompleteGraph | SparseGraph]:
    a, b = np.triu_indices(len(d), 1)
    return [CompleteGraph(d), SparseGraph(len(d), a, b, d[a, b])]


def random_penalties(n: int, seed: int, zero: bool) -> np.ndarray:
    """Multiples of 1/4, so that sums of weights are exact and ties remain."""
    values = np.random.default_rng(seed).integers(-12, 13, n) / 4
    return 0.0 * values if zero else values


@examples(80)
@given(st.integers(4, 11), st.integers(0, 10**6), st.integers(2, 30), st.booleans())
def test_trees_and_alphas_are_those_of_the_definition(n, seed, span, zero):
    d = random_problem("EXPLICIT", n, seed, span).matrix
    penalties = random_penalties(n, seed, zero)
    w = d + penalties[:, None] + penalties
    for graph in both_graphs(d):
        tree = graph.one_tree(penalties)
        assert tree.weight == one_trees.one_tree_weight(w, tree.special)
        assert tree.degrees.sum() == 2 * n and tree.degrees[tree.special] == 2
        edges = {tuple(sorted(e)) for e in zip(tree.a.tolist(), tree.b.tolist(), strict=True)}
        edges.add(tuple(sorted((tree.special, tree.second))))
        assert len(edges) == n
        assert sum(w[edge] for edge in edges) == tree.weight
        alphas = tree.alphas(*np.triu_indices(n, 1), w[np.triu_indices(n, 1)])
        expected = [
            one_trees.alpha(w, tree.special, (i, j)) for i, j in zip(*np.triu_indices(n, 1))
        ]
        assert alphas.tolist() == expected


@examples(60)
@given(st.integers(4, 11), st.integers(0, 10**6), st.integers(2, 30), st.integers(1, 10))
def test_the_candidates_are_those_of_least_alpha(n, seed, span, k):
    d = random_problem("EXPLICIT", n, seed, span).matrix
    penalties = random_penalties(n, seed, zero=False)
    w = d + penalties[:, None] + penalties
    for graph in both_graphs(d):
        tree = graph.one_tree(penalties)
        cities = graph.least_alpha(min(k, n - 1), penalties, tree)
        for i, row in enumerate(cities.tolist()):
            others = [j for j in range(n) if j != i]
            others.sort(key=lambda j: (one_trees.alpha(w, tree.special, (i, j)), d[i, j], j))
            assert row == others[: len(row)]


@examples(60)
@given(st.integers(4, 11), st.integers(0, 10**6), st.integers(2, 30), st.integers(1, 10))
def test_two_cities_and_one_of_each_quadrant_are_chosen_first(n, seed, span, k):
    problem, penalties = random_problem("EUC_2D", n, seed, span), random_penalties(n, seed, False)
    d = oracles.distance_matrix(problem)
    a, b = np.triu_indices(n, 1)
    seen = np.random.default_rng(seed).integers(0, 4, (n, n))  # any number of cities in a quadrant
    graph = SparseGraph(n, a, b, d[a, b], (seen[a, b], seen[b, a]))
    tree = graph.one_tree(penalties)
    w = d + penalties[:, None] + penalties
    cities = graph.least_alpha(min(k, n - 1), penalties, tree)
    for i, row in enumerate(cities.tolist()):
        others = [j for j in range(n) if j != i]
        others.sort(key=lambda j: (one_trees.alpha(w, tree.special, (i, j)), d[i, j], j))
        first_seen = {next(j for j in others if seen[i, j] == q) for q in set(seen[i, others])}
        preferred = first_seen.union(others[:2])
        chosen = sorted(others, key=lambda j: j not in preferred)[: len(row)]
        assert row == sorted(chosen, key=others.index)


def test_the_special_city_is_the_leaf_with_the_longest_second_edge():
    d = np.array([[0, 1, 9, 9], [1, 0, 1, 5], [9, 1, 0, 1], [9, 5, 1, 0]])
    for graph in both_graphs(d):  # the tree is 0 1 2 3; city 0 pays 9 more, city 3 only 5
        tree = graph.one_tree(np.zeros(4))
        assert (tree.special, tree.second, tree.weight) == (0, 2, 12)


@pytest.mark.parametrize("graph", both_graphs(random_problem("EXPLICIT", 40, 1, 1000).matrix))
def test_the_ascent_raises_the_bound(graph):
    start = graph.one_tree(np.zeros(40)).weight
    bounds = []
    for steps in (0, 1, 5, 30):
        penalties, tree = ascend(graph, steps)
        assert tree.weight == graph.one_tree(penalties).weight
        bounds.append(tree.weight - 2 * penalties.sum())
    assert bounds[0] == start and bounds == sorted(bounds) and bounds[-1] > 1.1 * start


@each_name([*COVERED, *CLUSTERED])
def test_the_bound_is_just_below_the_optimum(name):
    penalties, tree = ascend(neighbour_graph(tsp_instance(name), 8), 30)
    bound = (tree.weight - 2 * penalties.sum()) / OPTIMA[name]
    assert (0.96 if name in CLUSTERED else 0.98) < bound <= 1.0


def test_a_far_cluster_gets_a_second_edge():
    places = np.random.default_rng(0).random((3, 40, 2)) + 1000 * np.arange(3)[:, None, None]
    problem = TSP(places.reshape(-1, 2), "EUC")
    penalties, tree = ascend(neighbour_graph(problem, 8), 30)
    there_and_back = 2 * 2 * np.hypot(1000, 1000)
    assert tree.weight - 2 * penalties.sum() > 0.85 * there_and_back


@each_name(COVERED)
def test_five_candidates_contain_nearly_all_optimal_edges(name):
    problem, tour = tsp_instance(name), read_tour(instance_path(f"tsp/{name}.opt.tour"))
    following = np.roll(tour, -1)
    cities = Alpha(5).of(problem).cities
    there = (cities[tour] == following[:, None]).any(axis=1)
    back = (cities[following] == tour[:, None]).any(axis=1)
    assert (there | back).mean() >= 0.995
    assert (there.mean() + back.mean()) / 2 >= 0.985
    place = (Alpha(10).of(problem).cities[tour] == following[:, None]).argmax(axis=1)
    assert place.mean() + 1 < 2.4


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 9, 60])
def test_lists_of_every_metric_and_size(metric, n):
    problem = random_problem(metric, n, span=25)
    lists = Alpha(5).of(problem)
    assert_valid(problem, lists, min(5, n - 1))


def assert_valid(problem, lists, degree):
    """Each list has different other cities with their exact lengths."""
    assert lists.degree == degree and wrong_row(lists.cities) is None
    assert_lists(problem, lists, lists.cities.tolist())


def circle(n: int) -> np.ndarray:
    angles = 2 * np.pi * np.arange(n) / n
    return 1e4 * np.stack([np.cos(angles), np.sin(angles)], axis=1)


AWKWARD = {
    "one place": np.zeros((30, 2)),
    "two places": np.repeat([[0, 0], [1e6, 5]], 200, axis=0),
    "a line": np.stack([np.arange(50), 3 * np.arange(50)], axis=1)[::-1],
    "a crowd on a line": np.stack([np.repeat(np.arange(5), 12), np.zeros(60)], axis=1),
    "a lattice": np.stack(np.meshgrid(np.arange(9), np.arange(9)), axis=-1).reshape(-1, 2),
    "far clusters": np.concatenate([circle(40) / 1e4, circle(40) / 1e4 + 1e8]),
    "all cities twice": np.tile(np.random.default_rng(3).integers(0, 100, (40, 2)), (2, 1)),
    "a circle": circle(300),
}


@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("metric", ["EUC_2D", "EUC"])
def test_awkward_places(name, metric):
    problem = TSP(AWKWARD[name], metric)
    assert_valid(problem, Alpha(6).of(problem), 6)
    _, tree = ascend(neighbour_graph(problem, 8), 5)
    assert np.isfinite(tree.weight) and tree.degrees.sum() == 2 * problem.n


def test_the_graph_contains_the_delaunay_triangulation():
    points = np.random.default_rng(0).random((200, 2))
    graph = neighbour_graph(TSP(points, "EUC"), 4)
    edges = set(zip(graph.a.tolist(), graph.b.tolist(), strict=True))
    for corners in Delaunay(points).simplices.tolist():
        assert edges.issuperset(combinations(sorted(corners), 2))


@pytest.mark.parametrize("metric", ["EUC", "HAVERSINE"])
def test_each_quadrant_with_neighbours_has_a_candidate(metric):
    places = np.random.default_rng(0).uniform(-60, 60, (80, 2))  # none on an axis of another
    problem = TSP(places, metric)
    listed, near = Alpha(6).of(problem).cities, Quadrant(8).of(problem).cities
    for i in range(problem.n):
        sides = [set(map(tuple, places[cities[i]] > places[i])) for cities in (listed, near)]
        assert sides[0] >= sides[1]


def test_a_metric_without_a_tree():
    problem = TSP(np.random.default_rng(0).integers(0, 500, (60, 2)), Treeless())
    usual = TSP(problem.coordinates, "EUC_2D")
    assert np.array_equal(Alpha(5).of(problem).cities, Alpha(5).of(usual).cities)


def test_a_matrix_made_in_blocks(monkeypatch):
    problem = random_problem("EXPLICIT", 40)
    whole = Alpha(5).build(problem)
    monkeypatch.setattr("gpu_ls_plugin.tours.candidates.one_trees.BLOCK_ENTRIES", 100)
    assert np.array_equal(Alpha(5).build(problem).cities, whole.cities)


def test_asymmetric_lengths_are_refused():
    problem = TSP.from_matrix(np.random.default_rng(0).integers(0, 50, (12, 12)))
    with pytest.raises(UnsupportedProblemError, match=r"Alpha.*symmetric"):
        Alpha(5).of(problem)


@pytest.mark.parametrize("parameters", [{"k": 0}, {"steps": -1}])
def test_parameters_out_of_range(parameters):
    with pytest.raises(InvalidParameterError, match=next(iter(parameters))):
        Alpha(**parameters)


def test_modules_are_imported_before_lists_are_made():
    """In a fresh process, imports can take seconds, which must not count as search time."""
    script = """
import sys
import numpy as np
import gpu_ls_plugin as gls
from tests.helpers.examples import examples
problem = gls.TSP(np.random.default_rng(0).integers(0, 1000, (60, 2)), "EUC_2D")
gls.Alpha(5).compile(problem)
ready = set(sys.modules)
gls.Alpha(5).build(problem)
late = sorted(name for name in set(sys.modules) - ready if name.startswith("scipy"))
assert not late, late
"""
    run_python("-c", script)
