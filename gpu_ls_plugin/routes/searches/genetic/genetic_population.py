"""The populations of a hybrid genetic search as one population of their best routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.routes.searches.genetic.breeding import Breeding
from gpu_ls_plugin.runs.population import Population

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.runs.stretch import Leg
    from gpu_ls_plugin.tours.searches.search_call import Call


class GeneticPopulation(Population):
    """The best routes of P populations of a search; each population begins with one of `tours`.

    A launch makes the first individuals or a generation. Copies and pickles hold only the best
    routes, on the host; their populations begin with these routes. `call` is the call of the search
    to which the populations belong; by default, the first launch makes one.
    """

    def __init__(
        self,
        search: Any,
        problem: Problem,
        tours: Any,
        seed: int,
        backend: str,
        call: Call | None = None,
    ) -> None:
        self.search, self.problem, self._seed, self._device = search, problem, seed, backend
        self._tours, self._call = tours, call
        self._breeding: Breeding | None = None
        self.statistics = Statistics() if call is None else call.statistics

    @property
    def backend(self) -> Backend:  # type: ignore[override]  # a pickle may go to another machine
        """Backend of the populations."""
        return get_backend(self._device) if self._call is None else self._call.backend

    @property
    def tours(self) -> Any:
        """Best routes of each population: array of the backend, shape (P, n), int32."""
        return self._tours if self._breeding is None else self._breeding.call.tours

    @property
    def costs(self) -> Any:
        """Costs of the best routes: array of the backend, shape (P,)."""
        if self._breeding is None:
            return self.problem.cost(self._tours)
        return self._breeding.best_costs

    def __len__(self) -> int:
        return len(self.tours)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_tours": on_host(self.tours), "_breeding": None, "_call": None}

    def over(self, leg: Leg) -> str | None:
        """Return why they stop, or None; limits on children and generations count as "kicks"."""
        call, statistics = self._call, self.statistics
        if call is not None and call.stopped:
            return call.statistics.stopped_by
        if leg.bred(self.generations):
            return "kicks"
        if call is not None and statistics.moves >= call.max_moves * len(self):
            return "moves"
        return "kicks" if statistics.kicks >= leg.until * len(self) else None

    def launch(self, leg: Leg) -> None:
        """Make the first individuals, or the next generation."""
        if self._call is None:
            routes = routing_problem(self.problem)
            place: dict[str, Any] = {"seed": self._seed, "backend": self._device}
            self._call = self.search.called(routes, self._tours, **place)
        self._call.stopwatch, self._call.statistics = leg.watch, self.statistics
        if self._breeding is None:
            self._breeding = Breeding(self.search, self._call)
        else:
            self._breeding.next()
        self.generations += 1
