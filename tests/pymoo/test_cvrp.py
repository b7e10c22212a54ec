"""Vehicle routing in pymoo: penalties, constraints, operators, and copies of runs."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import cloudpickle
import numpy as np
import pytest
from pymoo.algorithms.soo.nonconvex.brkga import BRKGA
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.evaluator import Evaluator
from pymoo.core.population import Population
from pymoo.operators.sampling.rnd import PermutationRandomSampling
from pymoo.optimize import minimize

import gpu_ls_plugin as gls
import gpu_ls_pymoo as adapter
from gpu_ls_plugin.core.exceptions import (
    InvalidTourError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.evolution.batches.improver import Improver, default_search
from gpu_ls_plugin.evolution.batches.starts import Starts
from gpu_ls_plugin.evolution.replacement import Crowding, EdgeDistance
from gpu_ls_plugin.routes.plan import fewer_vehicles, first_generations
from gpu_ls_plugin.routes.plan import settings as route_settings
from gpu_ls_plugin.routes.searches.genetic import hybrid_genetic
from gpu_ls_pymoo import CVRPProblem, MemeticGA
from tests.helpers.marks import diagonal, slow_after
from tests.helpers.routing import giant_tours, random_cvrp, random_vrp, rewritten, scarce_cvrp
from tests.pymoo.test_crossover import crossed, seed_of

if TYPE_CHECKING:
    from tests.helpers.clock import Clock

HARD = pytest.mark.parametrize("hard", [False, True], ids=["soft", "hard"])


@pytest.fixture(autouse=True)
def few_kicks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let generations be short: chains meet as often as if they were slow."""
    monkeypatch.setitem(route_settings.KICKS_OF_ROUTES, "cpu", 200)


@pytest.fixture(scope="module")
def cvrp() -> gls.CVRP:
    """Thirty customers, capacity and a fleet."""
    return random_cvrp("fleet", 30, 1)


@pytest.fixture(scope="module")
def limited() -> gls.CVRP:
    """Thirty customers and routes of limited duration."""
    return random_cvrp("duration", 30, 1)


def evaluated(problem: Any, rows: Any) -> Population:
    """Return rows as an evaluated Population."""
    pop = Population.new("X", rows)
    Evaluator().eval(problem, pop)
    return pop


def test_soft_problems_pay_for_violations(cvrp):
    problem, rows = CVRPProblem(cvrp, hard=False), giant_tours(cvrp, 10, 1)
    assert (problem.n_var, problem.n_obj, problem.n_constr) == (cvrp.n, 1, 0)
    values = problem.evaluate(rows)[:, 0]
    feasible = cvrp.feasible(rows)
    assert 0 < feasible.sum() < len(rows)
    assert (values[feasible] == cvrp.cost(rows)[feasible]).all()
    assert values[feasible].max() < values[~feasible].min()
    soft = CVRPProblem(cvrp.penalised(load=3, vehicles=7))
    broken = cvrp.violations(rows)
    paid = cvrp.cost(rows) + 3 * broken.load + 7 * broken.vehicles
    assert (soft.evaluate(rows)[:, 0] == paid).all()


def test_hard_problems_have_constraints(cvrp, limited):
    for instance, names in ((cvrp, ("load", "vehicles")), (limited, ("load", "duration"))):
        problem, rows = CVRPProblem(instance, hard=True), giant_tours(instance, 10, 1)
        assert problem.constraints == names
        assert problem.n_ieq_constr == 2
        found = problem.evaluate(rows, return_as_dictionary=True)
        assert (found["F"][:, 0] == instance.cost(rows)).all()
        broken = instance.violations(rows)
        for column, name in enumerate(names):
            assert (found["G"][:, column] == getattr(broken, name)).all()
        pop = evaluated(problem, rows)
        assert (pop.get("FEAS")[:, 0] == instance.feasible(rows)).all()
    both = CVRPProblem(cvrp.penalised(load=3, vehicles=7), hard=True)
    rows = giant_tours(cvrp, 10, 1)
    assert both.evaluate(rows, return_as_dictionary=True)["F"].max() > cvrp.cost(rows).max()


def test_wrong_parameters_are_named(tsp, cvrp):
    with pytest.raises(InvalidTypeError, match=r"cvrp: TSP is not a gpu_ls_plugin\.CVRP"):
        CVRPProblem(tsp)
    with pytest.raises(InvalidTypeError, match="hard: 1"):
        CVRPProblem(cvrp, hard=1)
    with pytest.raises(InvalidTourError):
        CVRPProblem(cvrp).evaluate(np.zeros((1, cvrp.n), int))


