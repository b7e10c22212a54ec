"""The loop behind `gpu-ls solve`: rows keep the better tour, and every reason to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from gpu_ls_plugin.exceptions import InvalidParameterError, UnknownPartError
from gpu_ls_plugin.problems.tsp import TSP
from gpu_ls_plugin.result import Result, Statistics
from gpu_ls_plugin.solver import Run, Settings, solve

if TYPE_CHECKING:
    from gpu_ls_plugin.result import Progress

PROBLEM = TSP(np.random.default_rng(3).integers(0, 1000, (30, 2)))
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


def test_an_unknown_start_names_those_that_exist() -> None:
    with pytest.raises(UnknownPartError, match="did you mean 'greedy'"):
        solve(PROBLEM, Settings(start="gredy", backend="cpu"))
