"""Hybrid genetic search of routes with many populations side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core.budget import Budget
from gpu_ls_plugin.core.exceptions import InsufficientMemoryError
from gpu_ls_plugin.core.feasibility import warns_if_infeasible
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.routes.searches.genetic import set_partitioning
from gpu_ls_plugin.routes.searches.genetic.breeding import Rules
from gpu_ls_plugin.routes.searches.genetic.genetic_population import GeneticPopulation
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

GENERATIONS = 200  # number of generations of a search without limits
OF_A_CPU, OF_A_MULTIPROCESSOR = 1280, 32  # default number of children per generation


@dataclass(frozen=True)
class HybridGeneticSearch(Rules, compiling_ahead.CompilesAhead):
    """Evolve a population of routes for each given tour; all populations form a ring.

    In each generation, a population makes `children` children. Their parents win binary tournaments
    by biased fitness, which combines the rank by cost and the rank by distance to the closest
    individuals; feasible and infeasible individuals are ranked separately. A local search improves
    each child (education). Excess load, excess duration and the excess of each further resource
    have a price, which rises if too few children keep the limit and falls if too many do. Half of
    the children, infeasible ones first, are searched again at ten times these prices (repair). The
    fittest survive, half of them feasible if there are enough. A population that has not improved
    for long begins again with random orders of the customers. In runs with a time limit, the routes
    of all populations are combined by set partitioning after 50, 75 and 90 % of it (Subramanian,
    Uchoa and Ochi 2013). The rest follows Vidal (2022), and one of the default crossovers is by
    Nagata and Bräysy (2009). Parents, children and survivors of all populations are one batch each,
    on the backend.

    Parameters
    ----------
    search : LocalSearch
        Improves the children.
    crossover : RouteRecombination or sequence of them
        Makes the children. If there are several, they are assigned to the populations in turn.
    size : int
        Number of individuals of a population, at least 2.
    children : int
        Number of children of a population in each generation, at least 2.
    elite : int
        Number of cheapest feasible and of cheapest infeasible individuals that survive in any case.
    feasible : float
        Share of the children that should keep each limit, 0 to 1.
    patience : int
        A population begins again after this many generations without a new best individual. It
        then gets no immigrants for the same number of generations.
    migration : int
        Number of generations between two migrations. In a migration, each population gets a copy of
        the best feasible individual of the population before it in the ring.

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
        """Improve giant tours, each with its own population.

        Parameters
        ----------
        problem : CVRP
        tours : array, shape (P, n), integer
            Not changed. NumPy, or CuPy with the result on the same device. Each is one of the
            initial individuals of its population.
        seed : int or None
            Seed of all random choices. For a batch of the same size, the same seed and number of
            kicks give the same tours. None draws a seed.
        budget : Budget, optional
            `kicks` limits the children of each population, and `moves` the moves per tour; the
            generation that reaches a limit is completed. The default is 200 generations.
        callback : callable, optional
            Called with a `Progress` after each generation.
        backend, device, memory_limit, first_row
            As in `LocalSearch`.

        Returns
        -------
        Result
            Row r is the best tour of the population of tour r, and never costs more than tour r.
            After Ctrl-C, the best so far, with `statistics.interrupted`. `statistics.kicks` counts
            children, and `statistics.restarts` counts populations that began again.

        Raises
        ------
        UnsupportedProblemError
            The problem has no routes, or has asymmetric lengths that the crossover does not
            support.
        InvalidTourError, InvalidTypeError
            `tours` are not giant tours of the problem.
        InsufficientMemoryError
            Not all populations fit into memory at once.
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
        """Return the default number of populations: their children just fill the device."""
        on_gpu = OF_A_MULTIPROCESSOR * backend.processors
        return max(1, (OF_A_CPU if backend.name == "cpu" else on_gpu) // self.children)

    def population(
        self, problem: Problem, tours: Any, *, seed: int, backend: str
    ) -> GeneticPopulation:
        """Return a `Population` object that evolves the given tours."""
        return GeneticPopulation(self, tour_problem(problem), tours, seed, backend)

    def called(self, problem: Problem, tours: Any, **options: Any) -> Call:
        """Return a checked call of this search; arguments and errors are those of `__call__`."""
        self._check(problem)
        call = Call(problem, [], tours, stopped_by="kicks", **options)
        with call.backend.current():
            self._reserve(call)
        return call

    def _evolve(self, call: Call) -> None:
        """Replace the tours of a call with better ones until the call ends."""
        population = GeneticPopulation(self, call.problem, call.tours, call.seed, "", call)

        def tours() -> NDArray[Any]:
            return np.array(call.backend.to_numpy(population.tours))

        def seen() -> bool:
            call.report(population.costs, tours)
            return False  # the population itself checks whether its call is stopped

        call.end(drive(population, self._stretch(call.budget), seen, call.stopwatch))

    def _reserve(self, call: Call) -> None:
        """Raise InsufficientMemoryError if the populations do not fit."""
        n, asked = call.problem.n, len(call.tours)
        individuals = 2 * (self.size + self.children)
        crossed = max(crossover.bytes_per_tour(n) for crossover in self.crossovers)
        each = individuals * (crossed + 60 * n + 16 * individuals)
        if (fit := call.rows_that_fit(each, asked)) < asked:
            raise InsufficientMemoryError(
                f"memory_limit: {fit:,} of {asked:,} populations fit; search fewer tours at once, "
                "or use smaller populations"
            )

    def _stretch(self, budget: Budget) -> Stretch:
        """Return the limits of a whole call."""
        kicks, limits = budget.kicks, (budget.kicks, budget.moves, budget.seconds)
        if limits == (None, None, None):
            kicks = GENERATIONS * self.children
        return Stretch(kicks=kicks)

    def _check(self, problem: Problem) -> None:
        """Raise UnsupportedProblemError if this search does not support the problem."""
        routed = routing_problem(problem)
        for crossover in self.crossovers:
            crossover._check(routed.tsp, "problem", "choose crossover=SplitRecombination()")
        for part in self.search.neighbourhoods:
            part.check(routed.tsp)

    def compile_batch(self, problem: Problem, tours: Any, backend: Backend) -> None:
        """Compile the kernels for a batch like `tours`."""
        self._compile_ahead(tour_problem(problem), tours, backend, None)

    def _compile_ahead(
        self, problem: TSP, tours: Any, backend: str | Backend, device: int | None
    ) -> None:
        set_partitioning.load()
        search = replace(self, search=compiling_ahead.with_quick_candidates(self.search, problem))
        # A GPU needs a program for many rows and one for the few rows of restarted populations.
        on_gpu = get_backend(backend, device).name != "cpu"
        for some in (tours, tours[:1]) if on_gpu else (tours[: len(self.crossovers)],):
            found = search(problem, some, budget=Budget(kicks=1), backend=backend, device=device)
            if found.statistics.interrupted:
                raise KeyboardInterrupt
