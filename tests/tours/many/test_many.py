"""Many instances at once: candidates, exact costs, optima of tiny ones, limits and bad input."""

from __future__ import annotations

import math
from itertools import permutations
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.exceptions import (
    GpuLsError,
    InsufficientMemoryError,
    InvalidParameterError,
    InvalidProblemError,
    InvalidTypeError,
    PrecisionWarning,
    UnsupportedProblemError,
)
from gpu_ls_plugin.tours.many import many_input, solve_many
from gpu_ls_plugin.tours.many.instances import Instances
from gpu_ls_plugin.tours.many.side_by_side import NARROW, NARROW_DEGREE, NEIGHBOURHOODS, moves_of
from tests.helpers.examples import examples
from tests.helpers.random_problems import COORDINATE, random_problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tests.helpers.clock import Clock

UNIFORM = np.random.default_rng(1).random((12, 30, 2))
QUICK: dict[str, Any] = {"seconds": math.inf, "kicks": 60, "backend": "cpu"}


def problem_of(points: NDArray[Any], metric: str = "EUC") -> gls.TSP:
    return gls.TSP(points, metric)


def check(problems: list[gls.TSP], result: gls.ManyResult) -> None:
    """Check that row r is a tour of problem r with its exact cost."""
    assert len(result.tours) == len(result.costs) == len(problems)
    for problem, tour, cost in zip(problems, result.tours, result.costs, strict=True):
        assert sorted(tour.tolist()) == list(range(problem.n))
        assert tour.dtype == np.int32
        assert problem.cost(tour)[0] == cost


def enough(kicks: int) -> Any:
    """Return a callback that ends a search, as Ctrl-C does, after some kicks."""

    def call(progress: gls.Progress) -> None:
        if progress.kicks >= kicks:
            raise KeyboardInterrupt

    return call


def optimum(problem: gls.TSP) -> float:
    """The length of the shortest tour, by enumeration."""
    rest = np.array(list(permutations(range(1, problem.n))), np.int32).reshape(-1, problem.n - 1)
    tours = np.concatenate([np.zeros((len(rest), 1), np.int32), rest], axis=1)
    return float(problem.cost(tours).min())


def mixed() -> list[gls.TSP]:
    """Problems of all metrics and many sizes, in no order."""
    random = np.random.default_rng(4)
    sizes = [9, 200, 8, 31, 30, 3, 64, 12, 1, 100, 2, 90, 7, 5]
    return [
        random_problem(COORDINATE[k % len(COORDINATE)], n, seed=int(random.integers(99)))
        for k, n in enumerate(sizes)
    ]


# Results


def test_an_array_of_instances() -> None:
    result = gls.solve_many(UNIFORM, **QUICK)
    assert result.tours.shape == (12, 30) and result.costs.dtype == np.float64
    check([problem_of(points) for points in UNIFORM], result)
    statistics = result.statistics
    assert statistics.stopped_by == "kicks" and statistics.kicks == 12 * 60
    assert statistics.moves > 0 and statistics.evaluations > 0 and statistics.launches > 0
    assert statistics.history[-1].best_cost == result.costs.sum()
    start = statistics.history[0].best_cost
    assert result.costs.sum() < start


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::gpu_ls_plugin.core.exceptions.PrecisionWarning")
def test_problems_of_all_sizes_and_metrics() -> None:
    problems = mixed()
    result = gls.solve_many(problems, **QUICK)
    assert isinstance(result.tours, list) and result.costs.dtype == np.float64
    check(problems, result)


@pytest.mark.slow
@examples(25)
@given(st.integers(1, 9), st.sampled_from(COORDINATE), st.integers(0, 10_000))
@pytest.mark.filterwarnings("ignore::gpu_ls_plugin.core.exceptions.PrecisionWarning")
def test_small_instances_get_the_shortest_tour(n: int, metric: str, seed: int) -> None:
    problems = [random_problem(metric, n, seed + k) for k in range(3)]
    result = gls.solve_many(problems, **QUICK | {"kicks": 200})
    check(problems, result)
    expected = [optimum(problem) if n > 1 else 0 for problem in problems]
    np.testing.assert_allclose(result.costs, expected, rtol=1e-12)


def test_cities_at_one_place_and_on_a_line() -> None:
    line = np.stack([np.arange(20.0), np.zeros(20)], axis=1)
    result = gls.solve_many([np.zeros((20, 2)), line, np.zeros((2, 2))], **QUICK)
    np.testing.assert_allclose(result.costs, [0, 38, 0])


def test_the_same_seed_finds_the_same() -> None:
    one, two, other = (
        gls.solve_many(UNIFORM, **QUICK | {"kicks": 5, "seed": seed}) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one.tours, two.tours)
    assert (one.tours != other.tours).any()


