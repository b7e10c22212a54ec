"""Islands for few customers: first populations of routes, then chains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.distributed import Exchange
from gpu_ls_plugin.distributed.tasks import LEAST
from gpu_ls_plugin.evolution.generations.staged_population import StagedPopulation
from gpu_ls_plugin.routes.plan import first_generations
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.routes.searches.genetic import hybrid_genetic
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.runs.stretch import Leg, Stretch
from gpu_ls_plugin.solver.plans import plan_of
from gpu_ls_plugin.tours.searches.chain_population import ChainPopulation
from tests.helpers.marks import slow_after
from tests.helpers.routing import random_cvrp, scarce_cvrp

if TYPE_CHECKING:
    from gpu_ls_plugin.core.result import Statistics
    from gpu_ls_plugin.distributed import IslandProgress

PROBLEM = random_cvrp("capacity", 30)
SMALL = gls.HybridGeneticSearch(size=6, children=10)


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evolve eight small populations, regardless of the time."""
    monkeypatch.setattr(first_generations, "enough", lambda *_: 1)
    monkeypatch.setattr(hybrid_genetic, "OF_A_CPU", 8 * SMALL.children)
    monkeypatch.setattr(first_generations, "SEARCH", SMALL)


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Return the first row and the stage of each island that advances."""
    found, advance = [], StagedPopulation.advance

    def noted(self: StagedPopulation, *given: Any) -> Statistics:
        counted = advance(self, *given)
        first_row = self.random.bit_generator.seed_seq.entropy[1]
        found.append((first_row, [*self.plan.stages].index(self.stage)))
        return counted

    monkeypatch.setattr(StagedPopulation, "advance", noted)
    return found


@pytest.mark.parametrize("population", slow_after(1, [3, 20]))
def test_islands_have_the_stages_of_solve(client, turns, population, clock):
    told: list[IslandProgress] = []
    islands = gls.Islands(client=client, exchange=Exchange(every=3.0))
    given: dict[str, Any] = {"islands": islands, "seed": 1, "population": population}
    found = gls.solve(PROBLEM, 20.0, callback=told.append, **given)
    assert {row for row, _ in turns} == {0, 2**20}
    for first_row in (0, 2**20):
        numbers = [number for row, number in turns if row == first_row]
        assert numbers == sorted(numbers) and numbers[0] == 0
    assert {number for _, number in turns} == {0, 1}
    assert found.tours.shape == (2 * population, PROBLEM.n)
    assert np.array_equal(found.costs, PROBLEM.tsp.cost(found.tours))
    assert (np.diff(found.costs) >= 0).all() and PROBLEM.feasible(found.tours).all()
    assert [p.best_cost for p in told] == sorted((p.best_cost for p in told), reverse=True)
    assert found.best_cost == told[-1].best_cost and found.statistics.kicks > 0
    assert found.statistics.stopped_by == "seconds"
    assert clock.launches <= 2 * clock.most_launches(20)


def test_a_target_in_the_first_stage_ends_the_run_with_all_rows(client, turns):
    start = float(PROBLEM.cost(gls.savings(PROBLEM, 1, backend="cpu"))[0])
    islands = gls.Islands(client=client, exchange=Exchange(every=600))  # ends the stretch, too
    found = gls.solve(PROBLEM, 600, population=20, islands=islands, target=start, seed=1)
    assert found.statistics.stopped_by == "target" and found.best_cost <= start
    assert len(found.tours) == 40 and {number for _, number in turns} == {0}


def test_given_tours_and_other_options_skip_the_first_stage(client, turns):
    tours = gls.savings(PROBLEM, 4, backend="cpu")
    islands = gls.Islands(client=client)
    islands(PROBLEM, tours, budget=gls.Budget(seconds=0.3))
    gls.solve(PROBLEM, 0.3, islands=islands, population=2, start="sweep")
    gls.solve(PROBLEM, np.inf, islands=islands, population=2, kicks=5)
    assert turns == []


@pytest.mark.parametrize("scarce", [True, False])
def test_new_chains_adopt_rows_and_keep_soft_constraints(scarce):
    problem = scarce_cvrp() if scarce else random_cvrp("capacity", 12)
    given = Settings(seconds=60.0, population=4, backend="cpu")
    plan = plan_of(problem, given, islands=1)
    assert len(plan.stages) == 2
    population = StagedPopulation(plan, np.random.default_rng([1, 0]), least=LEAST, full=True)
    for share in (0.0, 0.9):  # a generation of the first stage, then the first of the chains
        population.advance(Stretch(9.0, None, share, share), lambda: True)
    rows, costs = population.tours, population.costs
    chains = population.population
    assert isinstance(chains, ChainPopulation)
    population.adopt(rows[:1], costs[:1])
    population.advance(Stretch(0.2, None, 0.9, 0.9), lambda: True)
    searched = routing_problem(chains.rounds.chains.start.problem)
    assert (searched.penalties is not None) == scarce
    assert np.array_equal(population.costs, problem.tsp.cost(population.tours))


def test_the_seconds_of_a_generation():
    """A stretch of one second begins after two of ten; its last generation gets a second."""
    plan = plan_of(PROBLEM, Settings(seconds=10.0, backend="cpu"), islands=1)
    population = StagedPopulation(plan, np.random.default_rng(1), least=LEAST)
    leg = Leg(Stretch(1.0, None, 0.2, 0.3))
    assert population.allowance(leg) == pytest.approx((0.2, 1.0), abs=0.1)
    leg.watch.start -= 0.8
    done, left = population.allowance(leg)
    assert done == pytest.approx(0.28, abs=0.01) and left == 1.0
    last = Leg(Stretch(0.5, None, 0.95, 1.0))
    assert population.allowance(last)[1] == pytest.approx(0.5, abs=0.1)
