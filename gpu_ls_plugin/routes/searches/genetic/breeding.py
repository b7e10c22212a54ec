"""The generations of a hybrid genetic search, and their parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import Budget
from gpu_ls_plugin.routes.construction.batch import RouteBatch
from gpu_ls_plugin.routes.construction.split import cut
from gpu_ls_plugin.routes.crossovers.route_edge_assembly import RouteEdgeAssembly
from gpu_ls_plugin.routes.crossovers.route_recombination import RouteRecombination
from gpu_ls_plugin.routes.crossovers.split_crossover import SplitRecombination
from gpu_ls_plugin.routes.moves.between_routes import RouteMoves, SwapStar
from gpu_ls_plugin.routes.problem.cvrp import CVRP, routing_problem
from gpu_ls_plugin.routes.searches.genetic.fitness import (
    biased_fitness,
    ranks,
    shared_buckets,
    survivors,
)
from gpu_ls_plugin.routes.searches.genetic.rehearsal import rehearsal
from gpu_ls_plugin.routes.searches.genetic.set_partitioning import cheapest_plan, frequent_routes
from gpu_ls_plugin.routes.searches.genetic.violations import Overfull, Prices
from gpu_ls_plugin.tours.candidates.detour import Detour
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.construction.random_tours import shuffle
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.searches.search_call import Call

BORN = 2  # number of individuals made for a new population, as a multiple of its size
# Shares of a time limit after which routes of all individuals are combined, each time for up to
# COMBINING of it, and for at most MOST_COMBINING seconds.
COMBINED_AFTER, COMBINING, MOST_COMBINING = (0.5, 0.75, 0.9), 0.03, 1.0
ROWS_COMBINED = 500  # maximum number of individuals, the cheapest ones
BETWEEN_PRICES = 2  # number of generations between two changes of prices
NO_TOUR = 1 << 62  # used as the cost if there is no feasible tour; larger than any cost


def education() -> LocalSearch:
    """Return the default search of children, with 32 candidates, one for each lane of a warp."""
    return LocalSearch([RouteMoves(), SwapStar()], candidates=Nearest(16) | Detour(16))


def crossovers() -> tuple[RouteRecombination, ...]:
    """Return the default crossovers: one combines sectors, the other edges."""
    return SplitRecombination(), RouteEdgeAssembly()


@dataclass(frozen=True)
class Rules:
    """The parameters of a `HybridGeneticSearch`, which documents them."""

    search: LocalSearch = field(default_factory=education)
    crossover: RouteRecombination | Sequence[RouteRecombination] = field(default_factory=crossovers)
    size: int = 25
    children: int = 40
    elite: int = 4
    feasible: float = 0.2
    patience: int = 60
    migration: int = 10

    def __post_init__(self) -> None:
        checks.fields(self, checks.instance, "search", kind=LocalSearch, wanted="LocalSearch")
        given: Any = self.crossover
        several = isinstance(given, Sequence) and len(given) > 0
        checks.store(self, crossover=tuple(given) if several else (given,))
        wanted = "recombination of routes, such as SplitRecombination(), or several"
        for crossover in self.crossovers:
            checks.instance("crossover", crossover, kind=RouteRecombination, wanted=wanted)
        checks.fields(self, checks.integer, "size", "children", least=2, most=1 << 20)
        checks.fields(self, checks.integer, "elite", least=0, most=checks.MOST_INT)
        checks.fields(self, checks.number, "feasible", least=0.0, most=1.0)
        checks.fields(self, checks.integer, "patience", "migration", least=1, most=checks.MOST_INT)

    @property
    def crossovers(self) -> tuple[RouteRecombination, ...]:
        """The crossovers, which are assigned to the populations in turn."""
        assert isinstance(self.crossover, tuple)
        return self.crossover


@dataclass
class Individuals:
    """M individuals of each of S populations, on a backend."""

    tours: Any  # (S, M, n) int32
    costs: Any  # (S, M), including the price of violations
    feasible: Any  # (S, M) bool

    @property
    def arrays(self) -> tuple[Any, Any, Any]:
        """Tours, costs and feasibility."""
        return self.tours, self.costs, self.feasible

    @classmethod
    def joined(cls, xp: Any, parts: Iterable[Individuals]) -> Individuals:
        """Return the individuals of several `parts` together, population by population."""
        arrays = zip(*(part.arrays for part in parts), strict=True)
        return cls(*(xp.concatenate(each, axis=1) for each in arrays))


class Breeding:
    """One population for each tour of a call; its best routes replace the tour in `call.tours`.

    `living` are the individuals; `shared` (S, M, M) is the approximate number of edges that each
    pair of them has in common (see `shared_buckets`). `idle` (S,) counts the generations since a
    population improved; `alone` (S,) is the number of generations for which it will still get no
    immigrants. `best_costs` (S,) are the costs of `call.tours`.
    """

    def __init__(self, rules: Rules, call: Call) -> None:
        self._rules, self.call = rules, call
        self._backend, self._xp = call.backend, call.backend.xp
        call.backend.expect(rehearsal)
        self._asked = routing_problem(call.problem)
        self.prices = Prices(call.backend, self._asked)
        self._overfull = Overfull(self._xp, self._asked)
        self._random = np.random.default_rng([call.seed, call.first_row])
        self.best_costs = tour_costs(call.backend, call.problem, call.tours)
        populations = np.arange(len(call.tours))
        self._least = np.full(len(populations), np.inf)  # lowest cost since each population began
        self.idle = np.zeros(len(populations), np.int64)
        self.alone = np.zeros(len(populations), np.int64)
        self._generations = self._combined = 0
        self._keeping: list[Any] = []  # for each generation and limit, which children keep it
        self.living, self.shared = self.first_individuals(populations, call.tours)

    def next(self) -> None:
        """Make a generation of each population."""
        rules, statistics = self._rules, self.call.statistics
        with statistics.phase("crossover"):
            children = self._crossed(*self._parents()).reshape(-1, self._asked.n)
        everyone = np.arange(len(self.idle))
        self.idle += 1
        made = self._searched(everyone, children, self.prices.soft)
        found = made.tours.reshape(-1, self._asked.n)
        self._keeping.append(self.prices.keeping(found, made.feasible.ravel()))
        # Repair half of the children, infeasible ones first.
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
            self._restart()
        self._combine_in_time()

    def _combine_in_time(self) -> None:
        """Combine routes after some shares of the time limit; a run without one does not."""
        elapsed, whole = self.call.stopwatch.elapsed, self.call.stopwatch.seconds
        due = sum(elapsed >= share * whole for share in COMBINED_AFTER)
        if due > self._combined:
            self._combined = due
            with self.call.statistics.phase("set partitioning"):
                self.combine(min(COMBINING * whole, MOST_COMBINING))

    def combine(self, seconds: float) -> bool:
        """Combine routes of the individuals by set partitioning; return whether that pays.

        A cheaper plan replaces the worst individual of the population with the best routes.
        """
        xp, to_numpy = self._xp, self._backend.to_numpy
        tours, costs, feasible = map(to_numpy, self.living.arrays)
        cheapest = costs[feasible].argsort()[:ROWS_COMBINED]
        routes = frequent_routes(self._asked, tours[feasible][cheapest])
        bests = to_numpy(self.best_costs)
        plan = cheapest_plan(self._asked, routes, float(bests.min()), seconds) if routes else None
        if plan is None:
            return False
        best = int(bests.argmin())
        row = xp.asarray(plan[None])  # not searched, as that might trade limits for prices
        soft, lengths, keeps = self.prices.judge(row)
        self._keep_best(np.array([best]), row[None], xp.where(keeps, lengths, NO_TOUR)[None])
        worst = int(costs[best].argmax())
        for array, new in zip(self.living.arrays, (row, soft, keeps), strict=True):
            array[best, worst] = new[0]
        mine = slice(best, best + 1)
        tours = self.living.tours[mine]
        self.shared[mine] = shared_buckets(xp, tours, **self._asked.tsp.writing)
        return True

    def _parents(self) -> tuple[Any, Any]:
        """Return both parents of each child: winners of binary tournaments."""
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
        """Return the children (S, M, n) of parents; each population uses one crossover."""
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
        """Return an immigrant for each population, from the population before it.

        The immigrant is the best feasible individual of that population. A population that gets no
        immigrants at present gets a copy of its own best individual instead.
        """
        costs = self._xp.where(self.living.feasible, self.living.costs, NO_TOUR)
        populations = np.arange(len(self.idle))
        origins = self._xp.asarray(np.where(self.alone > 0, populations, populations - 1))
        best = costs.argmin(axis=1)[origins]
        return Individuals(*(array[origins, best][:, None] for array in self.living.arrays))

    def first_individuals(
        self, populations: NDArray[Any], given: Any = None
    ) -> tuple[Individuals, Any]:
        """Return new populations of local optima, and `shared` for them.

        The searches begin with random orders and, in each population, with one of the `given`
        tours, if there are any.
        """
        n, count = self._asked.n, BORN * self._rules.size * len(populations)
        with self.call.statistics.phase("first individuals"):
            # Other limits than those on loads are ignored: few routes of random orders keep them.
            routes = RouteBatch(self._backend, self._asked.limited_by_load, count)
            orders = shuffle(self._backend, self._asked.customers, count, self._seed())
            routes.orders[...] = orders + 1
            cut(routes)
            tours = routes.tours()
        if given is not None:
            tours.reshape(len(populations), -1, n)[:, 0] = given
        self._least[populations] = np.inf
        return self._selected(self._searched(populations, tours, self.prices.soft))

    def _restart(self) -> None:
        """Replace populations that have been idle for too long."""
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
        to_numpy = self._backend.to_numpy
        each = [[to_numpy(keeps).mean() for keeps in limits] for limits in self._keeping]
        shares = np.mean(each, axis=0)
        self._keeping.clear()
        self.prices.follow(shares.tolist(), self._rules.feasible)
        tours, costs, _ = self.living.arrays
        soft = tour_costs(self._backend, self.prices.soft.tsp, tours.reshape(-1, self._asked.n))
        self.living.costs = soft.reshape(costs.shape)

    def _searched(
        self, populations: NDArray[Any], tours: Any, problem: CVRP, awake: Any = None
    ) -> Individuals:
        """Return individuals of some populations: `tours` after a local search on `problem`.

        `awake` says which customers to evaluate from the start; see `LocalSearch`.
        """
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
            self._keep_best(populations, made.tours, self._xp.where(feasible, lengths, NO_TOUR))
        return made

    def _keep_best(self, populations: NDArray[Any], tours: Any, costs: Any) -> None:
        """Keep the best tours of populations; `costs` are lengths, or `NO_TOUR` if infeasible."""
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
        """Return the survivors, and `shared` for them."""
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