def test_replicas_are_chains_of_their_own() -> None:
    points = np.random.default_rng(7).random((1, 200, 2))
    results = [gls.solve_many(points, replicas=r, **QUICK | {"kicks": 20}) for r in (1, 40)]
    assert results[1].statistics.kicks == 40 * results[0].statistics.kicks
    assert results[1].costs[0] < results[0].costs[0]
    check([problem_of(points[0])], results[1])


def test_large_instances_are_solved_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve_many, "LARGEST", 25)
    problems = [random_problem("EUC_2D", n, span=1000) for n in (40, 20, 30)]
    result = gls.solve_many(problems, **QUICK)
    check(problems, result)
    assert result.costs.dtype == np.int64  # all metrics are integer
    assert result.statistics.stopped_by == "kicks"


# Candidates


@pytest.mark.parametrize("metric", COORDINATE)
@pytest.mark.parametrize(("span", "degree"), [(7, 8), (60, 8), (100_000, 8), (60, NARROW_DEGREE)])
@pytest.mark.filterwarnings("ignore::gpu_ls_plugin.core.exceptions.PrecisionWarning")
def test_candidates_are_those_of_each_instance(metric: str, span: int, degree: int) -> None:
    """The lists are those of `Quadrant` on each instance."""
    backend = get_backend("cpu")
    problems = [random_problem(metric, n, span=span) for n in (9, 20, 33, 40)]
    (group,) = many_input.instances_of(problems)
    composed = group.composed(backend, NEIGHBOURHOODS, degree)
    cut = group.parts(backend, composed, np.arange(4), math.inf)
    assert cut is not None
    for part, problem in enumerate(problems):
        lists = gls.Quadrant(degree).of(problem)
        np.testing.assert_array_equal(cut.near[part, : problem.n], lists.cities)
        np.testing.assert_array_equal(cut.near_lengths[part, : problem.n], lists.lengths)
        names = cut.names[part, : problem.n]
        np.testing.assert_array_equal(group.points[names], problem.coordinates)


def test_short_lists_repeat_their_last_candidate() -> None:
    backend = get_backend("cpu")
    (group,) = many_input.instances_of(many_input.read([UNIFORM[0][:8], UNIFORM[1][:12]]))
    composed = group.composed(backend, NEIGHBOURHOODS)
    cut = group.parts(backend, composed, np.arange(2), math.inf)
    assert cut is not None
    near = cut.near[0, :8]
    assert (near[:, 6] == near[:, 7]).all()
    assert (np.sort(near[:, :7], axis=1) != np.arange(8)[:, None]).all()
    assert all(len(set(row)) == 7 for row in near.tolist())


def moves_of_call(monkeypatch: pytest.MonkeyPatch, **options: Any) -> tuple[Any, Any]:
    """The neighbourhoods and the number of candidates of a call on a CPU."""
    seen: list[Any] = []
    composed = Instances.composed
    monkeypatch.setattr(
        Instances, "composed", lambda *given: seen.append(given[2:]) or composed(*given)
    )
    gls.solve_many(UNIFORM, backend="cpu", **options)
    (moves,) = seen
    neighbourhoods, degree = moves
    return neighbourhoods, degree


