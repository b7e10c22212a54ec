"""Islands of routes of few customers: populations of routes first, chains after them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from gpu_ls_plugin.distributed.populations.evolving import EvolvingPopulation, _Run
from gpu_ls_plugin.evolution.generations.choice import begun_as_solve
from gpu_ls_plugin.solver.single import searched_as

import gpu_ls_plugin as gls
from gpu_ls_plugin.distributed import Exchange
from gpu_ls_plugin.problems.cvrp import routing_problem
from gpu_ls_plugin.result import Statistics
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.searches.chain_population import ChainPopulation
from gpu_ls_plugin.searches.genetic import hybrid_genetic
from gpu_ls_plugin.solver import Settings, default_settings, first_generations
from tests.helpers.routing import random_cvrp, scarce_cvrp

if TYPE_CHECKING:
    from gpu_ls_plugin.distributed import IslandProgress
    from tests.helpers.clock import Clock

PROBLEM = random_cvrp("capacity", 30)
SMALL = gls.HybridGeneticSearch(size=6, children=10)


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little time there is, eight small populations evolve."""
    monkeypatch.setattr(first_generations, "enough", lambda *_: 1)
    monkeypatch.setattr(hybrid_genetic, "OF_A_CPU", 8 * SMALL.children)
    monkeypatch.setattr(first_generations, "SEARCH", SMALL)


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Of which islands evolutions were searched, and whose turn it was behind each stretch."""
    found, advance = [], EvolvingPopulation.advance

    def noted(self: EvolvingPopulation, *given: Any) -> Statistics:
        counted = advance(self, *given)
        assert self._turn is not None
        found.append((self.first_row, self._turn.number))
        return counted

    monkeypatch.setattr(EvolvingPopulation, "advance", noted)
    return found


@pytest.mark.parametrize("population", [3, 20])
def test_islands_begin_as_solve_does(
    client: Any, turns: list[tuple[int, int]], population: int, clock: Clock
) -> None:
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


def test_a_target_in_the_opening_leaves_as_many_rows(
    client: Any, turns: list[tuple[int, int]]
) -> None:
    start = float(PROBLEM.cost(gls.savings(PROBLEM, 1, backend="cpu"))[0])
    islands = gls.Islands(client=client, exchange=Exchange(every=600))  # nor does a stretch go on
    found = gls.solve(PROBLEM, 600, population=20, islands=islands, target=start, seed=1)
    assert found.statistics.stopped_by == "target" and found.best_cost <= start
    assert len(found.tours) == 40 and {number for _, number in turns} == {0}


def test_given_tours_and_a_search_are_taken_as_they_are(
    client: Any, turns: list[tuple[int, int]]
) -> None:
    tours = gls.savings(PROBLEM, 4, backend="cpu")
    islands = gls.Islands(client=client)
    islands(PROBLEM, tours, budget=gls.Budget(seconds=0.3))
    gls.solve(PROBLEM, 0.3, islands=islands, population=2, start="sweep")
    gls.solve(PROBLEM, np.inf, islands=islands, population=2, kicks=5)
    assert turns == []


@pytest.mark.parametrize("scarce", [True, False])
def test_chains_that_have_not_begun_adopt_rows_and_keep_their_constraints(scarce: bool) -> None:
    problem = scarce_cvrp() if scarce else random_cvrp("capacity", 12)
    given = Settings(seconds=60.0, population=4, backend="cpu")
    chosen = default_settings(problem, given)
    searched = searched_as(problem, given, chosen)
    evolution = begun_as_solve(problem, searched, given, chosen)
    assert evolution is not None
    population = EvolvingPopulation(problem, evolution, seed=1, backend="cpu", first_row=0)
    for share in (0.0, 0.9):  # a generation of the first, and the turn passes to the chains
        population.advance(Stretch(9.0, None, share, share), lambda: True)
    rows, costs = population.tours, population.costs
    assert population._turn is not None
    assert isinstance(chains := population._turn.population, ChainPopulation)
    assert chains._begun is None
    population.adopt(rows[:1], costs[:1])
    population.advance(Stretch(0.2, None, 0.9, 0.9), lambda: True)
    assert (rounds := chains._begun) is not None
    assert (routing_problem(rounds.chains.start.problem).penalties is not None) == scarce
    assert np.array_equal(population.costs, problem.tsp.cost(population.tours))


def test_what_a_run_shows_of_a_stretch() -> None:
    """A second of ten that begins after two, and a generation at its end has a second more."""
    run = _Run(Stretch(1.0, None, 0.2, 0.3), Statistics())
    assert run.progress() == pytest.approx(0.2, abs=0.01)
    assert run.seconds_left() == pytest.approx(1.0, abs=0.1)
    run.watch.start -= 0.8
    assert run.progress() == pytest.approx(0.28, abs=0.01) and run.seconds_left() == 1.0
    last = _Run(Stretch(0.5, None, 0.95, 1.0), Statistics())
    assert last.seconds_left() == pytest.approx(0.5, abs=0.1)
    run.account(Statistics(kicks=3, stopped_by="interrupt"))
    assert run.statistics.kicks == 3 and run.statistics.interrupted
