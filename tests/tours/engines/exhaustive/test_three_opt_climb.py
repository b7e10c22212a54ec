"""The exhaustive 3-opt climb on the CPU, compared with brute force from the definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import compile_check, get_backend
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.tours.engines.engine import OPTIMUM, OUT_OF_MOVES
from gpu_ls_plugin.tours.engines.exhaustive import three_opt_climb
from gpu_ls_plugin.tours.engines.exhaustive.three_opt_climb import ThreeOptClimb
from tests.helpers import filter_oracle as oracle
from tests.helpers import host_program
from tests.helpers.descents import to_optimum
from tests.helpers.examples import examples
from tests.helpers.marks import slow_after, slow_but_usual
from tests.helpers.oracles import (
    changed_edges,
    distance_matrix,
    edges,
    has_improving_two_opt_move,
)
from tests.helpers.random_problems import INTEGER, METRICS, random_problem, random_tours

NO_LIMIT = 2**62


def climb(problem: gls.TSP, tours: Any, moves: int = NO_LIMIT) -> ThreeOptClimb:
    """Climb with copies of the tours until all are finished."""
    search = ThreeOptClimb(get_backend("cpu"), problem, np.array(tours, np.int32), moves)
    to_optimum(search)
    return search


def assert_same_climb(problem: gls.TSP, starts: Any, moves: int = NO_LIMIT) -> None:
    """Tours, counts and states are those of brute force."""
    found, neighbourhood = climb(problem, starts, moves), [oracle.moves(problem.n, 3)]
    for row, start in enumerate(starts.tolist()):
        current = oracle.CurrentTour(problem, start)
        end = oracle.descend(current, gls.Everything(), neighbourhood, moves)
        assert found.tours[row].tolist() == end.tour
        assert (found.pass_counts[row], found.move_counts[row]) == (len(end.kept), end.moves)
        assert found.states[row] == (OPTIMUM if end.ended == "optimum" else OUT_OF_MOVES)


@pytest.mark.parametrize("metric", slow_but_usual(*METRICS))
@examples(25)
@given(
    n=st.integers(4, 13),
    seed=st.integers(0, 10**6),
    span=st.sampled_from([4, 12, 60, 3000]),
    moves=st.sampled_from([NO_LIMIT, NO_LIMIT, 0, 1, 3]),
)
def test_climbs_are_those_of_brute_force(metric, n, seed, span, moves):
    assert_same_climb(random_problem(metric, n, seed, span), random_tours(n, 2, seed), moves)


@pytest.mark.parametrize("n", [4, 5, 6, 7, 11])
def test_triples_with_neighbouring_edges_are_the_2_opt_moves(n):
    changed = []
    for move in oracle.moves(n, 3):
        current = oracle.CurrentTour(random_problem("EUC_2D", n), list(range(n)))
        current.apply(move)
        changed.append(current.tour)
    two_opt = {frozenset(edges(tour)) for tour in changed if changed_edges(range(n), tour) == 2}
    assert len(two_opt) == n * (n - 3) // 2


def test_a_move_found_by_hand():
    # Paths 1 2 and 3 4 change places: 0-1, 2-3, 4-5 (10 each) go, 0-3, 4-1, 2-5 (1 each) come.
    matrix = np.full((6, 6), 10)
    for a, b in [(0, 3), (3, 4), (4, 1), (1, 2), (2, 5), (5, 0)]:
        matrix[a, b] = matrix[b, a] = 1
    search = climb(gls.TSP.from_matrix(matrix), [range(6)])
    assert search.tours.tolist() == [[0, 3, 4, 1, 2, 5]]
    assert (search.move_counts.tolist(), search.pass_counts.tolist()) == ([1], [2])


@pytest.mark.slow
@pytest.mark.parametrize("metric", slow_after(1, METRICS))
def test_ends_in_a_local_optimum(metric):
    problem = random_problem(metric, 60, span=300)
    starts = gls.nearest_neighbour(problem, 3, seed=1, backend="cpu")
    search = climb(problem, starts)
    assert (problem.cost(search.tours) < problem.cost(starts)).all()
    for tour in search.tours.tolist():
        current = oracle.CurrentTour(problem, tour)
        assert not any(map(current.is_gain, oracle.moves(60, 3)))
        assert not has_improving_two_opt_move(distance_matrix(problem), tour)


@pytest.mark.parametrize(("longest", "value"), [(2**29, "int"), (2**31, "gls::int64")])
def test_long_lengths(longest, value):
    near = random_problem("EUC_2D", 20, span=1000)
    far = gls.TSP(np.asarray(near.coordinates) * (longest / 1500), "EUC_2D")
    assert three_opt_climb.value_type(far) == value
    assert_same_climb(far, random_tours(20, 2), 3)


def test_both_types_of_integer_lengths_give_the_same_moves(monkeypatch):
    problem = random_problem("EUC_2D", 50, span=20)
    starts = random_tours(50, 3)
    usual = climb(problem, starts).tours
    monkeypatch.setattr(three_opt_climb, "LONGEST_INT", 0)
    assert np.array_equal(climb(problem, starts).tours, usual)


def test_large_problems_are_refused():
    problem = gls.TSP(np.random.default_rng(1).integers(0, 1000, (3001, 2)), "EUC_2D")
    with pytest.raises(UnsupportedProblemError, match=r"3,001 cities.*Nearest"):
        ThreeOptClimb(get_backend("cpu"), problem, random_tours(3001, 1), 1)


COUNT = """
struct Probe {
  // Visits triples in the same way as the lanes of ThreeOptTiles.
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
def test_bars_contain_each_triple_once(n, bar):
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
    value = three_opt_climb.value_type(problem)
    for bar in three_opt_climb.BARS:
        for make in (three_opt_climb.tiles_kernel, three_opt_climb.moves_kernel):
            report = compile_check.compile_kernel(make(problem.metric, value, *bar), 90)
            assert report.passed, report


def test_integer_metrics_have_narrow_lengths():
    for metric in METRICS:
        value = three_opt_climb.value_type(random_problem(metric, 10))
        assert value == ("int" if metric in INTEGER else "double")
