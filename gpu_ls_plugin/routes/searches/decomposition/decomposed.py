"""Search of routes in parts: each round cuts the problem, searches the parts and joins them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.core.feasibility import warns_if_infeasible
from gpu_ls_plugin.routes.engines.prices import PricedMigration
from gpu_ls_plugin.routes.moves.between_routes import RouteMoves
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.routes.removals.string_removal import StringRemoval
from gpu_ls_plugin.routes.searches.decomposition.cuts import grouped
from gpu_ls_plugin.routes.searches.decomposition.run import DecomposedRun, chains_of_part
from gpu_ls_plugin.routes.searches.decomposition.sub_problem import SubProblem, search_part
from gpu_ls_plugin.runs.acceptance import Annealing
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.runs.team import Team
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.engines import compiling_ahead
from gpu_ls_plugin.tours.engines.compiling_ahead import compile_chains
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs
from gpu_ls_plugin.tours.problem.tsp import tour_problem
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.tours.searches.local_search import LocalSearch
from gpu_ls_plugin.tours.searches.search_call import Call

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.budget import Budget
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback, Result
    from gpu_ls_plugin.routes.problem.cvrp import CVRP
    from gpu_ls_plugin.routes.problem.resources.base import Resource
    from gpu_ls_plugin.routes.searches.decomposition.sub_problem import Routes
    from gpu_ls_plugin.tours.problem.tsp import TSP

# Maximum number of lanes of a GPU, each of which searches one part at a time. Each lane has a
# thread, which launches kernels a few times in 50 ms.
MOST_LANES = 32


def _default_search() -> IteratedLocalSearch:
    return IteratedLocalSearch(
        LocalSearch([RouteMoves()], candidates=Nearest(20)),
        StringRemoval(),
        accept=Annealing(0.3, 0.01),
        cooperation=PricedMigration(0.5, 0.2),
    )


def undivided(problem: CVRP) -> Resource | None:
    """Return a resource that does not allow a search in parts, or None."""
    nodes = np.arange(problem.customers + 1)
    return next((part for part in problem.resources if part.of_nodes(nodes) is None), None)


@dataclass(frozen=True)
class Decomposed(compiling_ahead.CompilesAhead):
    """Improve the routes of one giant tour in parts that are searched side by side.

    Each round groups routes near each other, alternately by sectors around the depot and by
    repeated halving, in which each half is near one of two routes that are far apart. Each group,
    with the depot, is a separate vehicle routing problem. Chains of an iterated search begin with
    the routes of a group; all groups are searched at the same time. The best routes of all groups
    form the next tour. The chains make as many kicks in all as they would on the whole tour, but
    with p parts, a chain kicks each of its customers p times as often (Taillard 1993; Santini et
    al. 2023). Acceptance depends on the progress of the whole run, not on that of a round.

    Parameters
    ----------
    search : IteratedLocalSearch
        Searches the parts, or the whole problem if it cannot be cut or if the cheapest tour is
        infeasible.
    customers : int
        Approximate number of customers of a part.
    rounds : int
        Number of rounds; fewer if a round would be shorter than a quarter of a second.
    chains : int, optional
        Total number of chains, shared equally among the parts, but at least one for each; by
        default, the number of tours.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or of the wrong kind.
    """

    search: IteratedLocalSearch = field(default_factory=_default_search)
    customers: int = 350
    rounds: int = 16
    chains: int | None = None

    name = "decomposed"

    def __post_init__(self) -> None:
        wanted = "IteratedLocalSearch"
        checks.fields(self, checks.instance, "search", kind=IteratedLocalSearch, wanted=wanted)
        checks.fields(self, checks.integer, "customers", "rounds", least=1, most=checks.MOST_INT)
        checks.given_fields(self, checks.integer, "chains", least=1, most=checks.MOST_INT)

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
        begin_share: float = 0.0,
        end_share: float = 1.0,
    ) -> Result:
        """Improve the cheapest of a batch of giant tours.

        Parameters
        ----------
        problem : CVRP
        tours : array, shape (P, n), integer
            Not changed. NumPy, or CuPy with the result on the same device. If there are fewer tours
            than chains and the whole problem is searched, tours are repeated.
        seed : int or None
            Seed of cuts, kicks and acceptance. With a budget in kicks, the same seed gives the same
            tours; with a limit in seconds, it may not. None draws a seed.
        budget : Budget, optional
            `kicks` and `moves` are per chain; the parts share the kicks of all chains.
        callback : callable, optional
            Called with a `Progress` about twenty times a second.
        backend, device, memory_limit, first_row
            As in `LocalSearch`.
        begin_share, end_share : float
            Shares of a longer run at which this call begins and ends, 0 to 1. Acceptance and the
            number of rounds follow that run.

        Returns
        -------
        Result
            Tours sorted by cost: the improved tour and the other tours, unchanged. If the whole
            problem is searched, the result of `search`. After Ctrl-C, the best tours so far, with
            `statistics.interrupted`.

        Raises
        ------
        UnsupportedProblemError
            The problem has no routes, or `search` does not support it.
        InvalidTourError, InvalidTypeError, InvalidParameterError
            `tours` are not giant tours of the problem, a share is not a number between 0 and 1, or
            `end_share` is less than `begin_share`.
        InsufficientMemoryError
            Not even one tour fits into memory.
        """
        self._check(problem)
        begin = checks.number("begin_share", begin_share, least=0.0, most=1.0)
        share = (begin, checks.number("end_share", end_share, least=begin, most=1.0))
        call = Call(
            problem,
            [self.search],
            tours,
            seed=seed,
            budget=budget,
            backend=backend,
            device=device,
            callback=callback,
            memory_limit=memory_limit,
            first_row=first_row,
            stopped_by="kicks",
        )
        whole = routing_problem(call.problem)
        with call.backend.current():
            row, routes = _first_routes(call, whole)
        parts = 1 if routes is None else self._parts(whole, routes, call.backend)
        if routes is None or parts < 2:
            return self._whole(call, problem, tours)
        with call.backend.current():
            chains = self.chains or len(call.tours)
            run = DecomposedRun(
                self.search,
                call,
                whole,
                routes,
                chains,
                parts=parts,
                rounds=self.rounds,
                share=share,
            )
            with Team(call.backend, lanes_of(call.backend, parts)) as team:
                run.go(team)
            call.tours[row] = call.backend.xp.asarray(whole.tour(run.routes))
            with call.statistics.phase("costs"):
                costs = call.referee()
            call.statistics.history.append(call.last_point(costs))
            return call.result(self, costs).sorted()

    def _parts(self, problem: CVRP, routes: Routes, backend: Backend) -> int:
        """Return the number of parts; 1 if the problem is not cut."""
        most = len(routes) if backend.name == "cpu" else min(len(routes), MOST_LANES)
        return max(1, min(most, round(problem.customers / self.customers)))

    def _whole(self, call: Call, problem: Problem, tours: Any) -> Result:
        """Search the whole problem in the remaining time."""
        if (self.chains or 0) > len(call.tours):
            rows = np.arange(self.chains or 0) % len(call.tours)
            tours = call.backend.to_numpy(call.tours)[rows]
        return self.search(
            problem,
            tours,
            seed=call.seed,
            budget=call.stopwatch.rest,
            backend=call.backend,
            callback=call.callback,
            memory_limit=call.memory(),
            first_row=call.first_row,
        )

    def _check(self, problem: Problem) -> None:
        """Raise UnsupportedProblemError if routes cannot be searched in parts."""
        if (part := undivided(routing_problem(problem))) is not None:
            raise UnsupportedProblemError(
                f"problem: the resource {part.name!r} has no method of_nodes(), so routes "
                "cannot be searched in parts; use IteratedLocalSearch(...)"
            )

    def compile_batch(self, problem: Problem, tours: Any, backend: Backend) -> None:
        """Compile the kernels for a batch like `tours`, before threads search its parts."""
        compile_parts(self, tour_problem(problem), tours, backend)
        super().compile_batch(problem, tours, backend)

    def _compile_ahead(
        self, problem: TSP, tours: Any, backend: str | Backend, device: int | None
    ) -> None:
        self.search._compile_ahead(problem, tours, backend, device)
        compile_parts(self, problem, tours, get_backend(backend, device))


def _first_routes(call: Call, problem: CVRP) -> tuple[int, Routes | None]:
    """Return the row of a call's cheapest tour, and its routes, or None if it is infeasible."""
    costs = tour_costs(call.backend, problem.tsp, call.tours)
    row = int(costs.argmin())
    tour = call.backend.to_numpy(call.tours[row])
    return row, problem.routes(tour) if problem.feasible(tour)[0] else None


