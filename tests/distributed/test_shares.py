"""Many problems on a cluster of two workers in this process."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core import upper_layers
from gpu_ls_plugin.core.exceptions import (
    ClusterError,
    InfeasibleWarning,
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.distributed import many, tasks
from tests.helpers.bin_packing import BinPacking
from tests.helpers.random_problems import random_problem
from tests.helpers.routing import random_cvrp

KICKS: dict[str, Any] = {"seconds": math.inf, "kicks": 20, "backend": "cpu"}
SHOPS = [gls.FlowShop(np.random.default_rng(k).integers(1, 50, (8, 4))) for k in range(3)]
MIXED = [SHOPS[0], random_problem("EUC_2D", 20), random_cvrp("capacity", 8), *SHOPS[1:]]


@pytest.fixture
def shared(client: Any) -> gls.Islands:
    return gls.Islands(client=client)


def test_workers_share_problems_of_any_domain(shared: gls.Islands) -> None:
    found, here = shared.solve_many(MIXED, **KICKS), gls.solve_many(MIXED, **KICKS)
    assert [result.problem for result in found] == MIXED
    for problem, row, cost in zip(MIXED, found.tours, found.costs, strict=True):
        assert problem.cost(problem.check(row))[0] == cost
    for k in (0, 2, 3, 4):  # the random numbers of a problem depend on its place in the list
        np.testing.assert_array_equal(found.tours[k], here.tours[k])
    assert found.feasible.all() and found.statistics.kicks == here.statistics.kicks
    assert found.statistics.stopped_by == "kicks"
    assert found.statistics.history[-1].best_cost == found.costs.sum()
    assert found[3].statistics.kicks == here[3].statistics.kicks


def test_coordinates_are_split_as_they_are(shared: gls.Islands) -> None:
    points = np.random.default_rng(2).random((7, 12, 2))
    found = shared.solve_many(points, **KICKS, metric="EUC")
    assert found.tours.shape == (7, 12)
    for own, tour, cost in zip(points, found.tours, found.costs, strict=True):
        assert gls.TSP(own).cost(tour)[0] == cost
    (alone,) = shared.solve_many(points[:1], **KICKS)
    np.testing.assert_array_equal(alone.problem.coordinates, points[0])


def test_each_problem_keeps_its_starts(shared: gls.Islands) -> None:
    good = gls.solve_many(MIXED, **KICKS | {"kicks": 200})
    starts = [*good.tours[:3], None, good.tours[4]]
    found = shared.solve_many(MIXED, **KICKS | {"kicks": 0}, start=starts)
    assert (found.costs <= good.costs)[[0, 1, 2, 4]].all()


def test_ctrl_c_returns_what_all_workers_have_found(
    shared: gls.Islands, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait, pressed = many.wait_for, []

    def press(futures: Any) -> None:
        if not pressed:
            pressed.append(1)
            raise KeyboardInterrupt
        wait(futures)

    monkeypatch.setattr(many, "wait_for", press)
    found = shared.solve_many(MIXED, math.inf, kicks=10**8, backend="cpu")
    assert found.statistics.interrupted
    for problem, row, cost in zip(MIXED, found.tours, found.costs, strict=True):
        assert problem.cost(problem.check(row))[0] == cost


def test_an_error_of_a_worker_names_the_row(
    shared: gls.Islands, monkeypatch: pytest.MonkeyPatch
) -> None:
    def search(problem: Any, settings: Any, *callback: Any) -> Any:
        if settings.seed == 1 + 4:
            raise UnsupportedProblemError("problem: no")
        return solve(problem, settings, *callback)

    solve = upper_layers.solve
    monkeypatch.setattr(upper_layers, "solve", search)
    with pytest.raises(UnsupportedProblemError, match="problems: row 4: problem: no"):
        shared.solve_many(MIXED, **KICKS)


def lose(packed: bytes, run: str) -> Any:
    raise ConnectionError("gone")


def test_lost_workers_are_told(shared: gls.Islands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "solve_share", lose)
    with pytest.raises(ClusterError, match="the workers of a share are lost"):
        shared.solve_many(SHOPS, **KICKS)


def test_infeasible_rows_warn_the_caller(shared: gls.Islands) -> None:
    tight = BinPacking([3, 4, 5, 6], 2, 7)
    with pytest.warns(InfeasibleWarning, match="of problem 1") as caught:
        found = shared.solve_many([SHOPS[0], tight], **KICKS)
    assert found.feasible.tolist() == [True, False]
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize(
    ("problems", "start", "error", "text"),
    [
        ([], None, InvalidProblemError, "empty"),
        (SHOPS, [None], InvalidTourError, "start: rows for 1"),
        (SHOPS, [None, None, [0] * 8], InvalidTourError, r"start\[2\]"),
        ([*SHOPS, gls.TSP.from_matrix(np.eye(3))], None, UnsupportedProblemError, "row 3 is a mat"),
    ],
)
def test_bad_input_is_named_before_workers_begin(
    problems: Any, start: Any, error: Any, text: str
) -> None:
    with pytest.raises(error, match=text):
        gls.Islands(client="tcp://nowhere:1").solve_many(problems, **KICKS, start=start)


@pytest.mark.parametrize("given", [{"search": "or_opt"}, {"checkpoint": "run.json"}])
def test_parts_for_single_problems_are_refused(given: Any, client: Any) -> None:
    with pytest.raises(InvalidParameterError, match=next(iter(given))):
        gls.Islands(client=client, **given).solve_many(SHOPS, **KICKS)
