"""The C++ functors against the referee, pair by pair, and their estimates against the slack."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.kernels.sites import grid_of, metric_type
from gpu_ls_plugin.tours.moves.composed import CandidateMoves
from gpu_ls_plugin.tours.moves.reconnections import TwoOpt
from gpu_ls_plugin.tours.problem.metric_check import pair_lengths_kernel
from gpu_ls_plugin.tours.problem.metrics import Geo
from gpu_ls_plugin.tours.problem.tsp import TSP
from tests.helpers import host_program, oracles
from tests.helpers.instances import each_name, tsp_instance, tsp_names
from tests.helpers.random_problems import (
    INTEGER,
    METRICS,
    PLANAR,
    next_to_a_kilometre,
    random_problem,
)


def assert_agrees(problem: TSP) -> None:
    """The functor returns the same bits as NumPy, and estimates are within the slack."""
    a, b = np.divmod(np.arange(problem.n**2, dtype=np.int32), problem.n)
    a, b = a[a != b], b[a != b]
    expected = problem.distance(a, b)
    lengths, estimates = np.empty_like(expected), np.empty(len(a), np.float32)
    pairs = {"n": problem.n, "pairs": len(a), "from": a, "to": b}
    made = {"lengths": lengths, "estimates": estimates}
    arguments = {"metric_data": problem.metric.data(problem.values), **pairs, **made}
    get_backend("cpu").launch(pair_lengths_kernel(problem.metric, "gls::Host"), 1, arguments)
    assert np.array_equal(lengths, expected)
    error = np.abs(estimates.astype(np.float64) - expected)
    assert error.max(initial=0.0) <= problem.metric.slack(problem.values)


def test_the_check_notices_a_wrong_length(monkeypatch):
    problem = random_problem("EUC_2D", 9)
    monkeypatch.setattr("gpu_ls_plugin.tours.problem.metrics.Euc2D.functor", "gls::Ceil2D")
    with pytest.raises(AssertionError):
        assert_agrees(problem)


@pytest.mark.parametrize("metric", [*METRICS, "FLOOR_2D", "HAVERSINE"])
@pytest.mark.parametrize(("n", "span"), [(2, 60), (150, 5), (150, 60), (1, 60)])
def test_functors_return_the_referees_lengths(metric, n, span):
    assert_agrees(random_problem(metric, n, span=span))


@pytest.mark.parametrize("scale", [1e-30, 1e-6, 1.0, 1e6])
@pytest.mark.parametrize("metric", [*PLANAR, "FLOOR_2D"])
def test_functors_at_every_scale_and_offset(metric, scale):
    random = np.random.default_rng(7)
    for offset in (0.0, -1e5):
        assert_agrees(TSP((random.random((150, 2)) * 1000 + offset) * scale, metric))


@pytest.mark.parametrize("metric", ["EUC_2D", "CEIL_2D", "FLOOR_2D", "ATT"])
def test_lengths_that_hit_the_rounding_point(metric):
    # Multiples of Pythagorean triples halved: many lengths end in exactly .0 or .5.
    places = [(3 * k / 2, 4 * k / 2) for k in range(40)] + [(k / 2, 0) for k in range(1, 40)]
    assert_agrees(TSP(places, metric))


def test_functors_with_the_largest_lengths():
    random = np.random.default_rng(5)
    assert_agrees(TSP(random.integers(0, 1_518_500_249, (100, 2)), "EUC_2D"))
    assert_agrees(TSP(random.random((100, 2)) * 2.0**61, "EUC"))
    assert_agrees(TSP.from_matrix(random.integers(0, 2**31 - 1, (60, 60))))
    assert_agrees(TSP.from_matrix(random.random((60, 60)) * 2.0**61))


def test_geo_functor_on_the_whole_globe():
    random = np.random.default_rng(3)
    degrees = random.integers((-90, -180), (91, 181), (200, 2))
    minutes = random.integers(0, 60, (200, 2)) / 100
    inside = np.clip(degrees + np.sign(degrees) * minutes, (-90, -180), (90, 180))
    antipodes = np.column_stack([-degrees[:, 0], (degrees[:, 1] + 360) % 360 - 180])
    assert_agrees(TSP(np.concatenate([inside, -inside, inside[:20]]), "GEO"))
    assert_agrees(TSP(np.concatenate([degrees, antipodes]), "GEO"))
    assert Geo().slack(inside[:2] * 0.01) < 0.6  # cities near each other have a tight bound


def test_haversine_functor_on_the_whole_globe():
    random = np.random.default_rng(3)
    here = np.column_stack([random.uniform(-90, 90, 100), random.uniform(-180, 0, 100)])
    there = np.column_stack([-here[:, 0], here[:, 1] + 180])
    near = np.clip(here + 10.0 ** random.uniform(-12, 0, (100, 2)), -90, 90)
    assert_agrees(TSP(np.concatenate([here, there, near, here[:9]]), "HAVERSINE"))


def test_geo_functor_next_to_whole_kilometres():
    poles = [(0, 0), (0, 90), (0, -90), (0, 180), (90, 0), (-90, 0)]
    assert_agrees(TSP([*poles, *next_to_a_kilometre()], "GEO"))


UP_TO_700 = tsp_names(largest=700)


@each_name(UP_TO_700)
def test_functors_on_instances(name):
    assert_agrees(tsp_instance(name))


ROOTS = """
struct Probe {{
  // Lengths from the square and an estimate of its root, right or nearly 1/2 off.
  static void run(const gls::Host&, int item, int total, const gls::int64* squares, int* roots) {{
    for (int i = item * total; i < (item + 1) * total; ++i) {{
      const auto square = {square}(squares[i]);
      for (int k = -1; k <= 1; ++k) {{
        const double root = gls::sqrt(double(square)), off = k * (0.499 - root / (1 << 23));
        const float near = float(gls::fmax(0.0, root + off));  // rounded, no more than 1/2 off
        roots[3 * i + k + 1] = gls::{functor}::root(square, near);
      }}
    }}
  }}
}};
"""
LARGEST_SQUARE = 2 * (2**15 - 1) ** 2  # on a fine grid
EXACT_ROOTS = {
    "Euc2D": lambda squares, floors: floors + (squares > floors * floors + floors),
    "Ceil2D": lambda squares, floors: floors + (squares > floors * floors),
}


def turning_points(roots: np.ndarray, most: int) -> np.ndarray:
    """Squares and the rounding points between them, with their neighbours, and random numbers."""
    near = [roots * roots + off for off in (-1, 0, 1)]
    near += [roots * roots + roots + off for off in (-1, 0, 1, 2)]
    others = np.random.default_rng(0).integers(0, most, 50_000, endpoint=True)
    squares = np.concatenate([*near, others, np.arange(10_000), most - np.arange(10_000)])
    return squares[(squares >= 0) & (squares <= most)]


@pytest.mark.parametrize("functor", EXACT_ROOTS)
@pytest.mark.parametrize("square", ["int", "gls::int64"])
def test_roots_of_integers_are_exact(functor, square):
    if square == "int":
        squares = turning_points(np.arange(46_341), LARGEST_SQUARE)
    else:
        squares = turning_points(np.random.default_rng(1).integers(0, 2**21, 50_000), 2**42 - 2**24)
    floors = np.array([math.isqrt(number) for number in squares.tolist()])
    roots = np.full((len(squares), 3), -1, np.int32)
    host_program.run(
        ROOTS.format(functor=functor, square=square),
        1,
        "int total, const gls::int64* squares, int* roots",
        {"total": len(squares), "squares": squares, "roots": roots},
    )
    assert (roots == EXACT_ROOTS[functor](squares, floors)[:, None]).all()


COMPOSED = """
struct Probe {{
  static void run(const gls::Host&, int item, const void* metric_data, int n, const void* sites,
                  float absolute, float relative, gls::int64* lengths) {{
    using Lengths = gls::Lengths<{metric}, {length}>;
    const Lengths length{{{metric}(metric_data, n), static_cast<const Lengths::City*>(sites),
                         {{absolute, relative}}}};
    for (int other = 0; other < n; ++other) {{
      lengths[gls::int64(item) * n + other] = other == item ? 0 : length(item, other);
    }}
  }}
}};
"""


def composed_lengths(problem: TSP) -> np.ndarray:
    """Lengths of all pairs as the moves of a search get them."""
    composed = CandidateMoves(get_backend("cpu"), problem, [TwoOpt()], Nearest(1))
    lengths = np.zeros((problem.n, problem.n), np.int64)
    host_program.run(
        COMPOSED.format(
            metric=metric_type(problem.metric, composed.moves.grid), length=composed.moves.length
        ),
        problem.n,
        "const void* metric_data, int n, const void* sites, float absolute, float relative, "
        "gls::int64* lengths",
        {
            "metric_data": composed.arguments["metric_data"],
            "n": problem.n,
            "sites": composed.arguments["sites"],
            "absolute": composed.arguments["error_absolute"],
            "relative": composed.arguments["error_relative"],
            "lengths": lengths,
        },
        header="tours/problem/lengths.cuh",
    )
    return lengths


@pytest.mark.parametrize("metric", ["EUC_2D", "CEIL_2D", "FLOOR_2D"])
@pytest.mark.parametrize(
    ("span", "grid"),
    [*((span, "fine") for span in (1, 3, 60, 2**15)), (2**15 + 1, "wide"), (1_480_000, "wide")],
)
def test_lengths_on_a_grid_are_the_referees(metric, span, grid):
    random = np.random.default_rng(span)
    top = span - 1
    corners = [(0, 0), (top, top), (0, top), (top, 0), (top // 2, 0), (0, top // 3)]
    points = np.concatenate([random.integers(0, span, (150, 2)), corners])
    for offset in (0, -(10**6), 10**9):
        problem = TSP(random.permutation(points) + offset, metric)
        assert grid_of(problem) == grid
        cities = np.arange(problem.n)
        expected = problem.distance(cities[:, None], cities[None, :])
        np.fill_diagonal(expected, 0)
        assert np.array_equal(composed_lengths(problem), expected)


@pytest.mark.parametrize("metric", [*INTEGER, "FLOOR_2D"])
@pytest.mark.parametrize("span", [5, 1000, 2**21, 2**25])
def test_composed_lengths_are_the_referees(metric, span):
    problem = random_problem(metric, 120, span=span)
    assert np.array_equal(composed_lengths(problem), oracles.distance_matrix(problem))


def test_which_problems_lie_on_a_grid():
    corners = np.array([(0, 0), (32_000, 32_000), (5, 7)])
    assert grid_of(TSP(corners, "EUC_2D")) == grid_of(TSP(corners - 10**9, "EUC_2D")) == "fine"
    assert grid_of(TSP(corners[:1], "EUC_2D")) == "fine"
    assert grid_of(TSP(corners * 2, "EUC_2D")) == "wide"
    assert grid_of(TSP(np.arange(2**17 + 2).reshape(-1, 2) % 9, "EUC_2D")) == "wide"  # many cities
    assert grid_of(TSP(corners + 0.5, "EUC_2D")) == ""
    assert grid_of(TSP(corners * 1000, "EUC_2D")) == ""
    assert grid_of(TSP.from_matrix(np.ones((3, 3), int))) == ""
    for metric in ("ATT", "MAN_2D", "MAX_2D", "EUC"):
        assert grid_of(TSP(corners, metric)) == ""
    assert grid_of(TSP(corners // 1000, "GEO")) == ""
