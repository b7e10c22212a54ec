"""The main loop of a run: it sends orders to islands, takes reports, and handles lost workers."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.exceptions import ClusterWarning
from gpu_ls_plugin.distributed.checkpoint import Checkpoint, checkpoint_of, resume
from gpu_ls_plugin.distributed.exchange import sources
from gpu_ls_plugin.distributed.fleet import TICK
from gpu_ls_plugin.distributed.island_state import Island, Totals, give_populations, give_rows
from gpu_ls_plugin.distributed.messages import Order
from gpu_ls_plugin.distributed.tasks import UnknownRunError
from gpu_ls_plugin.distributed.workers import Failures, Placement, lost_by_dask
from gpu_ls_plugin.runs.elites import Elites, joined

if TYPE_CHECKING:
    from gpu_ls_plugin.distributed.checkpoint import Keeper
    from gpu_ls_plugin.distributed.fleet import Event, Fleet
    from gpu_ls_plugin.distributed.messages import Report, Settled
    from gpu_ls_plugin.distributed.run import IslandRun

GONE = 10.0  # the scheduler counts as lost if it does not answer for this many seconds
UNMANNED = 60.0  # the run ends if it has no worker for this many seconds
PATIENCE = 5.0  # seconds that an island waits for a free worker before it shares one
# Seconds within which workers must return their rows at the end of a run, and after Ctrl-C.
ENDING, INTERRUPTED = 15.0, 3.0


class Coordinator:
    """Coordinates the islands of one run."""

    def __init__(self, run: IslandRun, fleet: Fleet, keeper: Keeper) -> None:
        self.run, self.fleet, self.keeper = run, fleet, keeper
        self.totals = Totals()
        self.islands: list[Island] = []
        self.best = Elites.none(run.problem)
        self.placement = Placement(PATIENCE)
        self.failures = Failures(self.placement, fleet)
        self._begun: float | None = None
        self._kept, self._manned = 0.0, time.monotonic()
        self._before = Checkpoint()
        self._over = ""  # why the run is over; empty while the run continues

    @property
    def elapsed(self) -> float:
        """Seconds of the run, including those before the checkpoint from which it continues."""
        passed = 0.0 if self._begun is None else time.perf_counter() - self._begun
        return self._before.seconds + passed

    def start(self, workers: list[str], rows: list[Any] | None = None) -> dict[int, Settled]:
        """Prepare an island on each worker, or on as many workers as `rows` has parts.

        Return how each island will search, by island number.
        """
        self._before = self.keeper.found()
        self.placement.update(workers)
        workers = workers if rows is None else workers[: len(rows)]
        with self.totals.statistics.phase("compiling"):
            settled = self.failures.settle(workers)
        for number, worker in enumerate(settled):
            island = Island(number, Elites.none(self.run.problem), worker=worker)
            island.backend = settled[worker].backend
            self.placement.homes[number] = worker
            self.islands.append(island)
        give_rows(self.islands, rows)
        self._improve(resume(self.run.problem, self.islands, self._before))
        self.totals.statistics.history.extend(self._before.history)
        self.totals.statistics.backend = self.islands[0].backend
        return dict(enumerate(settled.values()))

    def give(self, groups: list[Elites | None]) -> None:
        """Give each island its first population; None lets an island make its own."""
        self._improve(give_populations(self.run, self.islands, groups))

    def drive(self) -> None:
        """Search on all islands until the run is over, or until Ctrl-C."""
        self._begun, self._manned = time.perf_counter(), time.monotonic()
        try:
            for island in self.islands:
                self._order(island)
            while not self._over and not all(island.done for island in self.islands):
                event = self.fleet.wait(TICK)
                if event is not None:
                    self._take(event)
                self._tend()
        except KeyboardInterrupt:
            self._over = "interrupt"
        self._end()

    def gather(self) -> list[Elites]:
        """Return all rows of each island, or its elites if it does not answer, with exact costs."""
        patience = INTERRUPTED if self._over == "interrupt" else ENDING
        rows: dict[int, Elites] = {}
        if self._over != "lost":
            try:
                rows = self._collected(patience)
            except KeyboardInterrupt:  # a second Ctrl-C: return the elites
                self.totals.statistics.stopped_by = "interrupt"
        problem = self.run.problem
        found = [
            rows[island.number] if island.number in rows else island.elites.valued(problem)
            for island in self.islands
        ]
        best = self.best.valued(problem)
        if all(best.worth < group.worth for group in found):
            found[0] = joined(problem, [best, found[0]]).take(slice(max(1, len(found[0]))))
        return found

    def _order(self, island: Island) -> None:
        """Send an island its next order, or mark it as done or as waiting for a free worker."""
        first = island.number + 1 if island.begun is None else len(self.islands)
        part = first / len(self.islands)  # staggers the reports of islands
        stretch = self.run.schedule.stretch(island.kicks, self.elapsed, part)
        if stretch is None:
            island.done = True
            return
        waited = 0.0
        if island.waiting_since is not None:
            waited = self.elapsed - island.waiting_since
        home = self.placement.place(island.number, waited)
        if home is None:
            if island.waiting_since is None:
                island.waiting_since = self.elapsed
            return
        island.waiting_since = None
        if home != island.worker:
            self._restart(island)
            island.worker = home
        if island.begun is None:
            island.begun = self.elapsed
        order = Order(
            run=self.run.name,
            island=island.number,
            life=island.life,
            number=island.stretches,
            seed=self.run.seed,
            stretch=stretch,
            left=self.run.schedule.seconds - self.elapsed,
            rows=island.first_rows,
            size=island.size,
            guests=self._guests(island),
        )
        island.token = self.fleet.send(order, home)

    def _guests(self, island: Island) -> Elites:
        """Return the rows that an island receives from others."""
        count, number = len(self.islands), island.stretches
        others = sources(self.run.topology, count, island.number, number, self.run.seed)
        return joined(self.run.problem, [self.islands[other].elites for other in others])

    def _take(self, event: Event) -> None:
        if event.kind == "workers":
            for number in self.failures.look(event.content):
                self._uproot(self.islands[number])
            return
        island = self.islands[event.island]
        if event.kind == "seen":
            island.running_kicks = event.content["kicks"]
            self._tell(improved=False)
        elif event.token is island.token and event.kind == "done":
            island.token = None
            self._report(island, event.content)
        elif event.token is island.token:
            self._fail(island, event.content)

    def _report(self, island: Island, report: Report) -> None:
        """Take a report, and let the island continue, at once or together with all others."""
        self._count(island, report)
        self._tell(self.totals.point(self.islands, self.best, self.elapsed))
        if self._has_to_wait(island):  # the others report first, even if the target is reached
            return
        if self.run.target is not None and self._reached(self.run.target):
            self._over = "target"
        else:
            self._continue(self.islands if self.run.schedule.together else [island])

    def _count(self, island: Island, report: Report) -> None:
        """Add a report to the totals."""
        self.totals.add(island, report, self.elapsed)
        island.kicks += self.run.schedule.step or 0
        island.done = report.finished
        self._improve(report.elites)

    def _continue(self, islands: list[Island]) -> None:
        """Order the next stretch of each island that is not done."""
        for island in islands:
            if not island.done and not self._over:
                self._order(island)

    def _fail(self, island: Island, error: BaseException) -> None:
        """Handle the failure of an island's task."""
        worker = island.worker
        if isinstance(error, UnknownRunError):
            self.fleet.forget(worker)
        elif not lost_by_dask(error):
            for number in self.failures.exclude(worker, error, bool(len(self.best))):
                self._uproot(self.islands[number])
            if not self.placement.workers:
                self._over = "lost"
            return
        island.token, island.waiting_since = None, self.elapsed  # `_tend` sends the next order
        self._restart(island)

    def _restart(self, island: Island) -> None:
        """Give an island new random numbers if it has already drawn some."""
        if island.begun is not None:
            island.life, island.restarts = island.life + 1, island.restarts + 1

    def _uproot(self, island: Island) -> None:
        """Let an island that has lost its worker continue elsewhere, from its last elites."""
        if island.done:
            return
        self.fleet.cancel(island.number)
        island.token, island.worker = None, ""
        island.running_kicks = 0
        if not self._has_to_wait(island):
            self._order(island)

    def _has_to_wait(self, island: Island) -> bool:
        """Return whether an island has to wait for others before it continues."""
        return self.run.schedule.together and any(
            not other.done and other.stretches < island.stretches for other in self.islands
        )

    def _tend(self) -> None:
        """Place waiting islands, check whether the cluster is lost, and write a due checkpoint."""
        for island in self.islands:
            if island.waiting_since is not None and not island.done:
                self._order(island)
        if self.placement.workers:
            self._manned = time.monotonic()
        if self.fleet.closed or time.monotonic() - self.fleet.last_look > GONE:
            self._give_up("the scheduler is lost")
        elif time.monotonic() - self._manned > UNMANNED:
            self._give_up("no worker is left, and no new worker has joined")
        if self.elapsed - self._kept >= max(1.0, min(self.run.schedule.every, 10.0)):
            self._keep()

    def _give_up(self, why: str) -> None:
        """End the run with the best rows so far."""
        warnings.warn(f"dask: {why}; the best so far is returned", ClusterWarning, stacklevel=3)
        self._over = "lost"

    def _keep(self) -> None:
        """Write a checkpoint."""
        self._kept = self.elapsed
        if not len(self.best):
            return
        history = self.totals.statistics.history
        now = checkpoint_of(self.run.problem, self.islands, self.best, self.elapsed, history)
        self.keeper.keep(now)

    def _improve(self, elites: Elites) -> None:
        """Update the best row."""
        if elites.worth < self.best.worth:
            self.best = elites.take(slice(1))

    def _reached(self, target: float) -> bool:
        infeasible, cost = self.best.worth
        return cost <= target and not infeasible

    def _tell(self, improved: bool) -> None:
        """Call the callback once there is a best row."""
        if self.run.callback is not None and len(self.best):
            self.run.callback(self.totals.progress(self.islands, self.best, self.elapsed, improved))

    def _end(self) -> None:
        """Stop all searches, take their last reports, and note why the run is over."""
        statistics = self.totals.statistics
        statistics.stopped_by = self._over or self._limit()
        try:
            if self._over and self._over != "lost":
                self.fleet.stop()
                self._await_reports(INTERRUPTED)
        except KeyboardInterrupt:
            statistics.stopped_by = self._over = "interrupt"
        statistics.phases["exchange"] = self.totals.exchange_seconds(self.islands)
        statistics.seconds = self.elapsed
        self.totals.point(self.islands, self.best, self.elapsed)
        self._keep()

    def _limit(self) -> str:
        """Return the limit that ended the run, or "optimum" if all islands finished earlier."""
        schedule, elapsed = self.run.schedule, self.elapsed
        if schedule.stretch(min(island.kicks for island in self.islands), elapsed) is not None:
            return "optimum"
        return "kicks" if schedule.kicks is not None and elapsed < schedule.seconds else "seconds"

    def _await_reports(self, seconds: float) -> None:
        """Take the reports of stopped searches that arrive in time."""
        running = lambda: any(island.token is not None for island in self.islands)  # noqa: E731
        for event in self.fleet.events(seconds, running):
            island = self.islands[event.island]
            if event.kind in ("done", "failed") and event.token is island.token:
                island.token = None
                if event.kind == "done":
                    self._count(island, event.content)

    def _collected(self, seconds: float) -> dict[int, Elites]:
        """Return all rows of the islands that answer in time."""
        rows: dict[int, Elites] = {}
        tokens = {
            island.number: self.fleet.collect(island.number, island.worker)
            for island in self.islands
            if island.worker and island.stretches
        }
        for event in self.fleet.events(seconds, lambda: bool(tokens)):
            if event.kind == "workers":
                for number in self.failures.look(event.content):
                    tokens.pop(number, None)
            elif event.kind in ("done", "failed") and event.token is tokens.get(event.island, self):
                del tokens[event.island]
                if event.kind == "done" and event.content is not None:
                    rows[event.island] = event.content
        return rows
