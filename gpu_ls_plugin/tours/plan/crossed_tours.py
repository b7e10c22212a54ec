"""Populations whose tours are crossed: where they pay, how many tours, and how often."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gpu_ls_plugin.runs.request import repairs
from gpu_ls_plugin.tours.crossovers.edge_assembly import EdgeAssembly
from gpu_ls_plugin.tours.engines.chains import chain_layouts
from gpu_ls_plugin.tours.engines.chains.chain_layouts import LONGEST_WHOLE
from gpu_ls_plugin.tours.kernels import tour_layouts

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.problem.tsp import TSP

LEAST, MOST = 16, 512  # chains whose tours are crossed; there may be more on a GPU
# For a city of a tour, until crossovers have found most, on one core; of long tours it is more.
SECONDS, SECONDS_OF_LONG = 1e-5, 5e-5
# Chains of a multiprocessor, by the least seconds for a city; and between two exchanges the kicks
# of a chain for each second, no fewer and no more than so many per city.
PER_PROCESSOR = ((1e-3, 16), (2e-4, 8), (0.0, 4))
PER_PROCESSOR_LONG = 2  # where fewer than that fit; searched in parts, they need not
KICKS_BETWEEN, LEAST_BETWEEN, MOST_BETWEEN = 500, 0.02, 0.5
# A crossover changes some dozens of edges here and there: long tours need more generations, each as
# long as the slowest pair takes, so that there are fewer tours, and more kicks in between.
GENERATIONS, CITIES_OF_A_GENERATION = 10, 1800
LEAST_LONG, LONG_TOURS, POWER_OF_TOURS = 48, 2.45e11, 2.27  # x seconds / cities**power, on a GPU
LEAST_BETWEEN_LONG, CITIES_OF_A_KICK = 0.25, 60_000  # kicks per city between two exchanges, there
# Seconds from which on tours of so many cities are crossed, on a GPU and on one core; they grow
# with a power of the cities. With fewer, a single tour that is searched in parts is the better one.
LONG, CROSSED_AFTER, POWER = 18_500, {"cuda": 0.5, "cpu": 24.0}, 1.7
LONGEST = 200_000


def pay(problem: TSP, backend: Backend, seconds: float, search: object) -> bool:
    """Return whether tours are crossed, if there are enough of them.

    Edge assembly compares lengths, so it needs an objective that is the length alone.

    Parameters
    ----------
    problem : TSP
    backend : Backend
    seconds : float
        Of the whole search.
    search : callable or None
        That was asked for.
    """
    crosses = isinstance(getattr(search, "cooperation", None), EdgeAssembly)
    if not (search is None or crosses or repairs(search)):
        return False
    if not (problem.symmetric and problem.objective.length_alone):
        return False
    if problem.n <= LONGEST_WHOLE:
        return True
    if hasattr(search, "kick") or problem.coordinates is None:
        return False
    cores = backend.processors if backend.name == "cpu" else 1
    least = CROSSED_AFTER[backend.name] / cores * (problem.n / LONG) ** POWER
    return problem.n <= LONGEST and seconds >= least


def population(problem: TSP, backend: Backend, seconds: float) -> int:
    """Return how many tours are crossed: what crossovers bring near the optimum in half the time.

    On a GPU there are so many for a multiprocessor as it can hold; of long tours, which it need
    not hold, fewer the longer they are.
    """
    if backend.name == "cpu":
        each = 2 * (SECONDS if problem.n <= LONGEST_WHOLE else SECONDS_OF_LONG) * problem.n
        return int(min(max(LEAST, seconds * backend.processors / each), MOST))
    tours = next(t for least, t in PER_PROCESSOR if seconds >= least * problem.n)
    most = max(LEAST, resident(problem, backend, tours))
    if problem.n <= LONGEST_WHOLE:
        return most
    most = max(most, PER_PROCESSOR_LONG * backend.processors)
    return int(min(most, max(LEAST_LONG, LONG_TOURS * seconds / problem.n**POWER_OF_TOURS)))


def resident(problem: TSP, backend: Backend, each: int) -> int:
    """Return the chains that a GPU has at a time, up to `each` for a multiprocessor."""
    needs = tour_layouts.ChainNeeds(problem.metric.site_bytes)
    shape = chain_layouts.chain_shape(problem.n, each, backend.shared_memory, needs)
    return backend.processors * shape.teams * shape.blocks


def crossover(problem: TSP, backend: Backend, seconds: float) -> EdgeAssembly:
    """Return how tours are crossed: on a GPU after fewer kicks where there is less time."""
    generations = max(GENERATIONS, problem.n // CITIES_OF_A_GENERATION)
    if backend.name == "cpu":
        usual = EdgeAssembly(strategy="staged")
        return usual if problem.n <= LONGEST_WHOLE else replace(usual, generations=generations)
    if problem.n > LONGEST_WHOLE:
        every = max(LEAST_BETWEEN_LONG, problem.n / CITIES_OF_A_KICK)
    else:
        every = min(max(LEAST_BETWEEN, KICKS_BETWEEN * seconds / problem.n), MOST_BETWEEN)
    return EdgeAssembly(every, generations, strategy="staged")
