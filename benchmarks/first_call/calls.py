"""First calls of the library; a process runs one of them and prints its seconds.

A process imports the library and the frameworks alone, so that this file also runs where only a
wheel is installed. What a case imports and prepares is not timed: instances, random rows, an
earlier call. Instances are generated from the seed.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import gpu_ls_plugin as gls

if TYPE_CHECKING:
    from collections.abc import Callable

    from one_call import Setting

    Call = Callable[[], float]

CITIES, CUSTOMERS, FACILITIES, VERTICES = 200, 100, 20, 50
COLOURS = 7  # fewer than the graph needs, so that no search ends before its time
MANY = (30, 50)  # instances, cities of each
ROWS, SIZE = 10, 50  # of a local search, of a population
WITHOUT_END = 10**9  # generations
SECONDS, LIMIT = 0.5, 2.0  # asked for; limit of the case about limits


# ---- Instances -----------------------------------------------------------------------------------


def cities(n: int, seed: int) -> gls.TSP:
    """Return cities, uniform in a square."""
    return gls.TSP(np.random.default_rng(seed).integers(0, 10_000, (n, 2)), "EUC_2D")


def rows(n: int, size: int, seed: int) -> Any:
    """Return random permutations, made without a kernel."""
    return np.random.default_rng(seed).permuted(np.tile(np.arange(n), (size, 1)), axis=1)


def customers(count: int, seed: int) -> gls.CVRP:
    """Return customers, uniform in a square; a vehicle serves about ten."""
    draw = np.random.default_rng(seed)
    places = draw.integers(0, 1_000, (count + 1, 2))
    return gls.CVRP(places, np.r_[0, draw.integers(1, 100, count)], 500, metric="EUC_2D")


INSTANCES: dict[str, Callable[[int], Any]] = {  # by seed
    "tour": lambda seed: cities(CITIES, seed),
    "routes": lambda seed: customers(CUSTOMERS, seed),
    "QAP": lambda seed: gls.QuadraticAssignment.generated(FACILITIES, seed),
    "colouring": lambda seed: gls.GraphColouring.random(VERTICES, 0.5, COLOURS, seed),
}
LARGER: dict[str, Callable[[int], Any]] = {
    "1,000 cities": lambda seed: cities(1_000, seed),
    "5,000 cities": lambda seed: cities(5_000, seed),
    "400 customers": lambda seed: customers(400, seed),
}


# ---- Cases: functions that prepare a call and return it; the call returns the cost it reached ----


def local_search(setting: Setting, moves: Any = None) -> Call:
    """A `LocalSearch` on ten random tours, by default `LocalSearch()`."""
    problem, tours = cities(CITIES, setting.seed), rows(CITIES, ROWS, setting.seed)
    search = gls.LocalSearch() if moves is None else gls.LocalSearch(moves)
    return lambda: search(problem, tours, seed=1, backend=setting.backend).best_cost


def foreign_neighbourhood(setting: Setting) -> Call:
    """A `LocalSearch` with the neighbourhood that `gpu-ls new` writes."""
    from gpu_ls_plugin.plugins.new_package import write_package

    folder = tempfile.TemporaryDirectory()
    sys.path.insert(0, str(write_package("own", "neighbourhood", Path(folder.name))))
    import gpu_ls_own

    search = local_search(setting, [gpu_ls_own.OwnMoves()])

    def call() -> float:
        with folder:  # is removed after the search has read its C++
            return search()

    return call


def solved(make: Callable[[int], Any]) -> Callable[[Setting], Call]:
    """Return the case of `solve` on the instance that `make` returns for a seed."""

    def prepare(setting: Setting) -> Call:
        problem, solve = make(setting.seed), gls.solve
        return lambda: solve(problem, **setting.place).best_cost

    return prepare


def second(make: Callable[[int], Any]) -> Callable[[Setting], Call]:
    """Return the case of `solve` on such an instance after a `solve` of cities."""

    def prepare(setting: Setting) -> Call:
        gls.solve(cities(CITIES, setting.seed), **setting.place)
        return solved(make)(setting)

    return prepare


def solved_many(setting: Setting) -> Call:
    """`solve_many`."""
    points = np.random.default_rng(setting.seed).random((*MANY, 2))
    solve_many = gls.solve_many
    return lambda: float(solve_many(points, **setting.place).costs.mean())


def descent(make: Callable[[int], Any]) -> Callable[[Setting], Call]:
    """Return the case of greedy, 2-opt and Or-opt, run to the local optimum."""

    def prepare(setting: Setting) -> Call:
        problem = make(setting.seed)
        search = gls.LocalSearch([gls.TwoOpt(), gls.OrOpt(3)])
        place = {"seed": setting.seed, "backend": setting.backend}

        def call() -> float:
            return search(problem, gls.greedy(problem, **place), **place).best_cost

        return call

    return prepare


def memetic(setting: Setting) -> Call:
    """pymoo's `minimize` with `MemeticGA`."""
    from gpu_ls_pymoo import MemeticGA

    return minimised(setting, lambda: MemeticGA(backend=setting.backend))