def test_a_number_of_kicks_is_the_same_search_on_every_backend(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device: Any = SimpleNamespace(name="cuda")
    assert moves_of_call(monkeypatch, kicks=1) == moves_of(device, 1) == moves_of(device, None)


def test_a_cpu_with_a_time_limit_tries_fewer_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    assert moves_of_call(monkeypatch, seconds=0.0) == (NARROW, NARROW_DEGREE)


# Limits


@pytest.mark.parametrize("seconds", [0.0, 2.0])
def test_seconds_are_kept(seconds: float, clock: Clock) -> None:
    points = np.random.default_rng(2).random((40, 120, 2))
    gls.solve_many(points, 0.1, backend="cpu")  # compiles
    before = clock.launches
    result = gls.solve_many(points, seconds, backend="cpu")
    assert clock.launches - before <= clock.most_launches(seconds)
    assert result.statistics.stopped_by == "seconds"
    check([problem_of(own) for own in points], result)


def test_ctrl_c_returns_the_tours_found_so_far() -> None:
    def press(progress: gls.Progress) -> None:
        if progress.kicks > 0:
            raise KeyboardInterrupt

    problems = mixed()[:4]
    result = gls.solve_many(problems, **QUICK | {"kicks": 10**6}, callback=press)
    assert result.statistics.interrupted
    check(problems, result)


def test_progress_is_about_all_instances() -> None:
    seen: list[gls.Progress] = []
    problems = [random_problem("EUC", n) for n in (5, 20, 80)]
    result = gls.solve_many(problems, callback=seen.append, **QUICK)
    assert [p.done for p in seen] == sorted(p.done for p in seen)
    assert seen[0].done == 1 and seen[-1].total == 3
    assert seen[-1].best_cost == pytest.approx(result.costs.sum())
    assert seen[-1].mean_cost == pytest.approx(result.costs.mean())
    costs = [p.best_cost for p in seen]
    assert costs == sorted(costs, reverse=True)


def test_batches_that_do_not_fit_together_share_the_time() -> None:
    points = np.random.default_rng(2).random((40, 50, 2))
    limit = 8 * points.size + 10 * solve_many.bytes_per_instance(50)
    seen: list[int] = []
    result = gls.solve_many(
        points, memory_limit=limit, callback=lambda p: seen.append(p.done), **QUICK
    )
    assert sorted(set(seen)) == [0, 10, 20, 30]
    check([problem_of(own) for own in points], result)
    with pytest.raises(InsufficientMemoryError):
        gls.solve_many(points, memory_limit=1000, **QUICK)


# Bad input

NAN = UNIFORM.copy()
NAN[3, 7, 1] = math.nan
MATRIX = gls.TSP.from_matrix(np.ones((4, 4)))
ONE = gls.TSP(UNIFORM[0])


@pytest.mark.parametrize(
    ("problems", "options", "error", "text"),
    [
        ([], {}, InvalidProblemError, "problems: the list is empty"),
        (np.empty((0, 5, 2)), {}, InvalidProblemError, r"shape \(0, 5, 2\)"),
        (np.empty((3, 0, 2)), {}, InvalidProblemError, r"shape \(3, 0, 2\)"),
        (np.ones((3, 2)), {}, InvalidProblemError, r"shape \(3, 2\)"),
        (np.ones((3, 5, 3)), {}, InvalidProblemError, r"shape \(3, 5, 3\)"),
        (np.full((3, 5, 2), "a"), {}, InvalidTypeError, "numbers"),
        (NAN, {}, InvalidProblemError, r"row 3: coordinates: entry \(7, 1\) is nan"),
        (list(NAN), {}, InvalidProblemError, r"row 3: coordinates: entry \(7, 1\) is nan"),
        ([UNIFORM[0], np.ones((3, 3))], {}, InvalidProblemError, "row 1: .*shape"),
        ([ONE, UNIFORM[0]], {}, InvalidTypeError, "row 1"),
        ([UNIFORM[0], ONE], {}, InvalidTypeError, "row 1 is a TSP"),
        ([ONE, MATRIX], {}, UnsupportedProblemError, "row 1 is a matrix"),
        ([ONE], {"metric": "EUC"}, InvalidParameterError, "metric"),
        (UNIFORM, {"metric": "EXPLICIT"}, InvalidParameterError, "metric"),
        (UNIFORM * [[[1e10]]], {"metric": "EUC_2D"}, InvalidProblemError, "row 0: .*overflow"),
        (ONE, {}, InvalidTypeError, "problems"),
        ("berlin52", {}, InvalidTypeError, "problems"),
        (UNIFORM, {"seconds": -1}, InvalidParameterError, "seconds"),
        (UNIFORM, {"seconds": None}, InvalidTypeError, "seconds"),
        (UNIFORM, {"kicks": -1}, InvalidParameterError, "kicks"),
        (UNIFORM, {"replicas": 0}, InvalidParameterError, "replicas"),
        (UNIFORM, {"backend": "tpu"}, InvalidParameterError, "backend"),
        (UNIFORM, {"seed": -1}, InvalidParameterError, "seed"),
        (UNIFORM, {"callback": 3}, InvalidTypeError, "callback"),
    ],
)
def test_bad_input_is_named(
    problems: Any, options: dict[str, Any], error: type[GpuLsError], text: str
) -> None:
    with pytest.raises(error, match=text):
        gls.solve_many(problems, **QUICK | options)


def test_instances_far_from_each_other_are_no_error() -> None:
    points = np.random.default_rng(3).integers(0, 1000, (3, 20, 2)).astype(float)
    points[1] += 2.0**32
    result = gls.solve_many(points, metric="EUC_2D", **QUICK)
    check([problem_of(own, "EUC_2D") for own in points], result)


def test_rounded_lengths_of_a_unit_square_warn() -> None:
    with pytest.warns(PrecisionWarning, match="row 0") as caught:
        gls.solve_many(UNIFORM, metric="EUC_2D", **QUICK)
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("replicas", [1, 3])
def test_chains_with_own_lengths_find_short_tours(monkeypatch, replicas):
    problems = [problem_of(points) for points in np.random.default_rng(1).random((6, 8, 2))]
    made = Mock(wraps=solve_many.OwnSideBySide)
    monkeypatch.setattr(solve_many, "OwnSideBySide", made)
    found = gls.solve_many(problems, 10.0, replicas=replicas, backend="cpu", callback=enough(200))
    made.assert_called_once()
    check(problems, found)
    assert found.costs.tolist() == pytest.approx([optimum(problem) for problem in problems])
