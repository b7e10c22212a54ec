"""Each adapter as the suite sees it: rows in, rows out, through the framework's own objects."""

from __future__ import annotations

import random
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

import gpu_ls_plugin as gls

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[Any]


class Outcome(NamedTuple):
    """What a run of the framework's plain genetic algorithm has come to."""

    seconds: float
    cost: float
    tour: Rows
    generations: int


class Face(Protocol):
    """What the suite asks of an adapter."""

    framework: str

    def operators(self, problem: gls.TSP | gls.CVRP) -> dict[str, Any]:
        """Constructors of the operators: "search", "kick", "starts"; their problem is given."""

    def search(self, problem: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        """Mutate a whole batch by local search."""

    def kick(self, problem: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        """Mutate a whole batch by double bridges."""

    def cross(self, problem: Any, part: Any, first: Rows, second: Rows, seed: int = 1) -> Rows:
        """Return one child for each pair."""

    def starts(self, problem: Any, size: int, seed: int = 1, **options: Any) -> Rows:
        """Return a start population."""

    def costs(self, problem: Any, rows: Rows) -> list[float]:
        """Return what the framework's fitness says that rows cost."""

    def run(
        self, problem: gls.TSP, seconds: float, generations: int = 10**6, search: Any = None
    ) -> Outcome:
        """Run the framework's genetic algorithm with local search as its mutation."""


class Pymoo:
    """pymoo hands the problem to its operators."""

    framework = "pymoo"

    def operators(self, problem: Any) -> dict[str, Any]:
        from gpu_ls_pymoo import DoubleBridgeMutation, LocalSearchMutation, LocalSearchSampling

        made = (LocalSearchMutation, DoubleBridgeMutation, LocalSearchSampling)
        return dict(zip(("search", "kick", "starts"), made, strict=True))

    def search(self, problem: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        return self._mutated("search", problem, rows, seed, options)

    def kick(self, problem: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        return self._mutated("kick", problem, rows, seed, options)

    def _mutated(self, kind: str, problem: Any, rows: Rows, seed: int, options: Any) -> Rows:
        from pymoo.core.evaluator import Evaluator
        from pymoo.core.population import Population

        run = SimpleNamespace(evaluator=Evaluator(), data={}, repair=None, mating=None)
        run.termination = SimpleNamespace(force_termination=False, perc=0.0)
        pop = Population.new("X", rows.copy())
        mutation = self.operators(problem)[kind](**options)
        mutation(self._problem(problem), pop, algorithm=run, seed=seed)
        return pop.get("X")

    def cross(self, problem: Any, part: Any, first: Rows, second: Rows, seed: int = 1) -> Rows:
        from gpu_ls_pymoo import RecombinationCrossover

        state = np.random.default_rng(seed)
        crossover = RecombinationCrossover(part)
        return crossover._do(self._problem(problem), [first, second], random_state=state)[0]

    def starts(self, problem: Any, size: int, seed: int = 1, **options: Any) -> Rows:
        sampling = self.operators(problem)["starts"](**options)
        return sampling(self._problem(problem), size, seed=seed).get("X")

    def costs(self, problem: Any, rows: Rows) -> list[float]:
        return self._problem(problem).evaluate(rows, return_as_dictionary=True)["F"][:, 0].tolist()

    def run(
        self, problem: gls.TSP, seconds: float, generations: int = 10**6, search: Any = None
    ) -> Outcome:
        from pymoo.algorithms.soo.nonconvex.ga import GA
        from pymoo.operators.crossover.ox import OrderCrossover
        from pymoo.operators.sampling.rnd import PermutationRandomSampling
        from pymoo.optimize import minimize
        from pymoo.termination import get_termination
        from pymoo.termination.collection import TerminationCollection

        mutation = self.operators(problem)["search"](search)
        mutation.prepare(self._problem(problem), 50)
        algorithm = GA(
            pop_size=50,
            sampling=PermutationRandomSampling(),
            crossover=OrderCrossover(),
            mutation=mutation,
        )
        limits = (("time", seconds), ("n_gen", generations))
        ends = TerminationCollection(*(get_termination(*limit) for limit in limits))
        begin = time.perf_counter()
        result = minimize(self._problem(problem), algorithm, ends, seed=1)
        seconds = time.perf_counter() - begin
        return Outcome(seconds, float(result.F[0]), result.X, result.algorithm.n_gen - 1)

    def _problem(self, problem: Any) -> Any:
        from gpu_ls_pymoo import CVRPProblem, TSPProblem

        return CVRPProblem(problem) if isinstance(problem, gls.CVRP) else TSPProblem(problem)


class Bound:
    """Operators that are given their problem when they are made."""

    package: str

    def operators(self, problem: Any) -> dict[str, Any]:
        import importlib
        from functools import partial

        names = ("LocalSearchMutation", "DoubleBridgeMutation", "LocalSearchSampling")
        package = importlib.import_module(self.package)
        made = [partial(getattr(package, name), problem) for name in names]
        return dict(zip(("search", "kick", "starts"), made, strict=True))


class PyGAD(Bound):
    """PyGAD hands over all offspring of a generation and the GA itself."""

    framework, package = "pygad", "gpu_ls_pygad"

    def search(self, problem: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        return self._mutated("search", problem, rows, seed, options)

    def kick(self, problem: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        return self._mutated("kick", problem, rows, seed, options)

    def _mutated(self, kind: str, problem: Any, rows: Rows, seed: int, options: Any) -> Rows:
        mutation = self.operators(problem)[kind](**options)
        ga = self._ga(problem, _others(problem.n), seed, mutation_type=mutation)
        given = rows.copy()
        made = mutation(given, ga)
        assert np.array_equal(given, rows) and made.dtype == rows.dtype
        return made

    def cross(self, problem: Any, part: Any, first: Rows, second: Rows, seed: int = 1) -> Rows:
        from gpu_ls_pygad import RecombinationCrossover

        # Offspring k is a child of parents k and k + 1: every second one is of a pair.
        parents = np.stack([first, second], axis=1).reshape(-1, first.shape[1])
        crossover = RecombinationCrossover(problem, part)
        ga = self._ga(problem, parents, seed, crossover_type=crossover)
        return crossover(parents, parents.shape, ga)[::2]

    def starts(self, problem: Any, size: int, seed: int = 1, **options: Any) -> Rows:
        return self.operators(problem)["starts"](**options)(size, seed=seed)

    def costs(self, problem: Any, rows: Rows) -> list[float]:
        ga = self._ga(problem, rows, 1)
        return (-ga.cal_pop_fitness()).tolist()

    def run(
        self, problem: gls.TSP, seconds: float, generations: int = 10**6, search: Any = None
    ) -> Outcome:
        from gpu_ls_pygad import RecombinationCrossover

        mutation = self.operators(problem)["search"](search)
        crossover = RecombinationCrossover(problem, "order_crossover")
        for operator in (mutation, crossover):
            operator.prepare(50)
        ga = self._ga(
            problem,
            _others(problem.n, 50),
            1,
            num_generations=generations,
            mutation_type=mutation,
            crossover_type=crossover,
            stop_criteria=f"time_{seconds}",
        )
        begin = time.perf_counter()
        ga.run()
        seconds = time.perf_counter() - begin
        tour, fitness, _ = ga.best_solution()
        return Outcome(seconds, float(-fitness), tour, ga.generations_completed)

    def _ga(self, problem: Any, rows: Rows, seed: int, **options: Any) -> Any:
        import pygad

        from gpu_ls_pygad import TourFitness

        given = {"num_generations": 1, "num_parents_mating": 2, "suppress_warnings": True}
        given |= {"gene_type": int, "initial_population": rows, "fitness_batch_size": len(rows)}
        return pygad.GA(**given | options, fitness_func=TourFitness(problem), random_seed=seed)


class Deap(Bound):
    """DEAP's operators change individuals in place; random numbers are Python's."""

    framework, package = "deap", "gpu_ls_deap"

    def search(self, problem: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        return self._mutated("search", problem, rows, seed, options)

    def kick(self, problem: Any, rows: Rows, seed: int = 1, **options: Any) -> Rows:
        return self._mutated("kick", problem, rows, seed, options)

    def _mutated(self, kind: str, problem: Any, rows: Rows, seed: int, options: Any) -> Rows:
        random.seed(seed)
        pop = individuals(rows)
        assert self.operators(problem)[kind](**options).batch(pop) is pop
        return np.array(pop)

    def cross(self, problem: Any, part: Any, first: Rows, second: Rows, seed: int = 1) -> Rows:
        from gpu_ls_deap import RecombinationCrossover

        random.seed(seed)
        pairs = list(zip(individuals(first), individuals(second), strict=True))
        RecombinationCrossover(problem, part).batch(pairs)
        return np.array([one for one, _ in pairs])

    def starts(self, problem: Any, size: int, seed: int = 1, **options: Any) -> Rows:
        random.seed(seed)
        return np.array(self.operators(problem)["starts"](**options)(list, size))

    def costs(self, problem: Any, rows: Rows) -> list[float]:
        from gpu_ls_deap import TourCost

        cost = TourCost(problem)
        return [cost(individual)[0] for individual in individuals(rows)]

    def run(
        self, problem: gls.TSP, seconds: float, generations: int = 10**6, search: Any = None
    ) -> Outcome:
        from deap import base, tools

        from gpu_ls_deap import RecombinationCrossover, TimedRun, TourCost, var_and

        random.seed(1)
        run, toolbox, best = TimedRun(seconds), base.Toolbox(), tools.HallOfFame(1)
        mutation = self.operators(problem)["search"](search, run=run)
        toolbox.register("evaluate", TourCost(problem))
        toolbox.register("select", tools.selTournament, tournsize=3)
        toolbox.register("mate", RecombinationCrossover(problem, "order_crossover"))
        toolbox.register("mutate", mutation)
        mutation.prepare(50)
        pop = individuals(_others(problem.n, 50))
        run.restart()
        begin, offspring, done = time.perf_counter(), pop, 0
        while True:
            for one in (one for one in offspring if not one.fitness.valid):
                one.fitness.values = toolbox.evaluate(one)
            best.update(offspring)
            pop[:] = offspring
            if run.over or done == generations:
                break
            done += 1
            offspring = var_and(toolbox.select(pop, 50), toolbox, 0.9, 1.0)
        seconds = time.perf_counter() - begin
        return Outcome(seconds, best[0].fitness.values[0], np.array(best[0]), done)


def individuals(rows: Rows, kind: Any = list) -> list[Any]:
    """Rows as DEAP's individuals, whose fitness is not valid."""
    from deap import base, creator

    name = f"TourOf{kind.__name__}"
    if not hasattr(creator, "Shortest"):
        creator.create("Shortest", base.Fitness, weights=(-1.0,))
    if not hasattr(creator, name):
        extra = {} if kind is not __import__("array").array else {"typecode": "i"}
        creator.create(name, kind, fitness=creator.Shortest, **extra)
    return [getattr(creator, name)(row) for row in np.asarray(rows).tolist()]


def _others(n: int, size: int = 4) -> Rows:
    """Random tours of a population, other ones than the tests'."""
    rng = np.random.default_rng(12345)
    return rng.permuted(np.tile(np.arange(n), (size, 1)), axis=1)


FACES: tuple[Face, ...] = (Pymoo(), PyGAD(), Deap())
