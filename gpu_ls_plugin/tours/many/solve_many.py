"""Many tours at once: what the domain of tours does for `gls.solve_many`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import upper_layers
from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.runs.claims import check_claims
from gpu_ls_plugin.runs.many import ManyFound, ManyProgress, best_of
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.tours.engines.audit import advice, foreign_names
from gpu_ls_plugin.tours.many.instances import SMALLEST_SEARCHED, shortest_tours
from gpu_ls_plugin.tours.many.many_input import instances_of
from gpu_ls_plugin.tours.many.own_side_by_side import OwnSideBySide, has_own_lengths
from gpu_ls_plugin.tours.many.side_by_side import (
    InstanceBatch,
    SideBySide,
    bytes_per_instance,
    moves_of,
    replicas_of,
    slots_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from gpu_ls_plugin.runs.many import ManyRequest
    from gpu_ls_plugin.tours.many.instances import Instances

LARGEST = 5_000  # for more cities, comparing all pairs to list candidates takes too long
ALIKE = 1.3  # maximum ratio of the numbers of cities of instances that share a launch
MOST_ITEMS = 1 << 30  # maximum number of items of a launch
SECONDS_OF_REFEREE = 6e-8  # time per city to compute exact costs on one core


def solve_many(request: ManyRequest) -> ManyFound:
    """Return a short tour for each of many problems, which are searched at the same time.

    Each instance has as many chains of kicks as the time allows, up to 24, or more if there are too
    few instances to occupy a GPU. The chains of an instance are crossed.
    Instances of up to seven cities get the shortest tour; those of more than 5,000 cities are
    solved one by one with `solve`. Chains start from given rows in turn; by default, from tours
    along a Hilbert curve.

    Parameters
    ----------
    request : ManyRequest
        Its problems are TSPs with coordinates, or `PointProblems`.

    Raises
    ------
    InvalidParameterError
        There are too many cities.
    InsufficientMemoryError
        Not even one instance fits into memory.
    KeyboardInterrupt
        Ctrl-C was pressed before the initial tours were made.
    """
    run = _ManyInstances(request)
    run.plan()
    try:
        run.search()
    except KeyboardInterrupt:
        run.statistics.stopped_by = "interrupt"
    return run.result()


class _ManyInstances:
    """The state of a call of `solve_many`: batches, their tours and costs, and statistics."""

    def __init__(self, request: ManyRequest) -> None:
        settings = request.settings
        self.request, self.backend, self.seed = request, request.backend, settings.seed or 0
        self.watch, self.kicks = Stopwatch(settings.budget(settings.seconds)), settings.kicks
        self.instances, self.total = instances_of(request.problems), len(request.problems)
        real = any(not group.metric.integer for group in self.instances)
        self.costs = np.zeros(self.total, np.float64 if real else np.int64)
        self.statistics = Statistics(backend=self.backend.name, climbs=self.total)
        self.solved: list[InstanceBatch] = []  # tiny instances
        self.waiting: list[InstanceBatch] = []
        self.done = 0  # number of finished instances

    def plan(self) -> None:
        """Make the initial tours of all instances and group the instances into batches."""
        with self.statistics.phase("starts"):
            for group in self.instances:
                self._plan_group(group)
            if len(self.waiting) > 1:  # reports add up the costs of all batches
                for batch in self.waiting:
                    batch.tours = self.backend.to_numpy(batch.tours)
                    self.costs[batch.rows] = batch.instances.exact_costs(batch.chosen, batch.tours)

    def _plan_group(self, group: Instances) -> None:
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
        parts = group.composed(self.backend, *moves_of(self.backend, self.kicks))
        sizes = group.sizes[order]
        while len(order):
            n, many = int(sizes[0]), 1
            largest = sizes[np.searchsorted(sizes, ALIKE * n + 8, side="right") - 1]
            slots = slots_of(self.backend, parts, int(largest)) if n <= LARGEST else 0
            if slots:
                memory = self.backend.memory(self.request.memory_limit)
                own = bytes_per_instance(int(largest))
                fit = self.backend.rows_that_fit(own, 16 * group.whole.n, memory)
                fit = min(fit, MOST_ITEMS // int(largest))
                many = min(fit, int(np.searchsorted(sizes, largest, side="right")))
                wanted = self.request.replicas or self._replicas(slots, many, int(largest), fit)
                first = sum(len(batch.chosen) * batch.replicas for batch in self.waiting)
                batch = InstanceBatch(group, order[:many], None, parts, wanted, first)
            else:
                batch = InstanceBatch(group, order[:1], None)
            self._begin(batch)
            self.waiting.append(batch)
            order, sizes = order[many:], sizes[many:]

    def _begin(self, batch: InstanceBatch) -> None:
        """Set the initial tours of a batch: along a curve, or those that the caller gave."""
        starts: dict[int, NDArray[np.int32]] = {
            place: start
            for place, row in enumerate(batch.rows.tolist())
            if (start := self.request.start_of(row)) is not None
        }
        batch.tours = batch.instances.curves(self.backend, batch.chosen)
        if starts:
            batch.starts = starts
            batch.tours = self.backend.xp.asarray(
                batch.with_starts(self.backend.to_numpy(batch.tours))
            )

    def _replicas(self, slots: int, many: int, n: int, fit: int) -> int:
        """Return the number of chains for each of `many` instances of up to n cities."""
        if self.backend.name == "cpu" and self.kicks is not None:
            return 1  # the same on any number of cores
        cities = sum(int(group.sizes.sum()) for group in self.instances)
        seconds = self.watch.left if self.kicks is None else None
        return replicas_of(self.backend, slots, many, n, fit, cities, seconds)

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
            chains = self._chains(batch, end - self.watch.elapsed)
        if chains is None:
            self.statistics.stopped_by = "seconds"
            return
        chains.rounds.statistics = self.statistics

        def after() -> bool:
            self.costs[batch.rows] = chains.best_costs()
            chains.rounds.count()
            self._report()
            return False

        try:
            after()
            left = end - self.watch.elapsed
            self.statistics.stopped_by = chains.drive(left, self.kicks, after)
        finally:
            batch.tours, batch.claims = chains.best_tours(), chains.best_costs()
            chains.rounds.count()

    def _chains(self, batch: InstanceBatch, seconds: float) -> SideBySide | None:
        """Return chains on a batch, or None if time runs out."""
        assert batch.parts is not None
        if seconds <= 0:
            return None
        # With a limit of kicks, chains are the same on all backends.
        own, cut = self.kicks is None and has_own_lengths(batch), None
        if batch.replicas > 1 or not own:
            cut = batch.instances.parts(self.backend, batch.parts, batch.chosen, seconds)
            if cut is None:
                return None
        if own:
            return OwnSideBySide(self.backend, batch, cut, self.seed)
        assert cut is not None
        return SideBySide(self.backend, batch, cut, self.seed)

    def _solve_alone(self, batch: InstanceBatch, seconds: float) -> None:
        (row,) = batch.rows.tolist()
        problem, start = self.request.problems[row], self.request.start_of(row)
        settings = Settings(
            seconds=seconds,
            seed=self.seed,
            backend=self.backend.name,
            kicks=self.kicks,
            rows=start,
        )
        found = best_of(problem, upper_layers.solve(problem, settings), start)
        batch.tours = found.tours
        self.costs[batch.rows] = found.costs
        found.statistics.history, found.statistics.phases = [], {}
        self.statistics.add(found.statistics)
        self.statistics.stopped_by = found.statistics.stopped_by
        self._report()

    def _report(self) -> None:
        self.statistics.seconds = self.watch.elapsed
        progress = ManyProgress(self.costs.sum().item(), self.total, self.done)
        self.request.report(self.statistics, progress)

    def result(self) -> ManyFound:
        """Return all tours with their exact costs."""
        batches = [*self.solved, *self.waiting]
        with self.statistics.phase("costs"):
            for batch in batches:
                batch.tours = self.backend.to_numpy(batch.tours)
                costs = batch.exact_costs()
                names = foreign_names(batch.instances.whole, ())
                if names and batch.claims is not None:
                    check_claims(names, batch.claims, costs, advice(batch.instances.whole))
                self.costs[batch.rows] = self._no_worse(batch, costs)
        self.statistics.seconds = self.watch.elapsed
        feasible = np.ones(self.total, np.bool_)
        return ManyFound(_tours(batches, self.total), self.costs, feasible, self.statistics)

    def _no_worse(self, batch: InstanceBatch, costs: NDArray[Any]) -> NDArray[Any]:
        """Return exact costs; rounding errors must not make a tour worse than its start."""
        if not batch.starts:
            return costs
        found, batch.tours = batch.tours, batch.with_starts(batch.tours)
        of_starts = batch.exact_costs()
        worse = of_starts < costs
        batch.tours = np.where(worse[:, None], batch.tours, found)
        return np.where(worse, of_starts, costs)


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
