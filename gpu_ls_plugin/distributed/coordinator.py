"""The loop of a run: orders to islands, their reports, exchanges, and workers that are lost."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.exceptions import ClusterWarning
from gpu_ls_plugin.distributed.beginning import hand_out, populate, resume
from gpu_ls_plugin.distributed.checkpoint import Checkpoint, checkpoint_of
from gpu_ls_plugin.distributed.ending import await_reports, collected, reason
from gpu_ls_plugin.distributed.exchange import sources
from gpu_ls_plugin.distributed.failures import Failures, lost_by_dask
from gpu_ls_plugin.distributed.orders import Order
from gpu_ls_plugin.distributed.placement import Placement
from gpu_ls_plugin.distributed.tally import Island, Tally
from gpu_ls_plugin.distributed.work import Unsettled
from gpu_ls_plugin.runs.elites import Elites, joined

if TYPE_CHECKING:
    from gpu_ls_plugin.distributed.checkpoint import Keeper
    from gpu_ls_plugin.distributed.fleet import Event, Fleet
    from gpu_ls_plugin.distributed.orders import Report, Settled
    from gpu_ls_plugin.distributed.run import IslandRun

TICK = 0.1  # seconds between two looks at what waits
GONE = 10.0  # seconds without a word of the scheduler, after which it is lost
UNMANNED = 60.0  # seconds without any worker, after which none is expected
PATIENCE = 5.0  # seconds that an island waits for a worker of its own
ENDING, INTERRUPTED = 15.0, 3.0  # seconds in which rows are gathered at the end


class Coordinator:
    """Leads the islands of one run."""

    def __init__(self, run: IslandRun, fleet: Fleet, keeper: Keeper) -> None:
        self.run, self.fleet, self.keeper = run, fleet, keeper
        self.tally = Tally(run.problem)
        self.islands: list[Island] = []
        self.best = Elites.none(run.problem)
        self.placement = Placement(PATIENCE)
        self.failures = Failures(run.problem, self.placement, fleet)
        self._begun: float | None = None
        self._kept, self._manned = 0.0, time.monotonic()
        self._before = Checkpoint()
        self._over = ""

    @property
    def elapsed(self) -> float:
        """Seconds of the run, with those before a checkpoint."""
        passed = 0.0 if self._begun is None else time.perf_counter() - self._begun
        return self._before.seconds + passed

    def start(self, workers: list[str], rows: list[Any] | None = None) -> dict[int, Settled]:
        """Prepare an island on each worker, or on as many as there are parts of rows."""
        self._before = self.keeper.found()
        self.placement.update(workers)
        workers = workers if rows is None else workers[: len(rows)]
        with self.tally.statistics.phase("compiling"):
            settled = self.failures.settle(workers)
        for number, worker in enumerate(settled):
            island = Island(number, Elites.none(self.run.problem), worker=worker)
            island.backend = settled[worker].backend
            self.placement.homes[number] = worker
            self.islands.append(island)
        hand_out(self.islands, rows)
        self._improve(resume(self.run, self.islands, self._before))
        self.tally.statistics.history.extend(self._before.history)
        self.tally.statistics.backend = self.islands[0].backend
        return dict(enumerate(settled.values()))

    def drive(self) -> None:
        """Let the islands go on until the run is over, or Ctrl-C."""
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
        """Return all rows of each island, costs from scratch; elites where it cannot be asked."""
        patience = INTERRUPTED if self._over == "interrupt" else ENDING
        rows: dict[int, Elites] = {}
        if self._over != "lost":
            try:
                rows = collected(self.fleet, self.failures, self.islands, patience)
            except KeyboardInterrupt:  # once more: what is known must do
                self.tally.statistics.stopped_by = "interrupt"
        problem = self.run.problem
        found = [
            rows[island.number] if island.number in rows else island.elites.valued(problem)
            for island in self.islands
        ]
        best = self.best.valued(problem)
        if all(best.worth < group.worth for group in found):
            found[0] = joined(problem, [best, found[0]]).take(slice(max(1, len(found[0]))))
        return found

    def give(self, groups: list[Elites | None]) -> None:
        """Let islands begin with populations; None where one has to make its own."""
        self._improve(populate(self.run, self.islands, groups))

    def _order(self, island: Island) -> None:
        """Let an island go on, or wait for a worker, or end."""
        first = island.number + 1 if island.begun is None else len(self.islands)
        part = first / len(self.islands)  # so that islands do not report all at once, ever after
        stretch = self.run.rhythm.stretch(island.kicks, self.elapsed, part)
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
        if home != island.worker:  # where it has to begin anew
            self._begin_anew(island)
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
            left=self.run.rhythm.seconds - self.elapsed,
            rows=island.first_rows,
            size=island.size,
            guests=self._guests(island),
        )
        island.token = self.fleet.send(order, home)

    def _guests(self, island: Island) -> Elites:
        """Return the rows of others that an island gets."""
        count, number = len(self.islands), island.stretches
        others = sources(self.run.topology, count, island.number, number, self.run.seed)
        return joined(self.run.problem, [self.islands[other].elites for other in others])

    def _take(self, event: Event) -> None:
        """Take an event."""
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
        """Take what an island has found; let it go on, alone or with all others."""
        self._count(island, report)
        self._tell(self.tally.point(self.islands, self.best, self.elapsed))
        together = self.run.rhythm.together
        waits = together and any(self._is_behind(other, island) for other in self.islands)
        if waits:  # also for those that have not reached the target
            return
        if self.run.target is not None and self._reached(self.run.target):
            self._over = "target"
        else:
            self._go_on(self.islands if together else [island])

    def _count(self, island: Island, report: Report) -> None:
        """Add what an island has done."""
        self.tally.add(island, report, self.elapsed)
        island.kicks += self.run.rhythm.step or 0
        island.done = report.finished
        self._improve(report.elites)

    def _go_on(self, islands: list[Island]) -> None:
        """Order the next stretch; all guests are chosen before any island goes on."""
        for island in islands:
            if not island.done and not self._over:
                self._order(island)

    def _fail(self, island: Island, error: BaseException) -> None:
        """See to an island whose task has failed."""
        worker = island.worker
        if isinstance(error, Unsettled):
            self.fleet.forget(worker)
        elif not lost_by_dask(error):
            for number in self.failures.exclude(worker, error, bool(len(self.best))):
                self._uproot(self.islands[number])
            if not self.placement.workers:
                self._over = "lost"
            return
        island.token, island.waiting_since = None, self.elapsed  # `_tend` sends it on
        self._begin_anew(island)

    def _begin_anew(self, island: Island) -> None:
        """Let an island have other random numbers, as soon as it has had some."""
        if island.begun is not None:
            island.life, island.anew = island.life + 1, island.anew + 1

    def _uproot(self, island: Island) -> None:
        """Let an island that has lost its worker go on elsewhere, from its last elites."""
        if island.done:
            return
        self.fleet.cancel(island.number)
        island.token, island.worker = None, ""
        island.running_kicks = 0
        together = self.run.rhythm.together
        if not (together and any(self._is_behind(other, island) for other in self.islands)):
            self._order(island)

    def _is_behind(self, other: Island, island: Island) -> bool:
        """Return whether an island has to wait for another one."""
        return not other.done and other.stretches < island.stretches

    def _tend(self) -> None:
        """See to islands that wait for workers, to the scheduler and to the checkpoint."""
        for island in self.islands:
            if island.waiting_since is not None and not island.done:
                self._order(island)
        if self.placement.workers:
            self._manned = time.monotonic()
        if self.fleet.closed or time.monotonic() - self.fleet.last_look > GONE:
            self._give_up("the scheduler is lost")
        elif time.monotonic() - self._manned > UNMANNED:
            self._give_up("no worker is left, and none has come")
        if self.elapsed - self._kept >= max(1.0, min(self.run.rhythm.every, 10.0)):
            self._keep()

    def _give_up(self, why: str) -> None:
        """End the run with what there is."""
        warnings.warn(f"dask: {why}; the best so far is returned", ClusterWarning, stacklevel=3)
        self._over = "lost"

    def _keep(self) -> None:
        """Write a checkpoint."""
        self._kept = self.elapsed
        if not len(self.best):
            return
        history = self.tally.statistics.history
        now = checkpoint_of(self.run.problem, self.islands, self.best, self.elapsed, history)
        self.keeper.keep(now)

    def _improve(self, elites: Elites) -> None:
        if elites.worth < self.best.worth:
            self.best = elites.take(slice(1))

    def _reached(self, target: float) -> bool:
        infeasible, cost = self.best.worth
        return cost <= target and not infeasible

    def _tell(self, improved: bool) -> None:
        """Tell the callback, once there is something to be told."""
        if self.run.callback is not None and len(self.best):
            told = self.tally.progress(self.islands, self.best, self.elapsed, improved)
            self.run.callback(told)

    def _end(self) -> None:
        """Stop all searches and take what they still have to say; note why the run is over."""
        statistics = self.tally.statistics
        statistics.stopped_by = self._over or reason(self.run.rhythm, self.islands, self.elapsed)
        try:
            if self._over and self._over != "lost":
                self.fleet.stop()
                await_reports(self.fleet, self.islands, self._count, INTERRUPTED)
        except KeyboardInterrupt:
            statistics.stopped_by = self._over = "interrupt"
        statistics.phases["exchange"] = self.tally.exchange_seconds(self.islands)
        statistics.seconds = self.elapsed
        self.tally.point(self.islands, self.best, self.elapsed)
        self._keep()
