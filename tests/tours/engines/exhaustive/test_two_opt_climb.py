"""The exhaustive 2-opt climb against a climb by brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.tours.engines.exhaustive.two_opt_climb import LEAST_ON_CPU, TwoOptClimb
from tests.helpers import oracles
from tests.helpers.configurations import two_opt_climb
from tests.helpers.examples import examples
from tests.helpers.instances import tsp_instance, tsp_names
from tests.helpers.marks import diagonal, slow_after
from tests.helpers.random_problems import METRICS, random_problem, random_tours


def assert_same_climb(
    problem: gls.TSP, starts: np.ndarray, most: int = 1, max_moves: int | None = None
) -> None:
    """Tours, costs and passes are those of the climb by brute force; `most`: moves of a pass."""
    budget = gls.Budget(moves=max_moves)
    result = two_opt_climb(most)(problem, starts, budget=budget, backend="cpu")
    d = oracles.distance_matrix(problem)
    expected = [oracles.climb(d.tolist(), start, most, max_moves) for start in starts.tolist()]
    assert result.tours.tolist() == [tour for tour, _ in expected]
    assert result.costs.tolist() == problem.cost(result.tours).tolist()
    assert result.statistics.passes == sum(passes for _, passes in expected)
    if max_moves is None:
        assert not any(oracles.has_improving_two_opt_move(d, tour) for tour in result.tours)


@pytest.mark.slow
@examples(240)
@given(
    st.integers(4, 40),
    st.sampled_from([2, 3, 9, 60, 5000]),
    st.integers(0, 10**6),
    st.sampled_from([1, 1, 2, 5, 32]),
    st.sampled_from([None, None, 0, 1, 7]),
    st.sampled_from(METRICS),
)
def test_climbs_are_those_of_brute_force(n, span, seed, most, max_moves, metric):
    problem = random_problem(metric, n, seed, span)
    assert_same_climb(problem, random_tours(n, 3, seed), most, max_moves)


@pytest.mark.parametrize("metric", METRICS)
def test_climbs_from_every_construction(metric):
    problem = random_problem(metric, 50, 1, span=30)
    starts = [gls.random_tours, gls.nearest_neighbour, gls.greedy]
    if problem.coordinates is not None:
        starts.append(gls.space_filling_curve)
    tours = np.concatenate([make(problem, 2, seed=3, backend="cpu") for make in starts])
    assert_same_climb(problem, tours)


def test_long_lists_of_moves_are_those_of_brute_force():
    # More improving moves than the climb keeps listed, many of them equal.
    for span in (3, 12, 1000):
        problem = random_problem("EUC_2D", 90, span=span)
        assert_same_climb(problem, random_tours(90, 1))


def test_several_moves_per_pass_save_passes():
    problem = tsp_instance("kroA100")
    starts = random_tours(100, 10)
    one, many = (two_opt_climb(most)(problem, starts, backend="cpu").statistics for most in (1, 8))
    assert one.passes == one.moves + 10
    assert many.passes < one.passes / 2
    assert many.moves > many.passes


def assert_optimal(name: str, construct: str, most: int) -> None:
    problem = tsp_instance(name)
    starts = getattr(gls, construct)(problem, 2, seed=5, backend="cpu")
    result = two_opt_climb(most)(problem, starts, backend="cpu")
    d = oracles.distance_matrix(problem)
    assert result.costs.tolist() == [oracles.tour_length(d, t) for t in result.tours.tolist()]
    assert (result.costs <= problem.cost(starts)).all()
    assert not any(oracles.has_improving_two_opt_move(d, tour) for tour in result.tours)


@pytest.mark.parametrize(
    ("name", "construct"),
    [
        *diagonal(
            tsp_names(smallest=4, largest=600) or ["absent"],
            ["random_tours", "nearest_neighbour", "greedy"],
        ),
        *slow_after(0, ((name, "greedy") for name in tsp_names(smallest=601, largest=1000))),
    ],
)
def test_no_move_improves_the_result_on_any_instance(name, construct):
    for most in (1, 8):
        assert_optimal(name, construct, most)


def test_brute_force_notices_one_move_too_few():
    d = oracles.distance_matrix(random_problem("EUC_2D", 30, span=500))
    start = random_tours(30, 1)[0].tolist()
    end, passes = oracles.climb(d.tolist(), start)
    before, _ = oracles.climb(d.tolist(), start, max_moves=passes - 2)
    assert before != end
    assert oracles.has_improving_two_opt_move(d, before)
    assert not oracles.has_improving_two_opt_move(d, end)


def test_optimal_tours_stay_as_they_are():
    problem = random_problem("EUC_2D", 30)
    once = two_opt_climb()(problem, random_tours(30, 5), backend="cpu")
    twice = two_opt_climb()(problem, once.tours, backend="cpu")
    assert np.array_equal(twice.tours, once.tours)
    assert twice.statistics.moves == 0
    assert twice.statistics.passes == 5


def test_rounding_never_makes_a_real_cost_grow():
    # One move gains next to nothing and turns half of the tour round: its huge lengths are then
    # added up in another order, and the sum may grow.
    n, moves = 44, 0
    cities = np.arange(n)
    for seed in range(40):
        random = np.random.default_rng(seed)
        matrix = np.full((n, n), 1e8)
        matrix[cities, (cities + 1) % n] = random.uniform(1e6, 2e6, n)
        matrix[[0, 21, 0, 1], [1, 22, 21, 22]] = random.uniform(1e-10, 2e-10, 4)
        problem = gls.TSP.from_matrix(np.minimum(matrix, matrix.T))
        result = two_opt_climb()(problem, cities, backend="cpu")
        assert (result.costs <= problem.cost(cities)).all()
        assert np.array_equal(result.costs, problem.cost(result.tours))
        moves += result.statistics.moves
    assert moves > 10


def test_a_launch_on_a_cpu_makes_many_passes():
    """Each launch begins with a scan of all edges, so few passes at a time would take longer."""
    problem, backend = random_problem("EUC_2D", 300, 1), get_backend("cpu")
    engine = TwoOptClimb(backend, problem, random_tours(300, 4, 1), 1, 10**6)
    engine.launch(1, math.inf)
    np.testing.assert_array_equal(engine.pass_counts, LEAST_ON_CPU)
