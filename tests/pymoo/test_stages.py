"""Copies of runs continue identically in each stage of a plan."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.routes.plan import fewer_vehicles, first_generations
from gpu_ls_plugin.routes.plan import settings as route_settings
from gpu_ls_plugin.routes.searches.genetic import hybrid_genetic
from gpu_ls_pymoo import CVRPProblem, MemeticGA

if TYPE_CHECKING:
    from tests.helpers.clock import Clock

SMALL = gls.HybridGeneticSearch(size=6, children=20)
BRED, TRIED, CHAINS = "generations of routes", fewer_vehicles.NAME, "routes"
SECONDS, GENERATION = 600, 10  # of a run, and of each generation: far more than it needs
GENERATIONS = 11  # after a copy: from the last ones of a stage to those of the last


@pytest.fixture(autouse=True)
def short_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each run all stages, with short generations."""
    monkeypatch.setitem(route_settings.KICKS_OF_ROUTES, "cpu", 20)
    monkeypatch.setitem(fewer_vehicles.KICKS, "cpu", 0.0)
    monkeypatch.setattr(first_generations, "enough", lambda *_: 1)
    monkeypatch.setattr(first_generations, "SEARCH", SMALL)
    monkeypatch.setattr(hybrid_genetic, "OF_A_CPU", 2 * SMALL.children)


def next_of(algorithm: MemeticGA, clock: Clock) -> str:
    """Make one generation and return the name of its stage."""
    algorithm.next()
    clock.advance(GENERATION)
    return str(vars(algorithm)["pop"].population.stage.name)


def gone_on(algorithm: MemeticGA, clock: Clock) -> list[tuple[str, Any, Any]]:
    """Return the stages, tours and costs of the next generations."""
    found = []
    for _ in range(GENERATIONS):
        stage = next_of(algorithm, clock)
        found.append((stage, *algorithm.pop.get("X", "F")))
    return found


def same(ours: Any, theirs: Any) -> bool:
    """Return whether generations are the same."""
    return all(
        a == b and np.array_equal(tours, others) and np.array_equal(costs, values)
        for (a, tours, costs), (b, others, values) in zip(ours, theirs, strict=True)
    )


@pytest.mark.parametrize(("stage", "share"), [(BRED, 0.45), (TRIED, 0.0), (CHAINS, 0.0)])
def test_copies_continue_identically(stage: str, share: float, clock: Clock) -> None:
    """The run continues in the same way, except in the stage whose copies keep only best routes."""
    clock.launch = 0.0  # copies need more launches, which must not take time of their stage
    problem = CVRPProblem(gls.CVRP.generated(70, seed=1))
    algorithm = MemeticGA(6, backend="cpu").setup(problem, termination=("time", SECONDS), seed=1)
    while next_of(algorithm, clock) != stage or algorithm.termination.perc < share:
        assert algorithm.has_next()
    next_of(algorithm, clock)  # chains are under way
    best, pickled = algorithm.opt.get("F")[0, 0], cloudpickle.dumps(algorithm)
    copies = [deepcopy(algorithm), cloudpickle.loads(pickled), deepcopy(algorithm)]
    now, runs = clock.perf_counter(), []
    for one in [*copies, algorithm]:
        clock.advance(now - clock.perf_counter())
        clock.launches = 0
        runs.append(gone_on(one, clock))
    names = [name for name, *_ in runs[0]]
    assert names[0] == stage and names[-1] == CHAINS
    assert not np.array_equal(runs[0][0][1], runs[0][-1][1])  # or all would be alike
    assert all(same(runs[0], run) for run in (runs[1:3] if stage == BRED else runs[1:]))
    lowest = [costs.min() for _, _, costs in runs[0]]
    assert lowest[0] <= best and lowest == sorted(lowest, reverse=True)
