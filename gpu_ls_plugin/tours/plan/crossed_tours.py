"""Settings of crossovers: when they pay, for how many tours, and after how many kicks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gpu_ls_plugin.runs.settings import repairs
from gpu_ls_plugin.tours.crossovers.edge_assembly import EdgeAssembly
from gpu_ls_plugin.tours.engines.chains import chain_layouts
from gpu_ls_plugin.tours.engines.chains.chain_layouts import LONGEST_WHOLE
from gpu_ls_plugin.tours.kernels import tour_layouts

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.problem.tsp import TSP

# Measured: docs/lab/tours.md, "Populations" and "Long tours".
LEAST, MOST = 16, 512  # minimum and maximum number of tours in a population; GPUs may have more
# Seconds per city that a tour, or a tour of more than LONGEST_WHOLE cities, needs on one core until
# crossovers have most of their effect.
SECONDS, SECONDS_OF_LONG = 1e-5, 1.5e-5
# Chains per multiprocessor of a GPU, as (minimum seconds per city, chains).
PER_PROCESSOR = ((1e-3, 16), (2e-4, 8), (0.0, 4))
# Long tours are searched in parts and need not all fit at once. A GPU has LONG_TOURS * seconds /
# cities of them: at least LEAST_LONG, and at most PER_PROCESSOR_LONG per multiprocessor.
PER_PROCESSOR_LONG, LEAST_LONG, LONG_TOURS = 4, 48, 1e6
# Number of kicks of a chain between two exchanges: per second of the run, and limits per city.
KICKS_BETWEEN, LEAST_BETWEEN, MOST_BETWEEN = 500, 0.02, 0.5
BETWEEN_LONG = 0.4  # kicks per city between two exchanges of long tours
# Number of generations of an exchange. A crossover tries cities**2 / CITIES_OF_AN_OFFSPRING cycles,
# or the usual number if that is more. With more cycles, tours become alike sooner.
GENERATIONS, CITIES_OF_AN_OFFSPRING = 10, 400_000
# Crossovers of tours of LONG cities pay in runs of at least CROSSED_AFTER seconds, on a GPU or on
# one core. This time grows with a power of the number of cities. In less time, a search of one tour
# in parts does better.
LONG, CROSSED_AFTER, POWER = 18_500, {"cuda": 0.5, "cpu": 3.0}, 1.4
LONGEST = 200_000  # maximum number of cities for crossovers


def crossovers_pay(problem: TSP, backend: Backend, seconds: float, search: object) -> bool:
    """Return whether crossovers pay, if the population is large enough.

    Edge assembly compares lengths, so the problem must not have an objective.

    Parameters
    ----------
    seconds : float
        Time of the whole search.
    search : callable or None
        The search that the user has passed; None if the plan chooses it.
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
    """Return the size of a population that crossovers bring near the optimum in half of the time.

    On a GPU, that is the number of chains that the multiprocessors hold. Long tours need not all
    fit at once; the longer the tours, the smaller the population.
    """
    if backend.name == "cpu":
        each = 2 * (SECONDS if problem.n <= LONGEST_WHOLE else SECONDS_OF_LONG) * problem.n
        return int(min(max(LEAST, seconds * backend.processors / each), MOST))
    tours = next(t for least, t in PER_PROCESSOR if seconds >= least * problem.n)
    most = max(LEAST, chains_at_a_time(problem, backend, tours))
    if problem.n <= LONGEST_WHOLE:
        return most
    most = max(most, PER_PROCESSOR_LONG * backend.processors)
    return int(min(most, max(LEAST_LONG, LONG_TOURS * seconds / problem.n)))


def chains_at_a_time(problem: TSP, backend: Backend, each: int) -> int:
    """Return how many chains a GPU runs at a time, up to `each` per multiprocessor."""
    needs = tour_layouts.ChainNeeds(problem.metric.site_bytes)
    shape = chain_layouts.chain_shape(problem.n, each, backend.shared_memory, needs)
    return backend.processors * shape.teams * shape.blocks


def crossover(problem: TSP, backend: Backend, seconds: float) -> EdgeAssembly:
    """Return the crossover of a population; on a GPU, less time means more frequent crossovers."""
    offspring = max(EdgeAssembly.offspring, problem.n**2 // CITIES_OF_AN_OFFSPRING)
    usual = EdgeAssembly(offspring=offspring, strategy="staged")
    long = problem.n > LONGEST_WHOLE
    if backend.name == "cpu":
        return replace(usual, generations=GENERATIONS) if long else usual
    every = min(max(LEAST_BETWEEN, KICKS_BETWEEN * seconds / problem.n), MOST_BETWEEN)
    return replace(usual, every=BETWEEN_LONG if long else every, generations=GENERATIONS)
