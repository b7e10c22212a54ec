"""`gls.plan` describes what `solve` does."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.cli.commands import main
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver.plans import plan_of, plan_of_generations
from tests.helpers.random_problems import random_problem
from tests.helpers.routing import random_cvrp

CPU: dict[str, Any] = {"backend": "cpu"}
CITIES, FEW = random_problem("EUC_2D", 400), random_problem("EUC_2D", 6)
MATRIX = gls.TSP.from_matrix(np.random.default_rng(1).integers(1, 99, (150, 150)))
COLOURS = gls.GraphColouring.random(60, 0.5, 8, seed=1)
STAGES: dict[str, tuple[gls.Problem, float, dict[str, Any], list[str]]] = {
    "tours": (CITIES, 5.0, {}, ["one good tour", "tours"]),
    "no time": (CITIES, 0.001, {}, ["one good tour"]),
    "matrix": (
        gls.TSP.from_matrix(MATRIX.matrix + MATRIX.matrix.T),
        0.02,
        {},
        ["first tour", "tours"],
    ),
    "asymmetric": (MATRIX, 5.0, {}, ["tours"]),
    "kicks": (CITIES, 5.0, {"kicks": 9}, ["tours"]),
    "search": (CITIES, 5.0, {"search": "two_opt/nearest(5)"}, ["tours"]),
    "few": (FEW, 1.0, {}, ["enumeration"]),
    "states": (COLOURS, 1.0, {}, ["states"]),
    "routes": (random_cvrp("capacity", 60), 0.01, {}, ["routes"]),
    "tries": (random_cvrp("capacity", 400), 5.0, {}, ["try of chains", "routes"]),
    "generations": (
        random_cvrp("capacity", 30),
        30.0,
        {},
        ["generations of routes", "try of chains", "routes"],
    ),
    "fleet": (random_cvrp("fleet", 30), 30.0, {}, ["generations of routes", "routes"]),
}


@pytest.mark.parametrize("name", STAGES)
def test_the_stages_of_a_plan(name: str) -> None:
    problem, seconds, options, expected = STAGES[name]
    plan = gls.plan(problem, seconds, **options, **CPU)
    assert [stage.name for stage in plan.stages] == expected
    assert plan.main is plan.stages[-1] and plan.main.seconds == math.inf
    assert plan.problem is problem and plan.seconds == seconds and plan.backend == "cpu"
    text = str(plan)
    for number, stage in enumerate(plan.stages, 1):
        assert f"{number}. {stage.name}" in text and stage.why and stage.how
    assert text.count("why: ") == text.count("how: ") == len(expected)
    assert all(len(line) <= 100 for line in text.splitlines()[2:])


GENERATIONS, TRY = "generations of routes", "try of chains"


@pytest.mark.parametrize(
    ("problem", "seconds", "islands", "generations"),
    [
        (CITIES, 0.001, ["tours"], ["tours"]),
        (FEW, 1.0, ["tours"], ["tours"]),
        (COLOURS, 1.0, ["states"], ["states"]),
        (random_cvrp("capacity", 400), 5.0, ["routes"], [TRY, "routes"]),
        (random_cvrp("capacity", 30), 30.0, [GENERATIONS, "routes"], [GENERATIONS, TRY, "routes"]),
        (random_cvrp("capacity", 30), math.inf, ["routes"], ["routes"]),
    ],
    ids=["tours", "few", "states", "tries", "generations", "endless"],
)
def test_stages_before_chains_of_islands_and_generations(
    problem: gls.Problem, seconds: float, islands: list[str], generations: list[str]
) -> None:
    """They exist only with a time limit, and never include the single tour of short runs."""
    plan = plan_of(problem, Settings(seconds, **CPU), islands=2)
    assert [stage.name for stage in plan.stages] == islands
    plan = plan_of_generations(problem, seconds=seconds, **CPU)
    assert [stage.name for stage in plan.stages] == generations


@pytest.mark.parametrize("name", STAGES)
def test_functions_of_stages_can_be_pickled(name: str) -> None:
    problem, seconds, options, _ = STAGES[name]
    stages = gls.plan(problem, seconds, **options, **CPU).stages
    copies = pickle.loads(pickle.dumps(stages))
    assert [copy.after for copy in copies] == [stage.after for stage in stages]
    for copy in copies:
        if copy.prepare is not None:
            copy.prepare(copy)


def test_shares_of_the_time_add_up() -> None:
    text = str(gls.plan(random_cvrp("capacity", 30), 30.0, **CPU))
    shares = [float(line.split("%")[0].split()[-1]) for line in text.splitlines() if "% of" in line]
    assert len(shares) == 3 and sum(shares) == pytest.approx(100.0, abs=0.2)
    endless = str(gls.plan(CITIES, math.inf, **CPU))
    assert "inf s" in endless and "0.0% of the time" in endless and "100.0% of" in endless


def test_solve_follows_its_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search of the last stage is called with as many rows as the plan says."""
    plan, seen = gls.plan(CITIES, kicks=2, population=5, **CPU), []
    call = gls.IteratedLocalSearch.__call__

    def noted(self: Any, problem: Any, tours: Any, **options: Any) -> Any:
        seen.append((self, len(tours)))
        return call(self, problem, tours, **options)

    monkeypatch.setattr(gls.IteratedLocalSearch, "__call__", noted)
    gls.solve(CITIES, kicks=2, population=5, **CPU)
    assert seen[-1] == (plan.main.search, plan.main.size) == (plan.main.search, 5)


def test_wrong_arguments_are_those_of_solve() -> None:
    with pytest.raises(gls.exceptions.InvalidParameterError, match="seconds"):
        gls.plan(CITIES, -1.0)
    with pytest.raises(gls.exceptions.UnknownPartError, match="search"):
        gls.plan(CITIES, search="nothing")


def test_the_command_prints_the_plan(capsys: pytest.CaptureFixture[str]) -> None:
    file = "examples/data/europe_capitals.tsp"
    assert main(["solve", file, "--seconds", "2", "--backend", "cpu", "--plan"]) == 0
    assert capsys.readouterr().out.strip() == str(gls.plan(file, 2.0, **CPU))
