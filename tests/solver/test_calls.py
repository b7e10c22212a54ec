"""The call `solve`, and compiling ahead of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidTypeError
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver import solve as solve_by_settings
from gpu_ls_plugin.solver.plans import default_settings
from gpu_ls_plugin.tours.candidates.base import Candidates
from tests.helpers.late_kernels import LateKernels
from tests.helpers.random_problems import random_problem, random_tours

PROBLEM = random_problem("EUC_2D", 40)


def test_a_call_equals_its_settings() -> None:
    given: dict[str, Any] = {"seed": 3, "population": 5, "backend": "cpu", "kicks": 40}
    given |= {"start": "greedy", "search": "two_opt+or_opt/nearest(6)"}
    seen: list[gls.Progress] = []
    result = gls.solve(PROBLEM, math.inf, callback=seen.append, **given)
    same = solve_by_settings(PROBLEM, Settings(seconds=math.inf, **given))
    np.testing.assert_array_equal(result.tours, same.tours)
    np.testing.assert_array_equal(result.costs, PROBLEM.cost(result.tours))
    assert result.tours.shape == (5, 40) and seen
    # Complete settings give the same result.
    chosen = default_settings(PROBLEM, Settings(seconds=math.inf, **given))
    said = {name: value for name, value in vars(chosen).items() if name != "rows"}
    again = gls.solve(PROBLEM, **said)
    np.testing.assert_array_equal(again.tours, result.tours)


SEARCHES: dict[str, Any] = {
    "local": gls.LocalSearch(candidates=gls.Quadrant(5)),
    "exhaustive": gls.LocalSearch([gls.TwoOpt()], gls.All(), gls.Best()),
    "chains": gls.IteratedLocalSearch(restart_after=20, cooperation=gls.Migration(0.5)),
    "stepped chains": gls.IteratedLocalSearch(perturbation=gls.Restart(), kicks_per_city=0.2),
    "restarts": gls.RandomRestarts(climbs=50),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_after_preparing_nothing_is_compiled(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    search, kernels = SEARCHES[name], LateKernels(monkeypatch)
    problem = random_problem("EUC_2D", 40)
    size, tours = ({}, ()) if name == "restarts" else ({"size": 6}, (random_tours(40, 6),))
    search.prepare(problem, **size, backend="cpu")
    assert kernels.known
    kernels.prepared = True
    search(problem, *tours, backend="cpu")
    assert kernels.late == []


class Never(Candidates):
    """Candidates that must not be made."""

    def build(self, problem: gls.TSP) -> Any:
        raise AssertionError("candidates were made")


@pytest.mark.parametrize("kind", [gls.IteratedLocalSearch, gls.RandomRestarts])
def test_preparing_makes_no_candidates(kind: Any) -> None:
    local = gls.LocalSearch(candidates=Never())
    for search in (local, kind(local)):
        search.prepare(PROBLEM, 2, backend="cpu")


@pytest.mark.parametrize("search", [gls.LocalSearch(), gls.IteratedLocalSearch()])
def test_prepare_refuses_bad_arguments(search: Any) -> None:
    with pytest.raises(InvalidParameterError, match="size"):
        search.prepare(PROBLEM, 0, backend="cpu")
    with pytest.raises(InvalidTypeError, match="problem"):
        search.prepare("berlin52", backend="cpu")
    with pytest.raises(InvalidParameterError, match="size"):
        gls.RandomRestarts().prepare(PROBLEM, 0, backend="cpu")