def searched_mutation(setting: Setting) -> Call:
    """pymoo's GA with an order crossover and `LocalSearchMutation`."""
    from pymoo.algorithms.soo.nonconvex.ga import GA
    from pymoo.operators.crossover.ox import OrderCrossover
    from pymoo.operators.sampling.rnd import PermutationRandomSampling

    from gpu_ls_pymoo import LocalSearchMutation

    def algorithm() -> Any:
        return GA(
            pop_size=SIZE,
            sampling=PermutationRandomSampling(),
            crossover=OrderCrossover(),
            mutation=LocalSearchMutation(backend=setting.backend),
        )

    return minimised(setting, algorithm)


def minimised(setting: Setting, algorithm: Callable[[], Any]) -> Call:
    """Return the call of pymoo's `minimize` on a problem of pymoo."""
    from pymoo.optimize import minimize
    from pymoo.problems.single.traveling_salesman import create_random_tsp_problem

    problem, limit = create_random_tsp_problem(CITIES, 100, seed=1), ("time", setting.seconds)
    return lambda: float(minimize(problem, algorithm(), limit, seed=setting.seed).F[0])


def memetic_limit(setting: Setting) -> Call:
    """`MemeticGA` from its first generation on, in pymoo's own loop."""
    from pymoo.problems.single.traveling_salesman import create_random_tsp_problem

    from gpu_ls_pymoo import MemeticGA

    problem, limit = create_random_tsp_problem(CITIES, 100, seed=1), ("time", setting.seconds)

    def call() -> float:
        algorithm = MemeticGA(backend=setting.backend)
        algorithm.setup(problem, termination=limit, seed=setting.seed)
        setting.start()
        while algorithm.has_next():
            algorithm.next()
        return float(algorithm.result().F[0])

    return call


def pygad_mutation(setting: Setting) -> Call:
    """PyGAD's GA with the operators of its guide."""
    import pygad

    from gpu_ls_pygad import LocalSearchMutation, RecombinationCrossover, TourFitness

    problem, place = cities(CITIES, setting.seed), {"backend": setting.backend}

    def call() -> float:
        ga = pygad.GA(
            num_generations=WITHOUT_END,
            stop_criteria=f"time_{setting.seconds}",
            num_parents_mating=SIZE // 2,
            initial_population=rows(CITIES, SIZE, setting.seed),
            gene_type=int,
            fitness_func=TourFitness(problem),
            fitness_batch_size=SIZE,
            crossover_type=RecombinationCrossover(problem, "order_recombination", **place),
            mutation_type=LocalSearchMutation(problem, **place),
            random_seed=setting.seed,
            suppress_warnings=True,
        )
        ga.run()
        return -float(ga.best_solution()[1])

    return call


def deap_mutation(setting: Setting) -> Call:
    """DEAP's variation with the mutation of its guide, for as long as its clock runs."""
    from deap import algorithms, base, creator, tools

    from gpu_ls_deap import LocalSearchMutation, TimedRun, TourCost

    problem = cities(CITIES, setting.seed)
    creator.create("Shortest", base.Fitness, weights=(-1.0,))
    creator.create("Tour", list, fitness=creator.Shortest)
    population = list(map(creator.Tour, rows(CITIES, SIZE, setting.seed).tolist()))
    random.seed(setting.seed)

    def call() -> float:
        nonlocal population
        run, best = TimedRun(setting.seconds), tools.HallOfFame(1)
        toolbox, evaluate = base.Toolbox(), TourCost(problem)
        toolbox.register("mate", tools.cxOrdered)
        toolbox.register("mutate", LocalSearchMutation(problem, backend=setting.backend, run=run))
        toolbox.register("select", tools.selTournament, tournsize=3)
        while True:
            for individual in population:
                if not individual.fitness.valid:
                    individual.fitness.values = evaluate(individual)
            best.update(population)
            if run.over:
                return float(best[0].fitness.values[0])
            chosen = toolbox.select(population, SIZE)
            population = algorithms.varAnd(chosen, toolbox, cxpb=0.9, mutpb=1.0)

    return call


FIRST_CALLS: dict[str, Callable[[Setting], Call]] = {
    "LocalSearch": local_search,
    "LocalSearch, foreign neighbourhood": foreign_neighbourhood,
    **{f"solve, {name}": solved(make) for name, make in INSTANCES.items()},
    "solve_many": solved_many,
    "pymoo, MemeticGA": memetic,
    "pymoo, LocalSearchMutation": searched_mutation,
    "PyGAD": pygad_mutation,
    "DEAP": deap_mutation,
    "routes after a tour": second(INSTANCES["routes"]),
    "QAP after a tour": second(INSTANCES["QAP"]),
    "MemeticGA from its first generation": memetic_limit,
}
CASES = FIRST_CALLS | {
    f"{what}, {name}": case(make)
    for name, make in LARGER.items()
    for what, case in (("solve", solved), ("descent", descent))
}


if __name__ == "__main__":
    from one_call import run_case

    run_case(__doc__, CASES)
