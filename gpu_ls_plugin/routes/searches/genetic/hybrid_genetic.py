"""Hybrid genetic search of routes, whose generation is a batch of many populations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.budget import Budget
from gpu_ls_plugin.core.exceptions import InsufficientMemoryError, UnsupportedProblemError
from gpu_ls_plugin.core.feasibility import warns_if_infeasible
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.routes.searches.genetic.genetic_population import GeneticPopulation
from gpu_ls_plugin.routes.searches.genetic.rules import Rules
from gpu_ls_plugin.runs.drive import drive
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.tours.engines import compiling_ahead
from gpu_ls_plugin.tours.problem.tsp import tour_problem
from gpu_ls_plugin.tours.searches.search_call import Call

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback, Result
    from gpu_ls_plugin.tours.problem.tsp import TSP

GENERATIONS = 200  # where nothing else limits a search
OF_A_CPU, OF_A_MULTIPROCESSOR = 1280, 32  # children of a generation, all populations together


@dataclass(frozen=True)
class HybridGeneticSearch(Rules, compiling_ahead.CompilesAhead):
    """Evolve a population of routes for each given tour, all of them side by side, in a ring.

    In each generation every population has `children` of parents that win binary tournaments by
    biased fitness: rank by cost and by distance to the closest others, feasible ones and others
    each among their own kind. Children are local optima (education) at prices for load and for
    duration beyond the limits, each of which follows the share of children that keep that limit; up
    to half of the children, infeasible ones first, are searched once more at ten times these prices
    (repair). The fittest survive, half of them feasible where there are so many. A population that
    does not become better for long begins anew, at random orders of the customers (Vidal 2022 for
    these ingredients, Nagata and Bräysy 2009 for one of the crossovers). The parents, children and
    survivors of all populations are one batch each, on the backend.

    Parameters
    ----------
    search : LocalSearch
        Educates children.
    crossover : RouteRecombination or sequence of them
        How children are made; of several, populations take turns.
    size : int
        Of a population, at least 2.
    children : int
        Of a population and generation, at least 2.
    elite : int
        Cheapest individuals that survive in any case.
    feasible : float
        Share of the children that should keep each limit, 0 to 1.
    patience : int
        Generations without a new best individual after which a population begins anew, and in which
        none comes into it afterwards.
    migration : int
        Generations between two migrations: the best feasible individual of each population is added
        to the next one's; the last one's, to the first.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or of the wrong kind.
    """

    name = "hybrid_genetic_search"

    @warns_if_infeasible
    def __call__(
        self,
        problem: Problem,
        tours: Any,
        *,
        seed: int | None = 0,
        budget: Budget | None = None,
        backend: str | Backend = "auto",
        device: int | None = None,
        callback: Callback | None = None,
        memory_limit: int | None = None,
        first_row: int = 0,
    ) -> Result:
        """Improve giant tours, each by a population of its own.

        Parameters
        ----------
        problem : CVRP
        tours : array, shape (P, n), integer
            Not changed. NumPy, or CuPy with the result on the same device. Each is one of the first
            individuals of its population.
        seed : int or None
            Of all that is random. The same seed and number of kicks give the same tours, of a batch
            of the same size. Pass another one for each call, or None to draw one.
        budget : Budget, optional
            `kicks` are the children of a population, in whole generations; `moves` are per tour,
            after the last generation that they last for. Without limits 200 generations.
        backend, device
            Where to search; see `get_backend`.
        callback : callable, optional
            Called with a `Progress` after each generation.
        memory_limit : int, optional
            Bytes that may be used.
        first_row : int
            Number of the first row, where the batch is a part of a larger one.

        Returns
        -------
        Result
            Row r comes from tour r, and never costs more: the best that its population had. After
            Ctrl-C what was found so far, with `statistics.interrupted`. `statistics.kicks` count
            children, `restarts` populations that began anew.

        Raises
        ------
        UnsupportedProblemError
            The problem has no routes, constraints of plugins, or asymmetric lengths that the
            crossover cannot work on.
        InvalidTourError, InvalidTypeError
            `tours` are not giant tours of the problem.
        InsufficientMemoryError
            Not all populations fit at once.
        """
        call = self.called(
            problem,
            tours,
            seed=seed,
            budget=budget,
            backend=backend,
            device=device,
            callback=callback,
            memory_limit=memory_limit,
            first_row=first_row,
        )
        with call.backend.current():
            self._evolve(call)
            with call.statistics.phase("costs"):
                costs = call.referee()
            return call.result(self, costs)

    def populations(self, backend: Backend) -> int:
        """Return how many populations a device is given, where nobody says how many.

        Parameters
        ----------
        backend : Backend

        Returns
        -------
        int
            So many that the children of a generation fill a GPU.
        """
        on_gpu = OF_A_MULTIPROCESSOR * backend.processors
        return max(1, (OF_A_CPU if backend.name == "cpu" else on_gpu) // self.children)

    def population(
        self, problem: Problem, tours: Any, *, seed: int, backend: str
    ) -> GeneticPopulation:
        """Return a population for each tour, all of which are bred as one."""
        return GeneticPopulation(self, tour_problem(problem), tours, seed, backend)

    def called(self, problem: Problem, tours: Any, **options: Any) -> Call:
        """Return the call that somebody makes of this search, once it is known to be possible.

        Parameters
        ----------
        problem, tours, **options
            As of a call.

        Raises
        ------
        UnsupportedProblemError, InvalidTourError, InvalidTypeError, InsufficientMemoryError
            As a call does.
        """
        self._check(problem)
        call = Call(problem, [], tours, stopped_by="kicks", **options)
        with call.backend.current():
            self._reserve(call)
        return call

    def _evolve(self, call: Call) -> None:
        """Replace the tours of a call by better ones, until something ends it."""
        population = GeneticPopulation(self, call.problem, call.tours, call.seed, "", call)

        def tours() -> NDArray[Any]:
            return np.array(call.backend.to_numpy(population.tours))

        def seen() -> bool:
            call.report(population.costs, tours)
            return False  # the population knows when its call is stopped

        call.end(drive(population, self._stretch(call.budget), seen, call.stopwatch))

    def _reserve(self, call: Call) -> None:
        """Raise InsufficientMemoryError where the populations do not fit."""
        n, asked = call.problem.n, len(call.tours)
        everyone = 2 * (self.size + self.children)
        crossed = max(crossover.bytes_per_tour(n) for crossover in self.crossovers)
        each = everyone * (crossed + 60 * n + 16 * everyone)
        if (fit := call.rows_that_fit(each, asked)) < asked:
            raise InsufficientMemoryError(
                f"memory_limit: {fit:,} of {asked:,} populations fit; search fewer tours at once, "
                "or by smaller populations"
            )

    def _stretch(self, budget: Budget) -> Stretch:
        """Return the limits of a whole call."""
        kicks, limits = budget.kicks, (budget.kicks, budget.moves, budget.seconds)
        if limits == (None, None, None):
            kicks = GENERATIONS * self.children
        return Stretch(kicks=kicks)

    def _check(self, problem: Problem) -> None:
        """Raise UnsupportedProblemError where such a search cannot be had."""
        routed = routing_problem(problem)
        if routed.resources:
            raise UnsupportedProblemError(
                f"problem: {routed.resources[0].name!r} is a resource of a plugin, whose "
                "violations have no price that could change; search by IteratedLocalSearch(...)"
            )
        for crossover in self.crossovers:
            crossover._check(routed.tsp, "problem", "choose crossover=SplitRecombination()")
        for part in self.search.neighbourhoods:
            part.check(routed.tsp)

    def compile_batch(self, problem: Problem, tours: Any, backend: Backend) -> None:
        """Compile what a batch like `tours` needs."""
        self._compile_ahead(tour_problem(problem), tours, backend, None)

    def _compile_ahead(
        self, problem: TSP, tours: Any, backend: str | Backend, device: int | None
    ) -> None:
        search = replace(self, search=compiling_ahead.with_quick_candidates(self.search, problem))
        # A GPU has one program for many rows, and another for the few of populations begun anew.
        on_gpu = get_backend(backend, device).name != "cpu"
        for some in (tours, tours[:1]) if on_gpu else (tours[: len(self.crossovers)],):
            found = search(problem, some, budget=Budget(kicks=1), backend=backend, device=device)
            if found.statistics.interrupted:
                raise KeyboardInterrupt