def test_names_optimum_and_copies(cvrp):
    from copy import deepcopy

    known = gls.CVRP([(0, 0), (0, 3), (0, 5)], [0, 1, 1], 2, name="tiny", optimum=10)
    problem = CVRPProblem(known)
    assert problem.name() == "tiny"
    assert problem.pareto_front().tolist() == [[10]]
    assert deepcopy(problem) is problem
    assert adapter.as_tsp(problem) is known.tsp
    assert cloudpickle.loads(cloudpickle.dumps(problem)).cvrp.optimum == 10
    assert problem.routes(known.tour([[2, 1]]).astype(float)) == [[2, 1]]
    assert CVRPProblem(cvrp).pareto_front() is None


SPLIT, CYCLES = adapter.SplitCrossover(), adapter.RouteEdgeAssemblyCrossover()


@pytest.mark.parametrize("crossover", [SPLIT, CYCLES])
def test_routes_with_windows(crossover):
    problem = random_vrp(12, 1, fixed_cost=200)
    operators: dict[str, Any] = {
        "sampling": adapter.LocalSearchSampling(),
        "mutation": adapter.PerturbationMutation(),
        "eliminate_duplicates": adapter.TourDuplicateElimination(),
    }
    for algorithm in (GA(8, crossover=crossover, **operators), MemeticGA(6)):
        result = minimize(CVRPProblem(problem), algorithm, ("n_gen", 3), seed=1)
        assert problem.feasible(result.X)[0] and result.F[0] == problem.cost(result.X)[0]


def test_the_same_routes_are_duplicates(cvrp):
    problem, random = CVRPProblem(cvrp), np.random.default_rng(2)
    rows = giant_tours(cvrp, 6, 2)
    again = np.stack([rewritten(cvrp, row, random) for row in rows])
    pop = Population.new("X", np.concatenate([rows, again]))
    left = adapter.TourDuplicateElimination(problem=problem).do(pop)
    assert (left.get("X") == rows).all()
    repaired = adapter.CanonicalTourRepair().do(problem, pop).get("X")
    assert (repaired[:6] == repaired[6:]).all()
    assert (repaired == cvrp.canonical(pop.get("X"))).all()


OPERATORS = {
    "local search": lambda: {"mutation": adapter.LocalSearchMutation(prob=0.5)},
    "moves": lambda: {"mutation": adapter.LocalSearchMutation(moves=5)},
    "kick": lambda: {"mutation": adapter.DoubleBridgeMutation()},
    "sampling": lambda: {"sampling": adapter.LocalSearchSampling()},
    "survival": lambda: {"survival": adapter.EdgeDistanceSurvival(4)},
    "order": lambda: {"crossover": adapter.OrderCrossover()},
    "segment": lambda: {"crossover": adapter.SegmentCrossover()},
    "partially mapped": lambda: {"crossover": adapter.PartiallyMappedCrossover()},
    "cycle": lambda: {"crossover": adapter.CycleCrossover()},
    "edge recombination": lambda: {"crossover": adapter.EdgeRecombinationCrossover()},
    "edge assembly": lambda: {"crossover": adapter.EdgeAssemblyCrossover()},
    "partition": lambda: {"crossover": adapter.PartitionCrossover()},
    "split": lambda: {"crossover": adapter.SplitCrossover()},
    "route edge assembly": lambda: {"crossover": adapter.RouteEdgeAssemblyCrossover(0.9)},
    "mating": lambda: {"mating": adapter.MemeticMating()},
}


@pytest.mark.parametrize(("operator", "hard"), diagonal(OPERATORS, [False, True]))
def test_every_operator_of_a_plain_ga(cvrp, operator, hard):
    options = {
        "sampling": PermutationRandomSampling(),
        "crossover": adapter.OrderCrossover(),
        "mutation": adapter.LocalSearchMutation(prob=0.5),
        "repair": adapter.CanonicalTourRepair(),
        "eliminate_duplicates": adapter.TourDuplicateElimination(),
        "output": adapter.LocalSearchOutput(),
    }
    problem = CVRPProblem(cvrp, hard)
    algorithm = GA(pop_size=12, **options | OPERATORS[operator]())
    result = minimize(problem, algorithm, ("n_gen", 4), seed=1)
    pop = result.algorithm.pop
    fresh = evaluated(problem, pop.get("X"))
    assert (fresh.get("F") == pop.get("F")).all()
    assert (fresh.get("CV") == pop.get("CV")).all()
    assert len(np.unique(cvrp.canonical(pop.get("X")), axis=0)) == len(pop)
    if operator != "kick":
        assert cvrp.feasible(result.X).all()


