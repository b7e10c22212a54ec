"""The C++ functors against the referee, pair by pair, and their estimates against the slack."""

from __future__ import annotations

import numpy as np
import pytest

from gpu_ls_plugin.problems.tsp import TSP
from tests import host_program
from tests.instances import each_name, tsp_instance, tsp_names
from tests.random_problems import COORDINATE, METRICS, random_problem

ALL_PAIRS = """
struct Probe {{
  using Metric = {functor};
  // Lengths and estimates from city `item` to every city.
  static void run(const gls::Host&, int item, const void* metric_data, int n, void* lengths,
                  float* estimates) {{
    const Metric metric(metric_data, n);
    auto* row = static_cast<Metric::Length*>(lengths) + gls::int64(item) * n;
    const gls::Point own = metric.point(item);
    for (int other = 0; other < n; ++other) {{
      if (other == item) continue;
      row[other] = metric(item, other);
      estimates[gls::int64(item) * n + other] = metric.estimate(own, metric.point(other));
    }}
  }}
}};
"""


def evaluate(problem: TSP) -> tuple[np.ndarray, np.ndarray]:
    """Lengths and estimates of all pairs by the functor, with zero diagonals."""
    lengths = np.zeros((problem.n, problem.n), problem.cost_dtype)
    estimates = np.zeros((problem.n, problem.n), np.float32)
    host_program.run(
        ALL_PAIRS.format(functor=problem.metric.functor),
        problem.n,
        "const void* metric_data, int n, void* lengths, float* estimates",
        {
            "metric_data": problem.metric.data(problem),
            "n": problem.n,
            "lengths": lengths,
            "estimates": estimates,
        },
    )
    return lengths, estimates


def assert_agrees(problem: TSP) -> None:
    """The functor returns the referee's bits; no estimate is further off than the slack."""
    lengths, estimates = evaluate(problem)
    cities = np.arange(problem.n)
    expected = problem.distance(cities[:, None], cities[None, :])
    np.fill_diagonal(expected, 0)
    assert np.array_equal(lengths, expected)
    error = np.abs(estimates.astype(np.float64) - expected)
    assert error.max() <= problem.metric.slack(problem)


def test_the_check_notices_a_wrong_length(monkeypatch):
    problem = random_problem("EUC_2D", 9)
    monkeypatch.setattr("gpu_ls_plugin.problems.metrics.Euc2D.functor", "gls::Ceil2D")
    with pytest.raises(AssertionError):
        assert_agrees(problem)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("n", "span"), [(2, 60), (150, 5), (150, 60), (1, 60)])
def test_functors_return_the_referees_lengths(metric, n, span):
    assert_agrees(random_problem(metric, n, span=span))


@pytest.mark.parametrize("scale", [1e-30, 1e-6, 1.0, 1e4])
@pytest.mark.parametrize("metric", [name for name in COORDINATE if name != "GEO"])
def test_functors_at_every_scale_and_offset(metric, scale):
    random = np.random.default_rng(7)
    for offset in (0.0, -1e5):
        assert_agrees(TSP((random.random((150, 2)) * 1000 + offset) * scale, metric))


@pytest.mark.parametrize("metric", ["EUC_2D", "CEIL_2D", "ATT"])
def test_lengths_that_hit_the_rounding_point(metric):
    # Multiples of Pythagorean triples halved: many lengths end in exactly .0 or .5.
    places = [(3 * k / 2, 4 * k / 2) for k in range(40)] + [(k / 2, 0) for k in range(1, 40)]
    assert_agrees(TSP(places, metric))


def test_functors_with_the_largest_lengths():
    random = np.random.default_rng(5)
    assert_agrees(TSP(random.integers(0, 1_518_500_249, (100, 2))))
    assert_agrees(TSP(random.random((100, 2)) * 2.0**61, "EUC"))
    assert_agrees(TSP.from_matrix(random.integers(0, 2**31 - 1, (60, 60))))
    assert_agrees(TSP.from_matrix(random.random((60, 60)) * 2.0**61))


def test_geo_functor_on_the_whole_globe():
    random = np.random.default_rng(3)
    degrees = random.integers((-90, -180), (91, 181), (200, 2))
    minutes = random.integers(0, 60, (200, 2)) / 100
    inside = np.clip(degrees + np.sign(degrees) * minutes, (-90, -180), (90, 180))
    assert_agrees(TSP(np.concatenate([inside, -inside, inside[:20]]), "GEO"))


UP_TO_700 = tsp_names(largest=700)


@each_name(UP_TO_700)
def test_functors_on_instances(name):
    assert_agrees(tsp_instance(name))
