"""Solves many vehicle routing problems side by side: chains on all of them in each launch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.routes.many.batches import batches_of, bytes_of, divided, why_alone
from gpu_ls_plugin.routes.many.migration import InstanceMigration
from gpu_ls_plugin.routes.many.searches import InstanceChains, descend, start_of
from gpu_ls_plugin.routes.removals.string_removal import StringRemoval
from gpu_ls_plugin.runs.acceptance import Annealing
from gpu_ls_plugin.runs.drive import drive
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.tours.engines.chains.rounds import Rounds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.routes.many.batches import AlikeProblems
    from gpu_ls_plugin.routes.problem.cvrp import CVRP

    Report = Callable[[NDArray[Any], Statistics], None]

# On 50 instances of XML100 with 0.27 s of a core each, the mean gap was 0.62 % with 10 customers
# per kick, 0.48 % with 16, 0.42 % with 20 and 0.41 % with 28; on 10 instances with 2.6 s or more,
# 0.39 % with 10 and with 20, 0.24 % with 28. Longer strings allow for tight capacities.
ACCEPT = Annealing(0.5, 0.02)
KICK = StringRemoval(28, 28)
# Prices of excess loads of successive chains of a problem, as in `RouteInstances.soft`. Hard limits
# leave chains with tight loads where they are, often with a route too many: on the 200 instances of
# XML100 at hand, two chains with 1,200 kicks each had a mean gap of 0.328 %, and of 0.29 to 0.32 %
# with prices from 6 to 20; four chains with 2,500 kicks had 0.178 %, and 0.165 % with these prices.
# A single chain of up to 1,000 kicks gains nothing, and has hard limits.
PRICES = (8.0, 5.0, 16.0)
# Number of migrations between the chains of a problem, and the share of chains that each replaces.
MIGRATIONS, SHARE_OF_MIGRANTS = 60, 0.2
LEAST_BETWEEN_MIGRATIONS = 0.02  # minimum interval between migrations, in kicks per node


class SolvedRoutes(NamedTuple):
    """Giant tours of many problems, each in the form of its problem, and their exact costs."""

    rows: list[NDArray[np.int32]]
    costs: list[Any]
    statistics: Statistics


def solve_side_by_side(
    problems: Sequence[CVRP],
    watch: Stopwatch | float,
    seed: int,
    backend: Backend,
    *,
    starts: Sequence[Any] | None = None,
    replicas: int | None = None,
    kicks: int | None = None,
    memory_limit: int | None = None,
    report: Report | None = None,
) -> SolvedRoutes:
    """Return a good giant tour of each problem; chains search all problems in the same launches.

    The call must be within `Backend.current`. Problems with different numbers of customers or
    metrics are searched in successive batches, which share the time by their numbers of nodes.

    Parameters
    ----------
    problems : sequence of CVRP
        Those for which `why_alone` returns None.
    watch : Stopwatch or float
        A clock with its limits, or the seconds.
    seed : int
        Seed of the kicks.
    starts : sequence of giant tours (n,), optional
        Feasible first rows, one for each problem. By default, each route goes on to the nearest
        customer that fits.
    replicas : int, optional
        Number of chains of each problem: by default, as many as a GPU runs at once; on a CPU, as
        many as have time for 100 kicks per node.
    kicks : int, optional
        Maximum number of kicks of a chain.
    memory_limit : int, optional
        Maximum number of bytes of memory for arrays of the search.
    report : callable, optional
        Called after each launch with the costs of all problems so far, infinite if there are none,
        and the statistics.

    Raises
    ------
    UnsupportedProblemError
        A problem must be solved alone.
    InsufficientMemoryError
        A single problem does not fit.
    """
    for row, problem in enumerate(problems):
        if (reason := why_alone(problem)) is not None:
            raise UnsupportedProblemError(f"problems: row {row} must be solved alone: {reason}")
    clock = watch if isinstance(watch, Stopwatch) else Stopwatch.of(watch)
    run = _SideBySide(problems, clock, seed, backend, starts, report)
    run.search(replicas, kicks, memory_limit)
    return SolvedRoutes(run.rows, run.exact_costs(), run.statistics)


class _SideBySide:
    """The state of a call: the rows and costs of all problems so far."""

    def __init__(
        self,
        problems: Sequence[CVRP],
        watch: Stopwatch,
        seed: int,
        backend: Backend,
        starts: Sequence[Any] | None,
        report: Report | None,
    ) -> None:
        self.problems, self.watch, self.seed, self.backend = problems, watch, seed, backend
        self.starts, self.report = starts, report
        self.rows: list[Any] = [None] * len(problems)
        self.costs = np.full(len(problems), math.inf)
        self.statistics = Statistics(backend=backend.name, climbs=len(problems))

    def search(self, replicas: int | None, kicks: int | None, memory_limit: int | None) -> None:
        """Search all batches, each for its share of the time."""
        batches = list(batches_of(self.problems))
        nodes, first_row = sum(batch.nodes for batch in batches), 0
        for whole in batches:
            fit = self._fitting(whole, replicas or 1, memory_limit)
            for batch in divided(whole, fit):
                share = self.watch.left * batch.nodes / nodes
                nodes -= batch.nodes
                chains = replicas or batch.replicas(self.backend, share, fit)
                self._search_batch(batch, chains, kicks, share, first_row)
                first_row += chains * len(batch.problems)

    def _fitting(self, batch: AlikeProblems, replicas: int, memory_limit: int | None) -> int:
        """Return how many problems of a batch fit into memory."""
        own = bytes_of(batch, replicas)
        memory = self.backend.memory(memory_limit, 2 * own * len(batch.problems))
        return self.backend.rows_that_fit(own, 0, memory)

    def _search_batch(
        self, batch: AlikeProblems, replicas: int, kicks: int | None, seconds: float, first_row: int
    ) -> None:
        backend, watch = self.backend, Stopwatch.of(seconds)
        with self.statistics.phase("starts"):
            instances = batch.instances(backend)
            tours = instances.first_tours() if self.starts is None else self._given(batch)
            descend(instances, tours, seconds=watch.left)
            tours = tours.repeat(replicas, axis=0)
        start = start_of(instances, tours, self.seed, first_row)
        prices = PRICES if replicas > 1 else ()
        chains = InstanceChains(instances, start, ACCEPT, KICK.arguments, prices=prices)
        migration = self._migration(batch, replicas, kicks, seconds)
        rounds = Rounds(chains, self.statistics, cooperation=migration)

        def note() -> None:
            costs = backend.to_numpy(chains.best_costs).reshape(-1, replicas)
            self.costs[batch.rows] = costs.min(axis=1)
            rounds.count()

        def after() -> bool:
            note()
            if self.report is not None:
                self.report(self.costs, self.statistics)
            return False

        stopped: str = "seconds"
        if not self.statistics.interrupted:
            stopped = drive(rounds, Stretch(seconds, kicks), after, watch)
        note()
        if not self.statistics.interrupted:
            self.statistics.stopped_by = stopped
        self._keep(batch, chains, replicas)

    def _migration(
        self, batch: AlikeProblems, replicas: int, kicks: int | None, seconds: float
    ) -> InstanceMigration | None:
        """Return the migration between the chains of each problem; None if each has one chain."""
        if replicas == 1 or not MIGRATIONS:
            return None
        each = batch.kicks(self.backend, replicas, seconds) if kicks is None else kicks
        every = max(LEAST_BETWEEN_MIGRATIONS, each / MIGRATIONS / batch.n)
        return InstanceMigration(every, SHARE_OF_MIGRANTS, replicas)

    def _keep(self, batch: AlikeProblems, chains: InstanceChains, replicas: int) -> None:
        """Copy the best row of each problem to the host."""
        costs = self.backend.to_numpy(chains.best_costs).reshape(-1, replicas)
        best = np.arange(len(costs)) * replicas + costs.argmin(axis=1)
        tours = self.backend.to_numpy(chains.best_tours[self.backend.xp.asarray(best)])
        for problem, row, tour in zip(batch.problems, batch.rows.tolist(), tours, strict=True):
            # Copies of the depot that the problem lacks are at the end, and begin no route.
            self.rows[row] = tour[: problem.n].astype(np.int32)

    def _given(self, batch: AlikeProblems) -> Any:
        """Return the given first rows of a batch, with more copies of the depot if necessary."""
        assert self.starts is not None
        tours = np.tile(np.arange(batch.n, dtype=np.int32), (len(batch.problems), 1))
        for own, row in enumerate(batch.rows.tolist()):
            tours[own, : self.problems[row].n] = self.starts[row]
        return self.backend.xp.asarray(tours)

    def exact_costs(self) -> list[Any]:
        """Return the exact costs of the rows; those of kernels are exact if they are integers."""
        pairs = zip(self.problems, self.rows, self.costs.tolist(), strict=True)
        return [
            int(cost) if problem.integer else problem.cost(row)[0].item()
            for problem, row, cost in pairs
        ]