def lanes_of(backend: Backend, parts: int) -> int:
    """Return how many parts are searched at the same time."""
    return min(parts, backend.processors if backend.name == "cpu" else MOST_LANES)


def compile_parts(search: Decomposed, problem: TSP, tours: Any, backend: Backend) -> None:
    """Compile the kernels for the smallest and the largest part of a batch like `tours`."""
    whole = routing_problem(problem)
    tour = backend.to_numpy(tours[0])
    routes = whole.routes(tour) if whole.feasible(tour)[0] else whole.simple_routes()
    parts = search._parts(whole, routes, backend)
    if parts < 2:
        rows = np.arange(search.chains or len(tours)) % len(tours)
        compile_chains(search.search, problem, backend.to_numpy(tours)[rows], backend)
        return
    groups = grouped(whole, routes, parts, 1, np.random.default_rng(0))
    chains = chains_of_part(search.chains or len(tours), parts)
    share = max(1, backend.processors // lanes_of(backend, parts))
    by_size = sorted(groups, key=lambda group: sum(len(routes[route]) for route in group))
    for group in (by_size[0], by_size[-1]):
        sub = SubProblem.of(whole, [routes[route] for route in group], len(group))
        rows = np.tile(sub.tour, (chains, 1))
        with backend.lane(0, share):
            compile_chains(search.search, sub.problem.tsp, rows, backend)
            search_part(
                sub, search.search, backend, Stretch(kicks=1), chains=chains, seed=0, first_row=0
            )