@HARD
@pytest.mark.parametrize(
    "kind", slow_after(1, ["fleet", "duration", "directed duration", "real duration"])
)
def test_the_memetic_algorithm_ends_with_feasible_tours(kind, hard):
    cvrp = random_cvrp(kind, 30, 4)
    problem = CVRPProblem(cvrp, hard)
    result = minimize(problem, MemeticGA(20), ("n_gen", 6), seed=1, save_history=True)
    assert cvrp.feasible(result.pop.get("X")).all()
    assert result.F[0] == pytest.approx(cvrp.cost(result.X)[0], rel=1e-12)
    fresh = evaluated(problem, result.pop.get("X"))
    np.testing.assert_allclose(fresh.get("F"), result.pop.get("F"), rtol=1e-12)
    assert (fresh.get("G") == result.pop.get("G")).all()
    best = [entry.opt.get("F")[0, 0] for entry in result.history]
    assert best == sorted(best, reverse=True)
    assert result.data["start_best"] >= result.F[0]
    assert result.data["local_search"].moves > 0
    assert len(np.unique(cvrp.canonical(result.pop.get("X")), axis=0)) == len(result.pop)


@HARD
def test_without_options_it_searches_as_solve_does(cvrp, hard):
    problem = CVRPProblem(cvrp, hard)
    result = minimize(problem, MemeticGA(), ("n_gen", 5), seed=1)
    plan = result.algorithm.evolution.plan
    settings = gls.solver.default_settings(cvrp, gls.solver.Settings())
    assert [stage.name for stage in plan.stages] == ["routes"]
    assert plan.main.size == settings.population == result.algorithm.pop_size
    assert plan.main.search.search == settings.search.search
    assert plan.main.search.perturbation.name == settings.search.perturbation.name
    assert result.data["local_search"].kicks > 0 and cvrp.feasible(result.X)[0]


@HARD
@pytest.mark.parametrize("kind", slow_after(1, ["scarce", "capacity", "real duration"]))
def test_few_customers_begin_by_generations_of_populations(kind, hard, monkeypatch, clock):
    monkeypatch.setattr(first_generations, "enough", lambda *_: 1)
    monkeypatch.setattr(hybrid_genetic, "OF_A_CPU", 80)  # short generations of few populations
    cvrp = scarce_cvrp() if kind == "scarce" else random_cvrp(kind, 30, 4)
    problem, sizes, bests = CVRPProblem(cvrp, hard), set(), []

    def look(algorithm: MemeticGA) -> None:
        sizes.add(len(vars(algorithm)["pop"].population))
        bests.append(algorithm.opt.get("F")[0, 0])
        algorithm = cloudpickle.loads(cloudpickle.dumps(algorithm))
        assert algorithm.opt.get("F")[0, 0] == bests[-1]

    algorithm = MemeticGA(6, backend="cpu")
    result = minimize(problem, algorithm, ("time", 20), seed=1, callback=look)
    stages = result.algorithm.evolution.plan.stages
    assert stages[0].name == "generations of routes" and result.exec_time < 22
    assert sizes == {1, 6}  # a population of 64 children, and chains
    assert bests == sorted(bests, reverse=True) and bests[-1] == result.F[0]
    assert cvrp.feasible(result.X)[0]
    assert result.F[0] == pytest.approx(cvrp.cost(result.X)[0], rel=1e-12)


def test_scarce_vehicles_are_searched_under_soft_constraints():
    cvrp = scarce_cvrp()
    algorithm = MemeticGA(6).setup(CVRPProblem(cvrp), termination=("n_gen", 8), seed=1)
    searched = algorithm.evolution.plan.main.searched
    assert len(cvrp.routes(gls.savings(cvrp, 1)[0])) == 5 and searched.penalties is not None
    result = algorithm.run()
    assert cvrp.feasible(result.X)[0] and result.F[0] == cvrp.cost(result.X)[0]
    assert (result.pop.get("F")[:, 0] == cvrp.tsp.cost(result.pop.get("X"))).all()


MEMETIC = {
    "order": lambda: {"crossover": gls.OrderRecombination()},
    "edge assembly": lambda: {"crossover": gls.EdgeAssembly()},
    "split": lambda: {"crossover": gls.SplitRecombination()},
    "route edge assembly": lambda: {"crossover": gls.RouteEdgeAssembly()},
    "crowding": lambda: {"crossover": gls.OrderRecombination(), "replacement": Crowding()},
    "far apart": lambda: {"replacement": EdgeDistance(5)},
    "children": lambda: {"n_offsprings": 7},
    "moves": lambda: {"moves": 10},
    "pymoo": lambda: {"mutation": adapter.DoubleBridgeMutation(prob=0.5)},
    "kicks": lambda: {"search": f"iterated_local_search({ROUTES}, string_removal)", "kicks": 3},
}
ROUTES = "route_moves/nearest(10)"


