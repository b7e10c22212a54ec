"""The exhaustive 3-opt climb on the CPU, beside brute force from the definition."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import compile_check, get_backend
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.tours.engines.engine import OPTIMUM, OUT_OF_MOVES
from gpu_ls_plugin.tours.engines.exhaustive import three_opt_climb
from gpu_ls_plugin.tours.engines.exhaustive.three_opt_climb import ThreeOptClimb
from tests.helpers import host_program
from tests.helpers.descents import to_optimum
from tests.helpers.marks import slow_but_usual
from tests.helpers.oracles import (
    NO_GAIN,
    changed_edges,
    distance_matrix,
    has_improving_two_opt_move,
)
from tests.helpers.random_problems import INTEGER, METRICS, random_problem, random_tours

NO_LIMIT = 2**62


def climb(problem: gls.TSP, tours: Any, moves: int = NO_LIMIT) -> ThreeOptClimb:
    """Climb with copies of the tours until all are finished."""
    search = ThreeOptClimb(get_backend("cpu"), problem, np.array(tours, np.int32), moves)
    to_optimum(search)
    return search


def reconnected(tour: list[int], i: int, j: int, k: int, way: int) -> list[int]:
    """The tour after one of the four pure reconnections."""
    head, first, second, tail = (
        tour[: i + 1],
        tour[i + 1 : j + 1],
        tour[j + 1 : k + 1],
        tour[k + 1 :],
    )
    middle = [
        second + first,
        first[::-1] + second[::-1],
        second + first[::-1],
        second[::-1] + first,
    ]
    return head + middle[way] + tail


def changes(d: Any, t: list[int], i: int, j: int, k: int) -> list[Any]:
    """The changes of cost of the four reconnections, added up in the documented order."""
    a, b, c, e, f, g = t[i], t[i + 1], t[j], t[j + 1], t[k], t[(k + 1) % len(t)]
    removed, out = d[a][b] + d[c][e], d[f][g]
    return [
        (((d[b][f] - out) + d[c][g]) + d[a][e]) - removed,
        ((d[b][e] if k == j + 1 else (d[b][f] - out) + d[e][g]) + d[a][c]) - removed,
        ((d[b][g] + (d[c][f] - out)) + d[a][e]) - removed,
        (((d[a][f] - out) + d[c][g]) + d[b][e]) - removed,
    ]


def best_move(d: Any, tour: list[int]) -> tuple[Any, ...]:
    """The least (delta, i, j, k, way) of the neighbourhood."""
    return min(
        (delta, i, j, k, way)
        for i, j, k in combinations(range(len(tour)), 3)
        for way, delta in enumerate(changes(d, tour, i, j, k))
    )


def brute_force(d: Any, tour: list[int], moves: int = NO_LIMIT) -> list[int]:
    """Apply the best move until none improves; a gain that may be rounding alone is none."""
    while moves:
        delta, i, j, k, way = best_move(d, tour)
        removed = (
            d[tour[i]][tour[i + 1]] + d[tour[j]][tour[j + 1]] + d[tour[k]][tour[k + 1 - len(tour)]]
        )
        if delta >= 0 or (isinstance(delta, float) and delta > -NO_GAIN * removed):
            break
        tour, moves = reconnected(tour, i, j, k, way), moves - 1
    return tour


@pytest.mark.parametrize("metric", slow_but_usual(*METRICS))
@settings(max_examples=25)
@given(n=st.integers(4, 13), seed=st.integers(0, 10**6), span=st.sampled_from([4, 12, 60, 3000]))
def test_climbs_as_brute_force_does(metric, n, seed, span):
    problem = random_problem(metric, n, seed, span)
    starts = random_tours(n, 2, seed)
    d = distance_matrix(problem).tolist()
    found = climb(problem, starts).tours.tolist()
    assert found == [brute_force(d, start) for start in starts.tolist()]


@given(n=st.integers(4, 9), seed=st.integers(0, 10**6))
def test_changes_are_those_of_the_cost(n, seed):
    problem = random_problem("EUC_2D", n, seed)
    d, tour = distance_matrix(problem).tolist(), random_tours(n, 1, seed)[0].tolist()
    before = problem.cost(np.array([tour]))[0]
    for triple in combinations(range(n), 3):
        after = problem.cost(np.array([reconnected(tour, *triple, way) for way in range(4)]))
        assert changes(d, tour, *triple) == (after - before).tolist()


@pytest.mark.parametrize("n", [4, 5, 6, 7, 11])
def test_triples_with_neighbouring_edges_are_the_2_opt_moves(n):
    tour = list(range(n))
    neighbours = {
        frozenset(frozenset(pair) for pair in zip(t, t[1:] + t[:1], strict=True))
        for triple in combinations(range(n), 3)
        for t in (reconnected(tour, *triple, way) for way in range(4))
        if changed_edges(tour, t) == 2
    }
    assert len(neighbours) == n * (n - 3) // 2


def test_a_move_found_by_hand():
    # Paths 1 2 and 3 4 change places: 0-1, 2-3, 4-5 (10 each) go, 0-3, 4-1, 2-5 (1 each) come.
    matrix = np.full((6, 6), 10)
    for a, b in [(0, 3), (3, 4), (4, 1), (1, 2), (2, 5), (5, 0)]:
        matrix[a, b] = matrix[b, a] = 1
    search = climb(gls.TSP.from_matrix(matrix), [range(6)])
    assert search.tours.tolist() == [[0, 3, 4, 1, 2, 5]]
    assert (search.move_counts.tolist(), search.pass_counts.tolist()) == ([1], [2])
    assert search.states.tolist() == [OPTIMUM]


@pytest.mark.parametrize("metric", slow_but_usual(*METRICS))
def test_ends_in_a_local_optimum(metric):
    problem = random_problem(metric, 60, span=300)
    starts = gls.nearest_neighbour(problem, 3, seed=1, backend="cpu")
    search = climb(problem, starts)
    assert (problem.cost(search.tours) < problem.cost(starts)).all()
    d = distance_matrix(problem)
    for tour in search.tours.tolist():
        assert sorted(tour) == list(range(60))
        assert best_move(d, tour)[0] > -1e-9
        assert not has_improving_two_opt_move(d, tour)
    assert (search.pass_counts == search.move_counts + 1).all()


@pytest.mark.parametrize("most", [0, 1, 3])
def test_stops_after_max_moves(most):
    problem = random_problem("EUC_2D", 12, span=1000)
    starts = random_tours(12, 4)
    search = climb(problem, starts, most)
    d = distance_matrix(problem).tolist()
    assert search.tours.tolist() == [brute_force(d, tour, most) for tour in starts.tolist()]
    assert search.move_counts.tolist() == search.pass_counts.tolist() == [most] * 4
    assert search.states.tolist() == [OUT_OF_MOVES] * 4


@pytest.mark.parametrize(("longest", "value"), [(2**29, "int"), (2**31, "gls::int64")])
def test_long_lengths(longest, value):
    near = random_problem("EUC_2D", 30, span=1000)
    far = gls.TSP(np.asarray(near.coordinates) * (longest / 1500), "EUC_2D")
    assert three_opt_climb._value(far) == value
    starts = random_tours(30, 2)
    assert brute_force_passes(far, starts, 3) == climb(far, starts, 3).tours.tolist()


def brute_force_passes(problem: gls.TSP, starts: np.ndarray, moves: int) -> list[list[int]]:
    d = distance_matrix(problem).tolist()
    return [brute_force(d, tour, moves) for tour in starts.tolist()]


def test_both_types_of_lengths_take_the_same_moves(monkeypatch):
    problem = random_problem("EUC_2D", 50, span=20)
    starts = random_tours(50, 3)
    usual = climb(problem, starts).tours
    monkeypatch.setattr(three_opt_climb, "LONGEST_INT", 0)
    assert np.array_equal(climb(problem, starts).tours, usual)


def test_small_problems_have_no_moves():
    for n in (1, 2, 3):
        search = climb(random_problem("EUC_2D", n), random_tours(n, 2))
        assert search.states.tolist() == [OPTIMUM] * 2


def test_large_problems_are_refused():
    problem = gls.TSP(np.random.default_rng(1).integers(0, 1000, (3001, 2)), "EUC_2D")
    with pytest.raises(UnsupportedProblemError, match=r"3,001 cities.*Nearest"):
        ThreeOptClimb(get_backend("cpu"), problem, random_tours(3001, 1), 1)


COUNT = """
struct Probe {
  // Visits the triples as the lanes of ThreeOptTiles do.
  static void run(const gls::Host&, int item, int n, unsigned char* visits) {
    using Tiles = gls::TripleTiles<EDGE, DEPTH>;
    const auto tile = Tiles::decode(item);
    for (int lane = 0; lane < Tiles::kLanes; ++lane) {
      for (int p = 0; p < Tiles::kSquare; ++p) {
        for (int q = 0; q < Tiles::kSquare; ++q) {
          const int i = tile.i + Tiles::first_i(lane) + p, j = tile.j + Tiles::first_j(lane) + q;
          for (int k = tile.k; k < tile.k + Tiles::kDepth; ++k) {
            if (i < j && j < k && k < n) ++visits[(i * n + j) * n + k];
          }
        }
      }
    }
  }
};
"""
BARS = [(32, 1), (32, 2), (32, 4), (64, 1), (64, 3)]


@pytest.mark.parametrize("bar", BARS)
@pytest.mark.parametrize("n", [4, 31, 32, 33, 64, 65, 97, 150])
def test_bars_hold_every_triple_once(n, bar):
    visits = np.zeros((n, n, n), np.uint8)
    host_program.run(
        COUNT.replace("EDGE", str(bar[0])).replace("DEPTH", str(bar[1])),
        three_opt_climb.bar_count(n, *bar),
        "int n, unsigned char* visits",
        {"n": n, "visits": visits},
        header="tours/engines/exhaustive/triple_tiles.cuh",
    )
    i, j, k = np.ogrid[:n, :n, :n]
    assert np.array_equal(visits, ((i < j) & (j < k)).astype(np.uint8))


DECODE = """
struct Probe {
  static void run(const gls::Host&, int item, int n, int* corners) {
    using Tiles = gls::TripleTiles<EDGE, DEPTH>;
    const auto tile = Tiles::decode(item);
    corners[3 * item] = tile.i, corners[3 * item + 1] = tile.j, corners[3 * item + 2] = tile.k;
    if (item == 0) corners[0] = Tiles{n}.count();  // its corner is 0, 0, 0
  }
};
"""


@pytest.mark.parametrize("bar", BARS)
@pytest.mark.parametrize("n", [768, 769, three_opt_climb.LARGEST])
def test_bars_are_decoded(n, bar):
    edge, depth = bar
    expected = [
        [i, j, k]
        for k in range(0, n, edge * depth)
        for j in range(0, min(n, k + edge * depth), edge)
        for i in range(0, j + edge, edge)
    ]
    corners = np.zeros((three_opt_climb.bar_count(n, *bar), 3), np.int32)
    host_program.run(
        DECODE.replace("EDGE", str(edge)).replace("DEPTH", str(depth)),
        len(corners),
        "int n, int* corners",
        {"n": n, "corners": corners},
        header="tours/engines/exhaustive/triple_tiles.cuh",
    )
    assert corners[0, 0] == len(corners)
    corners[0, 0] = 0
    assert corners.tolist() == expected


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["EUC_2D", "EUC", "EXPLICIT"])
@pytest.mark.usefixtures("nvrtc")
def test_kernels_compile(metric):
    problem = random_problem(metric, 10)
    value = three_opt_climb._value(problem)
    for bar in three_opt_climb.BARS:
        for make in (three_opt_climb.tiles_kernel, three_opt_climb.moves_kernel):
            report = compile_check.compile_kernel(make(problem.metric, value, *bar), 90)
            assert report.passed, report


def test_integer_metrics_have_narrow_lengths():
    for metric in METRICS:
        value = three_opt_climb._value(random_problem(metric, 10))
        assert value == ("int" if metric in INTEGER else "double")
