"""Populations of routes in progress: what the generations of a search work on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.budget import Budget
from gpu_ls_plugin.routes.construction.batch import RouteBatch
from gpu_ls_plugin.routes.construction.split import cut
from gpu_ls_plugin.routes.problem.cvrp import CVRP, routing_problem
from gpu_ls_plugin.routes.searches.genetic.fitness import (
    biased_fitness,
    ranks,
    shared_buckets,
    survivors,
)
from gpu_ls_plugin.routes.searches.genetic.overfull import Overfull
from gpu_ls_plugin.routes.searches.genetic.prices import Prices
from gpu_ls_plugin.tours.construction.random_tours import shuffle
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from gpu_ls_plugin.routes.searches.genetic.rules import Rules
    from gpu_ls_plugin.tours.searches.search_call import Call

BORN = 2  # times its size are the individuals of which a population's first are chosen
BETWEEN_PRICES = 2  # generations
NO_TOUR = 1 << 62  # more than any costs


@dataclass
class Individuals:
    """Individuals of S populations, M of each, on a backend."""

    tours: Any  # (S, M, n) int32
    costs: Any  # (S, M), at the prices of violations
    feasible: Any  # (S, M) bool

    @property
    def arrays(self) -> tuple[Any, Any, Any]:
        """All that is known of them."""
        return self.tours, self.costs, self.feasible

    @classmethod
    def joined(cls, xp: Any, parts: Iterable[Individuals]) -> Individuals:
        """Return the individuals of several parts, population by population."""
        arrays = zip(*(part.arrays for part in parts), strict=True)
        return cls(*(xp.concatenate(each, axis=1) for each in arrays))


class Breeding:
    """Populations, one for each tour of a call, whose `tours` become the best that each has had.

    The `living` share buckets of edges, `shared` (S, M, M), as `shared_buckets` counts them; a
    population has been `idle` (S,) for so many generations since it became better, and is `alone`
    (S,), without immigrants, for so many more. `best_costs` (S,) are those of `call.tours`.
    """

    def __init__(self, rules: Rules, call: Call) -> None:
        self._rules, self.call = rules, call
        self._backend, self._xp = call.backend, call.backend.xp
        self._asked = routing_problem(call.problem)
        self.prices = Prices(call.backend, self._asked)
        self._overfull = Overfull(self._xp, self._asked)
        self._random = np.random.default_rng([call.seed, call.first_row])
        self.best_costs = tour_costs(call.backend, call.problem, call.tours)
        populations = np.arange(len(call.tours))
        self._least = np.full(len(populations), np.inf)  # costs since populations began
        self.idle = np.zeros(len(populations), np.int64)
        self.alone = np.zeros(len(populations), np.int64)  # generations without immigrants
        self._generations = 0
        self._shares: list[Any] = []  # of children that kept each constraint, since prices changed
        self.living, self.shared = self.first_individuals(populations, call.tours)

    def next(self) -> None:
        """Let each population go on by a generation."""
        rules, statistics = self._rules, self.call.statistics
        with statistics.phase("crossover"):
            children = self._crossed(*self._parents()).reshape(-1, self._asked.n)
        everyone = np.arange(len(self.idle))
        self.idle += 1
        made = self._searched(everyone, children, self.prices.soft)
        found = made.tours.reshape(-1, self._asked.n)
        judged = made.costs.ravel(), made.feasible.ravel()
        self._shares.append(self.prices.shares(found, *judged))
        # The infeasible ones come first, as many as there are.
        some = self._xp.argsort(made.feasible, axis=1, kind="stable")[:, : rules.children // 2]
        chosen = self._xp.take_along_axis(made.tours, some[..., None], axis=1)
        chosen = chosen.reshape(-1, self._asked.n)
        repairing, awake = self.prices.repairing, self._overfull(chosen)
        repaired = self._searched(everyone, chosen, repairing, awake)
        self._generations += 1
        with statistics.phase("survivors"):
            everybody = [self.living, made, repaired]
            if self._generations % rules.migration == 0:
                everybody.append(self.immigrants())
            self.living, self.shared = self._selected(Individuals.joined(self._xp, everybody))
        self.alone = np.maximum(self.alone - 1, 0)
        statistics.kicks += len(children)
        if self._generations % BETWEEN_PRICES == 0:
            self._set_prices()
            self._begin_anew()

    def _parents(self) -> tuple[Any, Any]:
        """Return the parents of all children: winners of binary tournaments."""
        xp, living = self._xp, self.living
        by_cost = ranks(xp, living.costs, living.feasible)
        fitness = biased_fitness(xp, by_cost, self.shared, living.feasible, self._rules.elite)
        populations, size = fitness.shape
        rows = xp.arange(populations)[:, None]

        def winners() -> Any:
            drawn = self._random.integers(size, size=(2, populations, self._rules.children))
            one, other = xp.asarray(drawn)
            won = xp.where(fitness[rows, one] <= fitness[rows, other], one, other)
            return living.tours[rows, won]

        return winners(), winners()

    def _crossed(self, first: Any, second: Any) -> Any:
        """Return the children (S, M, n) of parents; populations take turns with the crossovers."""
        children, n, crossovers = self._xp.empty_like(first), self._asked.n, self._rules.crossovers
        for k, crossover in enumerate(crossovers[: len(first)]):
            some = slice(k, None, len(crossovers))
            children[some] = crossover.cross(
                self.prices.soft,
                *(each[some].reshape(-1, n) for each in (first, second)),
                seed=self._seed(),
                backend=self._backend,
            ).reshape(-1, *first.shape[1:])
        return children

    def immigrants(self) -> Individuals:
        """Return the best of the population before each, its own where that is to be alone."""
        costs = self._xp.where(self.living.feasible, self.living.costs, NO_TOUR)
        populations = np.arange(len(self.idle))
        origins = self._xp.asarray(np.where(self.alone > 0, populations, populations - 1))
        best = costs.argmin(axis=1)[origins]
        return Individuals(*(array[origins, best][:, None] for array in self.living.arrays))

    def first_individuals(
        self, populations: NDArray[Any], given: Any = None
    ) -> tuple[Individuals, Any]:
        """Return new populations of local optima of random orders, and of a given tour each."""
        n, count = self._asked.n, BORN * self._rules.size * len(populations)
        with self.call.statistics.phase("first individuals"):
            # Orders by chance have hardly any routes that keep a limit of durations.
            routes = RouteBatch(self._backend, self._asked.untimed, count)
            orders = shuffle(self._backend, self._asked.customers, count, self._seed())
            routes.orders[...] = orders + 1
            cut(routes)
            tours = routes.tours()
        if given is not None:
            tours.reshape(len(populations), -1, n)[:, 0] = given
        self._least[populations] = np.inf
        return self._selected(self._searched(populations, tours, self.prices.soft))

    def _begin_anew(self) -> None:
        """Replace populations that have not become better for long."""
        over = np.flatnonzero(self.idle >= self._rules.patience)
        if over.size == 0:
            return
        begun, shared = self.first_individuals(over)
        rows = self._xp.asarray(over)
        for mine, new in zip(self.living.arrays, begun.arrays, strict=True):
            mine[rows] = new
        self.shared[rows] = shared
        self.alone[over] = self._rules.patience
        self.call.statistics.restarts += over.size

    def _set_prices(self) -> None:
        shares = self._backend.to_numpy(self._xp.stack(self._shares).mean(axis=0))
        self._shares.clear()
        self.prices.follow(shares.tolist(), self._rules.feasible)
        tours, costs, _ = self.living.arrays
        soft = tour_costs(self._backend, self.prices.soft.tsp, tours.reshape(-1, self._asked.n))
        self.living.costs = soft.reshape(costs.shape)

    def _searched(
        self, populations: NDArray[Any], tours: Any, problem: CVRP, awake: Any = None
    ) -> Individuals:
        """Return individuals of some populations after a search on a problem of certain prices."""
        call = self.call
        with call.statistics.phase("education"):
            found = self._rules.search(
                problem,
                tours,
                seed=self._seed(),
                budget=Budget(seconds=call.stopwatch.rest.seconds),
                backend=self._backend,
                awake=awake,
            )
            call.statistics.add_counts(found.statistics)
            if found.statistics.interrupted:
                call.stop("interrupt")
            shape = (len(populations), -1)
            costs, lengths, feasible = (a.reshape(shape) for a in self.prices.judge(found.tours))
            made = Individuals(found.tours.reshape(*shape, self._asked.n), costs, feasible)
            self._note(populations, made.tours, self._xp.where(feasible, lengths, NO_TOUR))
        return made

    def _note(self, populations: NDArray[Any], tours: Any, costs: Any) -> None:
        """Keep the best of each population, by the costs of feasible ones."""
        xp, best = self._xp, self.call.tours
        rows, everyone = xp.asarray(populations), xp.arange(len(populations))
        at = costs.argmin(axis=1)
        least = costs[everyone, at]
        better = (least < self.best_costs[rows])[:, None]
        best[rows] = xp.where(better, tours[everyone, at], best[rows])
        self.best_costs[rows] = xp.minimum(least, self.best_costs[rows])
        found = self._backend.to_numpy(least)
        fallen = found < self._least[populations]
        self.idle[populations[fallen]] = 0
        self._least[populations[fallen]] = found[fallen]

    def _selected(self, individuals: Individuals) -> tuple[Individuals, Any]:
        """Return those that survive, and what they share."""
        xp, rules = self._xp, self._rules
        tours, costs, feasible = individuals.arrays
        shared = shared_buckets(xp, tours, **self._asked.tsp.writing)
        by_cost = ranks(xp, costs, feasible)
        fitness = biased_fitness(xp, by_cost, shared, feasible, rules.elite)
        chosen = survivors(xp, fitness, by_cost, feasible, rules.elite, rules.size)
        rows = xp.arange(len(tours))[:, None]
        kept = Individuals(*(array[rows, chosen] for array in individuals.arrays))
        return kept, shared[rows[..., None], chosen[:, :, None], chosen[:, None, :]]

    def _seed(self) -> int:
        return int(self._random.integers(2**63))
