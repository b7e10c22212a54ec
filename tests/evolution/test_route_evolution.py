"""Generations of routes under soft constraints: whose costs are told, and what a pickle keeps."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.evolution.generations.planned_evolution import PlannedEvolution
from gpu_ls_plugin.evolution.timed_run import TimedRun
from gpu_ls_plugin.routes.plan import settings
from gpu_ls_plugin.solver.plans import plan_of_generations
from gpu_ls_plugin.tours.searches.chain_population import ChainPopulation
from tests.helpers.random_problems import random_tours


@pytest.fixture(autouse=True)
def few_kicks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let generations be short: chains meet as often as if they were slow."""
    monkeypatch.setitem(settings.KICKS_OF_ROUTES, "cpu", 200)


def scarce() -> gls.CVRP:
    """A problem for which savings need more routes than the demand does."""
    for seed in range(50):
        problem = gls.CVRP.generated(40, demands="50-100", route_size=4.2, seed=seed)
        routes = problem.routes(gls.savings(problem, 1, backend="cpu")[0])
        if len(routes) > -(-problem.demands.sum() // problem.capacity):
            return problem
    raise AssertionError("there is none")


def test_costs_are_those_that_were_asked_for():
    problem = scarce()
    main = plan_of_generations(problem, population=4, backend="cpu").main
    assert main.searched.penalties is not None
    tours = random_tours(problem.n, 4)
    given = (tours, np.zeros(4, np.int64), 1, "cpu")
    population = ChainPopulation(main.search, main.searched.tsp, *given, asked=problem.tsp)
    assert not problem.feasible(tours).any()
    assert np.array_equal(population.costs, problem.tsp.cost(tours))


def test_a_pickle_goes_on_as_the_population_does():
    problem, random = scarce(), np.random.default_rng(1)
    evolution = PlannedEvolution(plan_of_generations(problem, population=6, backend="cpu"))
    evolution.prepare(problem.tsp)
    population = evolution.start(problem.tsp, random, TimedRun())
    for _ in range(4):
        population = evolution.next(problem.tsp, population, random, TimedRun())
    copy = pickle.loads(pickle.dumps(population))
    for _ in range(3):
        for each in (population, copy):
            evolution.next(problem.tsp, each, random, TimedRun())
    ours, theirs = (each.population.rounds.chains for each in (population, copy))
    assert ours.price == theirs.price != 1
    assert np.array_equal(ours.tours, theirs.tours)
    assert np.array_equal(population.costs, copy.costs)
    assert np.array_equal(population.costs, problem.tsp.cost(population.tours))


def test_a_pickle_of_a_soft_population_knows_its_constraints():
    plan = pickle.loads(pickle.dumps(plan_of_generations(scarce(), population=4, backend="cpu")))
    assert plan.main.searched.penalties is not None and plan.main.problem is plan.problem