@HARD
@pytest.mark.parametrize("options", slow_after(3, MEMETIC))
def test_options_of_the_memetic_algorithm(cvrp, options, hard):
    problem = CVRPProblem(cvrp, hard)
    result = minimize(problem, MemeticGA(12, **MEMETIC[options]()), ("n_gen", 4), seed=1)
    assert cvrp.feasible(result.X)[0]
    assert result.F[0] == cvrp.cost(result.X)[0]
    assert len(np.unique(cvrp.canonical(result.pop.get("X")), axis=0)) == len(result.pop)


@HARD
def test_ask_and_tell(cvrp, hard):
    problem = CVRPProblem(cvrp, hard)
    algorithm = MemeticGA(12).setup(problem, termination=("n_gen", 4), seed=1)
    while algorithm.has_next():
        asked = algorithm.ask()
        algorithm.evaluator.eval(problem, asked)
        algorithm.tell(infills=asked)
    same = minimize(problem, MemeticGA(12), ("n_gen", 4), seed=1)
    assert (algorithm.result().pop.get("X") == same.pop.get("X")).all()


def test_warm_starts_are_kept(cvrp):
    best = gls.LocalSearch([gls.RouteMoves()])(cvrp, giant_tours(cvrp, 8, 5), backend="cpu")
    result = minimize(
        CVRPProblem(cvrp, hard=True), MemeticGA(8, sampling=best.tours), ("n_gen", 3), seed=1
    )
    assert result.data["start_best"] <= best.costs.min()
    assert cvrp.feasible(result.X)[0]


def test_random_keys(cvrp):
    encoded = adapter.RandomKeysProblem(CVRPProblem(cvrp, hard=True), seed=1)
    algorithm = BRKGA(n_elites=5, n_offsprings=10, n_mutants=5)
    result = minimize(encoded, algorithm, ("n_gen", 3), seed=1)
    assert cvrp.feasible(encoded.tours(result.opt)).all()


def test_starts_are_savings(cvrp):
    seed = int(np.random.default_rng(1).integers(2**63))
    made = Starts(None, Improver(backend="cpu")).construct(cvrp.tsp, 5, np.random.default_rng(1))
    assert (made == gls.savings(cvrp, 5, seed=seed, backend="cpu")).all()


def test_default_searches(cvrp, tsp):
    names = [part.name for part in default_search(cvrp.tsp).neighbourhoods]
    assert names == ["route_moves"]
    assert default_search(random_cvrp("directed", 9).tsp) == default_search(cvrp.tsp)
    assert default_search(tsp) == default_search() == gls.LocalSearch()
    assert Improver(thorough=True).given is None


ROUTE_FACES = {
    adapter.SplitCrossover: gls.SplitRecombination(),
    adapter.RouteEdgeAssemblyCrossover: gls.RouteEdgeAssembly(),
}


@HARD
@pytest.mark.parametrize("face", ROUTE_FACES)
def test_children_of_routes_are_those_of_the_part(cvrp, face, hard):
    parents = giant_tours(cvrp, 10, 1).reshape(2, 5, cvrp.n)
    children = crossed(face(backend="cpu"), CVRPProblem(cvrp, hard), parents)
    expected = ROUTE_FACES[face].cross(cvrp, *parents, seed=seed_of(5), backend="cpu")
    assert np.array_equal(children, expected)
    with pytest.raises(UnsupportedProblemError, match="has no routes"):
        face(backend="cpu").prepare(adapter.TSPProblem(gls.TSP(np.zeros((4, 2)))), 2)


def test_crossovers_by_length_refuse_routes(cvrp):
    rows = giant_tours(cvrp, 2, 1)
    with pytest.raises(UnsupportedProblemError, match="routing"):
        gls.EdgeAssembly().cross(cvrp, rows, rows[::-1].copy(), backend="cpu")
    assert cvrp.tsp.crossed.objective.length_alone
    assert cvrp.tsp.crossed is cvrp.tsp.crossed


SMALL = gls.HybridGeneticSearch(size=6, children=20)
BRED, TRIED, CHAINS = "generations of routes", fewer_vehicles.NAME, "routes"
SECONDS, GENERATION = 600, 10  # of a run, and of each generation: far more than it needs
GENERATIONS = 11  # after a copy: from the last ones of a stage to those of the last


@pytest.fixture
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


@pytest.mark.parametrize(
    ("stage", "share"), slow_after(0, [(BRED, 0.45), (TRIED, 0.0), (CHAINS, 0.0)])
)
@pytest.mark.usefixtures("short_stages")
def test_copies_continue_identically(stage, share, clock):
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
