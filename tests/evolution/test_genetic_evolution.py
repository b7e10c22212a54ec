"""Generations of populations of routes and of chains of routes: costs, pickles, preparation."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.generations.memetic import evolution_of
from gpu_ls_plugin.evolution.generations.staged_population import PlannedEvolution
from gpu_ls_plugin.evolution.timed_run import TimedRun
from gpu_ls_plugin.routes.plan import fewer_vehicles, first_generations, settings
from gpu_ls_plugin.runs.plan import Plan, Stage
from gpu_ls_plugin.solver.plans import plan_of_generations
from gpu_ls_plugin.tours.searches.chain_population import ChainPopulation
from tests.helpers.late_kernels import LateKernels
from tests.helpers.marks import slow_after
from tests.helpers.random_problems import random_tours
from tests.helpers.routing import random_cvrp, scarce_cvrp

SEARCH = gls.HybridGeneticSearch(size=6, children=160)  # a CPU has eight such populations
SIZE = SEARCH.populations(get_backend("cpu"))
RANDOM = np.random.default_rng(2)


class Counted(TimedRun):
    """A run that keeps the statistics of its searches."""

    def __init__(self) -> None:
        super().__init__()
        self.told = []

    def account(self, statistics):
        self.told.append(statistics)


def prepare(stage):
    stage.search.prepare(stage.problem, stage.size, backend="cpu")


def evolution_on(problem):
    stage = Stage("bred", "", SEARCH, problem, problem, SIZE, "savings", prepare=prepare)
    return PlannedEvolution(Plan(problem, (stage,), 10.0, "cpu"))


def begun(problem, given=None):
    run, evolution = Counted(), evolution_on(problem)
    evolution.prepare(problem.tsp)
    return evolution, evolution.start(problem.tsp, np.random.default_rng(1), run, given), run


@pytest.mark.slow
@pytest.mark.parametrize("kind", slow_after(1, ["capacity", "real duration"]))
def test_costs_are_exact_and_never_rise(kind):
    problem = random_cvrp(kind, 30)
    evolution, population, run = begun(problem)
    assert len(population) == evolution.size == SIZE == 8
    savings = problem.cost(gls.savings(problem, 1, backend="cpu"))[0]
    before = population.costs.copy()
    assert before.min() <= savings + 1e-9
    for _ in range(3):
        assert evolution.next(problem.tsp, population, RANDOM, run) is population
        np.testing.assert_allclose(population.costs, problem.cost(population.tours), rtol=1e-12)
        assert problem.feasible(population.tours).all()
        assert (population.costs <= before).all()
        before = population.costs.copy()
    assert [one.kicks for one in run.told] == [0, *[8 * 160] * 3]  # of each generation
    assert all(one.moves and one.seconds for one in run.told)


@pytest.mark.slow
def test_the_same_numbers_give_the_same_populations():
    problem = random_cvrp("capacity", 20)
    ours, theirs = (begun(problem)[1] for _ in range(2))
    for each in (ours, theirs):
        evolution_on(problem).next(problem.tsp, each, RANDOM, TimedRun())
    assert (ours.tours == theirs.tours).all()


def test_given_tours_are_only_replaced_by_better_ones():
    problem = random_cvrp("capacity", 20)
    best = gls.solve(problem, seconds=np.inf, kicks=300, backend="cpu", seed=3)
    _, population, _ = begun(problem, best.tours[:1])
    assert population.costs[0] <= best.best_cost


@pytest.mark.slow
def test_a_pickle_continues_from_the_best_routes():
    problem = random_cvrp("capacity", 30)
    evolution, population, run = begun(problem)
    evolution.next(problem.tsp, population, RANDOM, run)
    copy = pickle.loads(pickle.dumps(population))
    assert (copy.tours == population.tours).all() and (copy.costs == population.costs).all()
    before = copy.costs.copy()
    for _ in range(3):
        evolution.next(problem.tsp, copy, RANDOM, run)
    assert (copy.costs <= before).all() and (copy.costs == problem.cost(copy.tours)).all()


def test_ctrl_c_and_time(monkeypatch):
    problem = random_cvrp("capacity", 20)
    evolution, population, run = begun(problem)
    before = population.tours.copy()

    def press(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(type(population.population), "launch", press)
    evolution.next(problem.tsp, population, RANDOM, run)
    assert run.told[-1].interrupted
    run.seconds_left = lambda: 0.0
    evolution.next(problem.tsp, population, RANDOM, run)
    assert len(run.told) == 2 and (population.tours == before).all()


@pytest.mark.parametrize("kind", slow_after(1, ["scarce", "capacity", "duration"]))
def test_after_preparing_nothing_is_compiled(kind, monkeypatch):
    """This holds for hard constraints, and for the soft ones of scarce vehicles."""
    monkeypatch.setattr(first_generations, "enough", lambda *_: 1)
    monkeypatch.setattr(first_generations, "SEARCH", SEARCH)
    monkeypatch.setattr(fewer_vehicles, "one_fewer", lambda problem, *_: problem.copies)
    problem = scarce_cvrp() if kind == "scarce" else random_cvrp(kind, 12)
    evolution = evolution_of(problem.tsp, Improver(None, "cpu"), size=4, seconds=1.0)
    chains = evolution.plan.main
    assert (chains.searched is chains.problem) == (kind != "scarce")
    kernels, run = LateKernels(monkeypatch), Counted()
    evolution.prepare_all()
    kernels.prepared = True
    population, names = evolution.start(problem.tsp, np.random.default_rng(1), run), []
    for progress in (0.4, 0.5, 0.53, 0.6, 0.62, 0.7, 0.8):
        run.progress = lambda progress=progress: progress
        population = evolution.next(problem.tsp, population, np.random.default_rng(1), run)
        assert len(population.costs) and len(population.tours)
        names.append(population.stage.name)
    assert names[0] == "generations of routes" and names[-1] == "routes" and kernels.late == []
    assert kind == "scarce" or fewer_vehicles.NAME in names


def stages(evolution):
    """Return the names of a plan's stages; none if there is no plan."""
    plan = getattr(evolution, "plan", None)
    return [] if plan is None else [stage.name for stage in plan.stages]


