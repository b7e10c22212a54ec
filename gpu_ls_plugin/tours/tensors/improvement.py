"""Improves rows of many instances that are arrays of a backend, without the host in between."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.budget import NO_LIMIT, Budget, Stopwatch
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.runs.drive import drive
from gpu_ls_plugin.runs.stretch import Stretch, even_fall
from gpu_ls_plugin.runs.tensors import ImprovedRows
from gpu_ls_plugin.tours.engines.chains import chain_layouts
from gpu_ls_plugin.tours.engines.chains.chain_kernel import ChainState
from gpu_ls_plugin.tours.engines.chains.rounds import Rounds
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.tensors.own_metrics import metric_of
from gpu_ls_plugin.tours.tensors.search_parts import search_parts
from gpu_ls_plugin.tours.tensors.steps import steps_of

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.prepared import Launch
    from gpu_ls_plugin.runs.tensors import RowLimits, Tensors
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.tensors.search_parts import SearchParts

MOST_CITIES = 12_000  # every city looks at all others to list its candidates
SMALLEST = 4  # shorter tours have a single order
ITEM_NAMES = {4: "int32", 8: "int64"}  # types of rows, by size


@dataclass(frozen=True)
class Lengths:
    """The lengths of many instances: arrays of a backend that kernels read in place.

    `data` has coordinates (B, n, 2) or matrices (B, n, n), contiguous, of the metric's type.
    """

    metric: Metric
    data: Any


def improve_tours(
    backend: Backend, tensors: Tensors, search: Any, limits: RowLimits
) -> ImprovedRows:
    """Improve tours of many instances; see `Domain.improver`."""
    data = tensors.lengths
    n = data.shape[1]
    if n > MOST_CITIES:
        raise UnsupportedProblemError(
            f"rows: instances have {n:,} cities, but improve takes at most {MOST_CITIES:,}; "
            "search larger ones with LocalSearch, one TSP at a time"
        )
    metric = metric_of(tensors.coordinates is None, data.itemsize == 4)
    lengths = Lengths(metric, data)
    return Improvement(backend, lengths, tensors.rows, search_parts(search), limits).run()


class Improvement:
    """Rows (R, n) of B instances on a backend; R is a multiple of B.

    Rows of the same instance follow each other. Nothing is copied to the host, and nothing waits
    for the device unless `seconds` are given. Row r uses the random numbers of row
    `first_row` + r.
    """

    def __init__(
        self,
        backend: Backend,
        lengths: Lengths,
        rows: Any,
        parts: SearchParts,
        limits: RowLimits,
        first_row: int = 0,
    ) -> None:
        self.backend, self.rows, self.parts, self.limits = backend, rows, parts, limits
        (size, n), instances = rows.shape, len(lengths.data)
        self.max_moves = NO_LIMIT if limits.moves is None else limits.moves
        self.steps = steps_of(
            backend,
            lengths.metric,
            parts,
            n,
            instances,
            size,
            -(-size // backend.processors),
            ITEM_NAMES[rows.itemsize],
            lengths.data.nbytes // instances,
            self.max_moves,
            limits.kicks is not None or limits.seconds is not None,
        )
        memory, address = self.steps.memory, backend.address
        self._block = backend.xp.empty(memory.size, "uint8")
        self.valid = backend.xp.empty(size, "bool")
        self._kept = lengths.data
        self._arguments = {
            **memory.addresses(address(self._block)),
            "metric_data": address(lengths.data),
            "rows": address(rows),
            "valid": address(self.valid),
            "seed": limits.seed,
            "first_row": first_row,
        }
        self._arguments.setdefault("best_tours", self._arguments["tours"])

    def run(self) -> ImprovedRows:
        """Return the improved rows (R, n), their costs and which rows are valid."""
        watch = None
        if self.limits.seconds is not None:
            watch = Stopwatch(Budget(seconds=self.limits.seconds))
        self.start(self.steps.check)
        self.take()
        if self.rows.shape[1] >= SMALLEST:
            self.descend()
            if self.steps.chain is not None:
                self._kick(watch)
        return self._given()

    def start(self, step: Launch, seconds: float = math.inf, **more: Any) -> None:
        """Launch a step; `more` are arguments besides those that all steps share."""
        arguments = {**self._arguments, **more} if more else self._arguments
        step.start(self.backend, arguments, seconds)

    def array(self, name: str) -> Any:
        """Return an array of the memory that the steps share; see `steps_of`."""
        return self.steps.memory.array(self._block, name)

    def take(self) -> None:
        """Copy and check the rows, and list the candidates of instances that are `usable`."""
        self.start(self.steps.take)
        if self.rows.shape[1] >= SMALLEST:
            self.start(self.steps.lists)

    def descend(self) -> None:
        """Search each tour to a local optimum."""
        seconds = math.inf if self.limits.seconds is None else self.limits.seconds
        self.start(self.steps.descend, seconds)

    def _kick(self, watch: Stopwatch | None) -> None:
        """Run a chain from each tour."""
        seconds, kicks = self.limits.seconds, self.limits.kicks
        if seconds is not None:
            stretch = Stretch(seconds, kicks)
            if drive(Rounds(OwnChains(self), Statistics()), stretch, watch=watch) == "interrupt":
                raise KeyboardInterrupt
            return
        assert kicks is not None
        self.begin_chains()
        self.chain(kicks, *even_fall(self.parts.kick[1], kicks), math.inf)  # all in one launch

    def begin_chains(self) -> None:
        """Make the state of chains from the tours."""
        assert self.steps.begin is not None
        self.start(self.steps.begin)

    def chain(self, until: int, heat: float, cooling: float, seconds: float) -> None:
        """Run the chains; see `ChainState.advance`."""
        assert self.steps.chain is not None
        self.start(self.steps.chain, seconds, until=until, heat=heat, cooling=cooling)

    def _given(self) -> ImprovedRows:
        """Return the better ones of the given rows and the best tours."""
        xp, arguments = self.backend.xp, self._arguments
        improved, costs = xp.empty(self.rows.shape, self.rows.dtype), xp.empty(len(self.rows))
        kicked = self.steps.chain is not None
        self.start(
            self.steps.give,
            tours=arguments["best_tours" if kicked else "tours"],
            improved=self.backend.address(improved),
            costs=self.backend.address(costs),
        )
        return ImprovedRows(improved, costs, self.valid)


class OwnChains(ChainState):
    """Chains of kicks on rows whose instances have separate data, with their state as arrays."""

    def __init__(self, improvement: Improvement) -> None:
        backend, limits, array = improvement.backend, improvement.limits, improvement.array
        improvement.begin_chains()
        self._improvement, self.accept = improvement, improvement.parts.kick[1]
        self.current_is_best = self.accept.never_worse
        self.tours = array("tours")
        self.best_tours = self.tours if self.current_is_best else array("best_tours")
        self.costs, self.best_costs, self.units = map(array, ("costs", "best_costs", "units"))
        counts = ("kick_counts", "accepted_counts", "idle_counts", "look_counts", "move_counts")
        self.kicks, self.accepted, self.idle, self.looks, self.moves = map(array, counts)
        self.moves_by, self.restarts = array("moves_by"), backend.xp.zeros_like(self.kicks)
        n, most = self.tours.shape[1], improvement.max_moves
        self.start = Start.on_arrays(backend, n, self.tours, limits.seed, max_moves=most)

    def advance(self, until: int, heat: float, cooling: float, seconds: float) -> None:
        self._improvement.chain(until, heat, cooling, seconds)

    def first_kicks(self) -> int:
        return chain_layouts.first_kicks(self.start.backend, len(self.tours))

    def moves_per_look(self) -> int:
        return 1
