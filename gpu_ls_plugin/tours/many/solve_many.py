"""`solve_many`: solves many instances at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core import checks, upper_layers
from gpu_ls_plugin.core.budget import Budget, Stopwatch
from gpu_ls_plugin.core.history import Point
from gpu_ls_plugin.core.result import Statistics, record_point
from gpu_ls_plugin.core.result_views import call_text, html_facts
from gpu_ls_plugin.runs.claims import check_claims
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.tours.engines.audit import advice, foreign_names
from gpu_ls_plugin.tours.many import many_input
from gpu_ls_plugin.tours.many.instances import SMALLEST_SEARCHED, shortest_tours
from gpu_ls_plugin.tours.many.side_by_side import (
    InstanceBatch,
    SideBySide,
    bytes_per_instance,
    moves_of,
    replicas_of,
    slots_of,
)
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.result import Callback, Result
    from gpu_ls_plugin.tours.many.instances import Instances
    from gpu_ls_plugin.tours.problem.metrics import Metric

LARGEST = 5_000  # for more cities, comparing all pairs to list candidates takes too long
ALIKE = 1.3  # maximum ratio of the numbers of cities of instances that share a launch
MOST_ITEMS = 1 << 30  # maximum number of items of a launch
SECONDS_OF_REFEREE = 6e-8  # time per city to compute exact costs on one core


@dataclass(frozen=True)
class ManyResult:
    """Tours of many instances, their exact costs and the statistics of the search.

    Attributes
    ----------
    tours : int32 array, shape (B, n), or list of B int32 arrays
        A list if sizes differ. Row r is the best tour found for instance r.
    costs : array, shape (B,), int64 or float64
        Recomputed from scratch with each instance's metric; float64 if any metric is real.
    statistics : Statistics
        Counts and times of all instances together. In the history, `best_cost` is the sum of the
        costs of all instances and `mean_cost` their mean.
    """

    tours: Any
    costs: Any
    statistics: Statistics = field(default_factory=Statistics)

    @property
    def feasible(self) -> NDArray[np.bool_]:
        """Which tours are feasible, bool (B,): all, since these instances have no constraints."""
        return np.ones(len(self.costs), np.bool_)

    def __repr__(self) -> str:
        return call_text("ManyResult", self._facts())

    def _repr_html_(self) -> str:
        return html_facts("ManyResult", self._facts())

    def _facts(self) -> dict[str, object]:
        total = self.costs.sum().item()
        return {
            "instances": len(self.costs),
            "total_cost": total,
            "mean_cost": total / max(1, len(self.costs)),
            "seconds": round(self.statistics.seconds, 3),
            "stopped_by": self.statistics.stopped_by,
        }


def solve_many(
    problems: Any,
    seconds: float = 1.0,
    *,
    seed: int | None = 1,
    backend: str = "auto",
    metric: str | Metric | None = None,
    replicas: int | None = None,
    kicks: int | None = None,
    callback: Callback | None = None,
    memory_limit: int | None = None,
) -> ManyResult:
    """Return a short tour for each of many instances, which are searched at the same time.

    Each instance has one chain of kicks, or several if there are too few instances to occupy a
    GPU. A CPU runs as many chains per instance as the time allows, up to eight, and crosses them.
    Instances of up to seven cities get the shortest tour; those of more than 5,000 cities are
    solved one by one with `solve`. For a handful of instances, call `solve` for each: its chains
    cooperate throughout the run.

    Parameters
    ----------
    problems : sequence of TSP, or array_like, shape (B, n, 2)
        Problems with coordinates, of any sizes and metrics; or just coordinates: a NumPy or CuPy
        array, or a list of arrays (n, 2) of any sizes.
    seconds : float
        Wall time from the moment when the first kernels are ready. Instances with different
        metrics or very different sizes are searched in successive batches, which share this time.
    seed : int or None
        Seed of the random numbers; None draws one. A time limit still makes results vary.
    backend : {"auto", "cpu", "cuda"}
        Backend of the search.
    metric : str or Metric, optional
        Metric of coordinates; by default "EUC", real Euclidean lengths.
    replicas : int, optional
        Number of chains per instance; the result is the best of their tours. By default, as many as
        a GPU can run at once or a CPU has time for.
    kicks : int, optional
        Maximum number of kicks per chain; the chains are then the same on every backend. By
        default, only time limits the kicks; a CPU then tries fewer moves and makes more kicks.
    callback : callable, optional
        Called with a `Progress` after each launch of about 50 ms: `best_cost` is the sum of the
        costs of all instances, `mean_cost` their mean, and `done` counts instances.
    memory_limit : int, optional
        Maximum number of bytes of memory to use. Instances that do not fit together are searched in
        batches, which share the time.

    Returns
    -------
    ManyResult
        After Ctrl-C, the tours found so far; `statistics.interrupted` is then True.

    Raises
    ------
    InvalidProblemError, InvalidTypeError
        There is no instance, or a row is not an instance; the error names the row.
    UnsupportedProblemError
        An instance is a matrix, or has an objective besides its length.
    InvalidParameterError
        A parameter is out of range, or `metric` is given together with TSPs.
    InsufficientMemoryError
        Not even one instance fits into memory.
    KeyboardInterrupt
        Ctrl-C was pressed before the initial tours were made.
    """
    limits = Budget(seconds=checks.number("seconds", seconds, least=0.0), kicks=kicks)
    if replicas is not None:
        replicas = checks.integer("replicas", replicas, least=1, most=checks.MOST_INT)
    checks.callback(callback)
    key = checks.seed(seed)
    chosen = get_backend(backend)
    watch = Stopwatch(limits)
    instances = many_input.read(problems, metric)
    with chosen.current():
        run = _ManyInstances(chosen, instances, key, watch, callback)
        run.plan(replicas, memory_limit)
        try:
            run.search()
        except KeyboardInterrupt:
            run.statistics.stopped_by = "interrupt"
        return run.result()


class _ManyInstances:
    """The state of a call of `solve_many`: batches, their tours and costs, and statistics."""

    def __init__(
        self,
        backend: Backend,
        instances: list[Instances],
        seed: int,
        watch: Stopwatch,
        callback: Callback | None,
    ) -> None:
        self.backend, self.instances, self.seed = backend, instances, seed
        self.watch, self.callback = watch, callback
        self.total = sum(len(group.sizes) for group in instances)
        real = any(not group.metric.integer for group in instances)
        self.costs = np.zeros(self.total, np.float64 if real else np.int64)
        self.statistics = Statistics(backend=backend.name, climbs=self.total)
        self.solved: list[InstanceBatch] = []  # tiny instances
        self.waiting: list[InstanceBatch] = []
        self.done = 0  # number of finished instances

    def plan(self, replicas: int | None, memory_limit: int | None) -> None:
        """Make the initial tours of all instances and group the instances into batches."""
        with self.statistics.phase("starts"):
            for group in self.instances:
                self._plan_group(group, replicas, memory_limit)
            if len(self.waiting) > 1:  # reports add up the costs of all batches
                for batch in self.waiting:
                    batch.tours = self.backend.to_numpy(batch.tours)
                    self.costs[batch.rows] = batch.instances.exact_costs(batch.chosen, batch.tours)

    def _plan_group(self, group: Instances, replicas: int | None, memory_limit: int | None) -> None:
        (tiny,) = np.nonzero(group.sizes < SMALLEST_SEARCHED)
        if len(tiny):
            batch = InstanceBatch(group, tiny, shortest_tours(group, tiny))
            self.costs[batch.rows] = group.exact_costs(tiny, batch.tours)
            self.solved.append(batch)
            self.done += len(tiny)
        order = group.sizes.argsort(kind="stable")
        order = order[group.sizes[order] >= SMALLEST_SEARCHED]
        if not len(order):
            return
        parts = group.composed(self.backend, *moves_of(self.backend, self.watch.budget.kicks))
        sizes = group.sizes[order]
        while len(order):
            n, many = int(sizes[0]), 1
            largest = sizes[np.searchsorted(sizes, ALIKE * n + 8, side="right") - 1]
            slots = slots_of(self.backend, parts, int(largest)) if n <= LARGEST else 0
            if slots:
                memory = self.backend.memory(memory_limit)
                own = bytes_per_instance(int(largest))
                fit = self.backend.rows_that_fit(own, 16 * group.whole.n, memory)
                fit = min(fit, MOST_ITEMS // int(largest))
                many = min(fit, int(np.searchsorted(sizes, largest, side="right")))
                wanted = replicas or self._replicas(slots, many, fit)
                first = sum(len(batch.chosen) * batch.replicas for batch in self.waiting)
                tours = group.curves(self.backend, order[:many])
                batch = InstanceBatch(group, order[:many], tours, parts, wanted, first)
            else:
                tours = group.curves(self.backend, order[:1])
                batch = InstanceBatch(group, order[:1], tours)
            self.waiting.append(batch)
            order, sizes = order[many:], sizes[many:]

    def _replicas(self, slots: int, many: int, fit: int) -> int:
        """Return the number of chains for each of `many` instances."""
        cities = sum(int(group.sizes.sum()) for group in self.instances)
        seconds = self.watch.left if self.watch.budget.kicks is None else None
        return replicas_of(self.backend, slots, many, fit, cities, seconds)

    def search(self) -> None:
        """Search all batches, each for its share of the time."""
        cities = sum(batch.cities for batch in self.waiting)
        reserve = SECONDS_OF_REFEREE * cities
        for batch in self.waiting:
            elapsed = self.watch.elapsed
            left = max(0.0, self.watch.left - reserve)
            end = elapsed + left * batch.cities / cities
            cities -= batch.cities
            if batch.parts is None:
                self._solve_alone(batch, end - elapsed)
            else:
                self._search_together(batch, end)
            self.done += len(batch.chosen)
            if self.statistics.interrupted:
                return

    def _search_together(self, batch: InstanceBatch, end: float) -> None:
        assert batch.parts is not None
        with self.statistics.phase("candidates"):
            left = end - self.watch.elapsed
            cut = None
            if left > 0:
                cut = batch.instances.parts(self.backend, batch.parts, batch.chosen, left)
            if cut is None:
                self.statistics.stopped_by = "seconds"
                return
            chains = SideBySide(self.backend, batch, cut, self.seed)
        chains.rounds.statistics = self.statistics

        def after() -> bool:
            self.costs[batch.rows] = chains.best_costs()
            chains.rounds.count()
            self._report()
            return False

        try:
            after()
            left = end - self.watch.elapsed
            self.statistics.stopped_by = chains.drive(left, self.watch.budget.kicks, after)
        finally:
            batch.tours, batch.claims = chains.best_tours(), chains.best_costs()
            chains.rounds.count()

    def _solve_alone(self, batch: InstanceBatch, seconds: float) -> None:
        (which,) = batch.chosen
        first, n = int(batch.instances.firsts[which]), int(batch.instances.sizes[which])
        own = batch.instances.points[first : first + n].copy()
        problem = TSP._assemble(own, None, batch.instances.metric, "", "", None)
        settings = Settings(
            seconds=seconds,
            seed=self.seed,
            backend=self.backend.name,
            kicks=self.watch.budget.kicks,
        )
        found: Result = upper_layers.solve(problem, settings)
        batch.tours = found.best_tour[None]
        self.costs[batch.rows] = found.best_cost
        found.statistics.history, found.statistics.phases = [], {}
        self.statistics.add(found.statistics)
        self.statistics.stopped_by = found.statistics.stopped_by
        self._report()

    def _report(self) -> None:
        statistics, best = self.statistics, self.costs.sum().item()
        point = Point(self.watch.elapsed, statistics.kicks, best, float(self.costs.mean()))
        record_point(statistics, self.callback, point, self.total, done=self.done)

    def result(self) -> ManyResult:
        """Return all tours with their exact costs."""
        batches = [*self.solved, *self.waiting]
        with self.statistics.phase("costs"):
            for batch in batches:
                batch.tours = self.backend.to_numpy(batch.tours)
                costs = batch.instances.exact_costs(batch.chosen, batch.tours)
                self.costs[batch.rows] = costs
                names = foreign_names(batch.instances.whole, ())
                if names and batch.claims is not None:
                    check_claims(names, batch.claims, costs, advice(batch.instances.whole))
        statistics, best = self.statistics, self.costs.sum().item()
        statistics.seconds = self.watch.elapsed
        last = Point(statistics.seconds, statistics.kicks, best, float(self.costs.mean()))
        statistics.history.append(last)
        return ManyResult(_tours(batches, self.total), self.costs, statistics)


def _tours(batches: list[InstanceBatch], total: int) -> Any:
    """Return the tours in the order of the input, as one array if they are equally long."""
    lengths = {
        n for batch in batches for n in np.unique(batch.instances.sizes[batch.chosen]).tolist()
    }
    if len(lengths) == 1:
        (n,) = lengths
        tours = np.empty((total, n), np.int32)
        for batch in batches:
            tours[batch.rows] = batch.tours[:, :n]
        return tours
    rows: list[Any] = [None] * total
    for row, tour in (pair for batch in batches for pair in _pairs(batch)):
        rows[row] = tour
    return rows


def _pairs(batch: InstanceBatch) -> Iterator[tuple[int, NDArray[np.int32]]]:
    sizes = batch.instances.sizes[batch.chosen]
    for row, size, tour in zip(batch.rows.tolist(), sizes.tolist(), batch.tours, strict=True):
        yield row, tour[:size].copy()