def test_routes_of_few_customers_begin_by_generations(monkeypatch):
    """As in `solve`, if there is time, and the user gave no search or crossover."""
    problem, improver = random_cvrp("duration", 20).tsp, Improver(None, "cpu")
    first = "generations of routes"
    assert first not in stages(evolution_of(problem, improver, seconds=0.5))
    monkeypatch.setattr(first_generations, "enough", lambda *_: 1)
    evolution = evolution_of(problem, improver, seconds=10.0)
    assert stages(evolution)[0] == first and evolution.plan.main.size == evolution.size
    stage = evolution.plan.stages[0]
    assert stage.seconds == 10 * first_generations.SHARE
    assert stage.search == first_generations.SEARCH
    others = (
        {},  # without an end
        {"seconds": 10.0, "crossover": gls.RouteEdgeAssembly()},
        {"seconds": 10.0, "children": 5},
    )
    for options in others:
        assert first not in stages(evolution_of(problem, improver, **options))
    search = Improver(gls.LocalSearch([gls.Relocate(2)]), "cpu")
    assert first not in stages(evolution_of(problem, search, seconds=10.0))


@pytest.fixture
def few_kicks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make generations short: chains meet as often as slow ones."""
    monkeypatch.setitem(settings.KICKS_OF_ROUTES, "cpu", 200)


def test_costs_are_those_of_the_given_problem():
    problem = scarce_cvrp()
    main = plan_of_generations(problem, population=4, backend="cpu").main
    assert main.searched.penalties is not None
    tours = random_tours(problem.n, 4)
    given = (tours, np.zeros(4, np.int64), 1, "cpu")
    population = ChainPopulation(main.search, main.searched.tsp, *given, asked=problem.tsp)
    assert not problem.feasible(tours).any()
    assert np.array_equal(population.costs, problem.tsp.cost(tours))


@pytest.mark.usefixtures("few_kicks")
def test_a_pickle_of_chains_continues_identically():
    problem, random = scarce_cvrp(), np.random.default_rng(1)
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


def test_a_pickle_of_a_plan_keeps_soft_constraints():
    made = plan_of_generations(scarce_cvrp(), population=4, backend="cpu")
    plan = pickle.loads(pickle.dumps(made))
    assert plan.main.searched.penalties is not None and plan.main.problem is plan.problem
