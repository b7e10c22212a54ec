"""The loop behind `gpu-ls solve`: rows keep the better tour, and every reason to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from gpu_ls_plugin.exceptions import (
    InvalidParameterError,
    InvalidTypeError,
    UnknownPartError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.problems.tsp import TSP
from gpu_ls_plugin.result import Result, Statistics
from gpu_ls_plugin.search_text import parse_search
from gpu_ls_plugin.solver import Run, Settings, default_search, solve

if TYPE_CHECKING:
    from gpu_ls_plugin.result import Progress

PROBLEM = TSP(np.random.default_rng(3).integers(0, 1000, (30, 2)))
RANDOM = np.random.default_rng(5)
LOPSIDED = TSP.from_matrix(RANDOM.integers(1, 1000, (40, 40)))
SETTINGS = Settings(seconds=0.3, population=6, backend="cpu")


def test_every_row_keeps_the_better_of_its_tours() -> None:
    tours = np.array([[0, 1, 2, 3], [1, 2, 3, 0], [2, 3, 0, 1]])
    run = Run(PROBLEM, SETTINGS, Result(tours, np.array([5, 7, 9])), None)
    other = tours[:, ::-1]
    run.keep_better(Result(other, np.array([5, 6, 10]), Statistics(moves=4, backend="cpu")))
    np.testing.assert_array_equal(run.best.tours, [tours[0], other[1], tours[2]])
    np.testing.assert_array_equal(run.best.costs, [5, 6, 9])
    assert run.statistics.moves == 4


def test_costs_are_exact_and_progress_never_gets_worse() -> None:
    seen: list[Progress] = []
    result = solve(PROBLEM, SETTINGS, seen.append)
    np.testing.assert_array_equal(PROBLEM.cost(result.tours), result.costs)
    for name in ("best_cost", "mean_cost"):
        values = [getattr(progress, name) for progress in seen]
        assert values == sorted(values, reverse=True)
    for name in ("elapsed", "moves", "evaluations"):
        values = [getattr(progress, name) for progress in seen]
        assert values == sorted(values)
    assert seen[-1].best_cost >= result.best_cost
    assert result.statistics.stopped_by == "seconds" and result.statistics.kicks >= 6


@pytest.mark.parametrize("text", ["two_opt/all/best", "or_opt/nearest(5)", "three_opt/best"])
def test_every_search_can_be_given(text: str) -> None:
    given = [
        solve(PROBLEM, Settings(seconds=0.2, population=6, backend="cpu", search=search, moves=4))
        for search in (text, parse_search(text))
    ]
    for result in given:
        np.testing.assert_array_equal(PROBLEM.cost(result.tours), result.costs)
        assert 0 < result.statistics.moves <= 4 * result.statistics.climbs


def test_asymmetric_lengths_are_searched_without_turning() -> None:
    assert default_search(PROBLEM) == parse_search("lin_kernighan")
    assert default_search(LOPSIDED) == parse_search("three_opt+or_opt")
    settings = Settings(seconds=0.3, population=6, backend="cpu", start="random_tours")
    start = solve(LOPSIDED, Settings(**vars(settings) | {"seconds": 0}))
    result = solve(LOPSIDED, settings)
    np.testing.assert_array_equal(LOPSIDED.cost(result.tours), result.costs)
    assert (result.costs < start.costs).all()
    assert result.statistics.kicks >= 6
    with pytest.raises(UnsupportedProblemError, match="reverses paths"):
        solve(LOPSIDED, Settings(seconds=0.3, backend="cpu", search="lin_kernighan/nearest"))


def test_the_target_stops_at_once() -> None:
    result = solve(PROBLEM, Settings(seconds=60, population=6, backend="cpu", target=1e9))
    assert result.statistics.stopped_by == "target" and result.statistics.kicks == 0


def test_ctrl_c_between_searches_returns_the_tours_so_far() -> None:
    calls = 0

    def interrupt(progress: Progress) -> None:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise KeyboardInterrupt

    result = solve(PROBLEM, Settings(seconds=60, population=6, backend="cpu"), interrupt)
    assert result.statistics.interrupted
    np.testing.assert_array_equal(PROBLEM.cost(result.tours), result.costs)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"population": 0}, "population: 0"),
        ({"seed": -1}, "seed: -1"),
        ({"seconds": -1.0}, r"seconds: -1\.0"),
        ({"target": float("nan")}, "target: nan"),
    ],
)
def test_bad_settings(settings: dict[str, float], reason: str) -> None:
    with pytest.raises(InvalidParameterError, match=reason):
        Settings(**settings)  # type: ignore[arg-type]


def test_what_is_no_search() -> None:
    with pytest.raises(InvalidTypeError, match="search: 3 is no search"):
        Settings(search=3)  # type: ignore[arg-type]
    with pytest.raises(UnknownPartError, match="did you mean 'lin_kernighan'"):
        Settings(search="lin_kernigan")
    with pytest.raises(InvalidParameterError, match="moves: -3"):
        Settings(moves=-3)


def test_an_unknown_start_names_those_that_exist() -> None:
    with pytest.raises(UnknownPartError, match="did you mean 'greedy'"):
        solve(PROBLEM, Settings(start="gredy", backend="cpu"))
