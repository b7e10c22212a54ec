"""Many routing problems through `gls.solve_many`, and action sequences through `gls.improve`."""

from __future__ import annotations

import math
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import (
    InvalidProblemError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.routes.many import solving
from tests.helpers.many_routes import least_cost, problems_of
from tests.routes.many.test_actions import cost_of, random_actions

COUNT, CUSTOMERS = 5, 30
KICKS: dict[str, Any] = {"seconds": math.inf, "kicks": 60, "backend": "cpu"}


@pytest.fixture
def together(monkeypatch):
    """The calls of the search side by side."""
    used = Mock(wraps=solving.solve_side_by_side)
    monkeypatch.setattr(solving, "solve_side_by_side", used)
    return used


def judged(problems, found):
    for problem, result in zip(problems, found, strict=True):
        assert problem.feasible(result.tours).all()
        assert result.costs == problem.cost(result.tours)


def test_plain_problems_are_searched_side_by_side(together):
    problems = problems_of(COUNT, CUSTOMERS)
    found = gls.solve_many(problems, **KICKS)
    judged(problems, found)
    assert found.costs.tolist() == gls.solve_many(problems, **KICKS).costs.tolist()
    assert len(together.call_args.args[0]) == COUNT
    assert found.statistics.kicks == 60 * COUNT


def test_other_problems_follow_their_own_plans(together):
    plain = problems_of(COUNT, 8)
    limited = [gls.CVRP(p.nodes.coordinates, p.demands, p.capacity, route_limit=1e9) for p in plain]
    mixed = [*plain[:3], *limited[:2], *plain[3:]]
    found = gls.solve_many(mixed, **KICKS)
    judged(mixed, found)
    assert len(together.call_args.args[0]) == COUNT
    assert found[3].costs == found[0].costs


def test_starts_are_never_worse(together):
    problems = problems_of(COUNT, CUSTOMERS)
    starts = [gls.savings(problem, 1)[0] for problem in problems]
    found = gls.solve_many(problems, **KICKS | {"kicks": 1}, start=starts)
    judged(problems, found)
    costs = [problem.cost(start)[0] for problem, start in zip(problems, starts, strict=True)]
    assert (found.costs <= costs).all()
    assert together.call_args.kwargs["starts"] is not None


def test_a_cpu_with_much_time_solves_one_by_one(together):
    problems = problems_of(2, 5)
    found = gls.solve_many(problems, 100.0, backend="cpu")
    assert not together.called
    assert found.costs.tolist() == [least_cost(problem) for problem in problems]


def arrays(problems, dtype="int64") -> Any:
    places = np.stack([problem.nodes.coordinates for problem in problems])
    demands = np.stack([problem.demands for problem in problems]).astype(dtype)
    return places, {"demands": demands, "capacity": np.array([p.capacity for p in problems])}


@pytest.mark.parametrize("kicks", [None, 20])
def test_actions_are_improved(kicks):
    problems = problems_of(COUNT, CUSTOMERS, metric="EUC")
    rows = random_actions(problems, 2, 3 * CUSTOMERS).reshape(COUNT, 2, -1).astype("int64")
    places, loads = arrays(problems)
    found = gls.improve(places, rows, kicks=kicks, **loads)
    assert found.rows.dtype == rows.dtype and found.rows.shape == rows.shape and found.valid.all()
    for own, before, after, costs in zip(problems, rows, found.rows, found.costs, strict=True):
        for row in range(2):
            assert costs[row] == pytest.approx(cost_of(own, after[row]))
            assert costs[row] < cost_of(own, before[row])


def test_invalid_actions_come_back_unchanged():
    problems = problems_of(COUNT, CUSTOMERS)
    rows = random_actions(problems, 1, 3 * CUSTOMERS).astype("int64")
    places, loads = arrays(problems)
    rows[0, :3] += 2**32  # must not wrap around to the customers that they were
    rows[1, 5] = -1
    loads["capacity"][2] = 1
    places[3, 0, 0] = np.nan
    found = gls.improve(places, rows, kicks=3, **loads)
    assert found.valid.tolist() == [False, False, False, False, True]
    assert (found.rows[:4] == rows[:4]).all()
    assert np.isnan(found.costs[:4]).all()


PROBLEMS = problems_of(3, 6)
PLACES, LOADS = arrays(PROBLEMS)
ROWS = random_actions(PROBLEMS, 1, 12)
BAD: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "real demands": ({"demands": LOADS["demands"] / 2}, InvalidTypeError, "demands: float64"),
    "real capacity": ({"capacity": 2.5}, InvalidTypeError, "capacity: float64"),
    "other demands": (
        {"demands": LOADS["demands"][:, :3]},
        *(InvalidProblemError, r"not \(3, 7\)"),
    ),
    "other capacities": ({"capacity": LOADS["capacity"][:2]}, InvalidProblemError, r"not \(3,\)"),
    "a search": ({"search": gls.LocalSearch()}, UnsupportedProblemError, "leave the parameter out"),
    "narrow rows": ({"rows": ROWS[:, :5]}, InvalidProblemError, "no room for 6 customers"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(case):
    options, error, words = BAD[case]
    given = {"rows": ROWS, **LOADS, **options}
    with pytest.raises(error, match=words):
        gls.improve(PLACES, **given)
