"""Improves rows of many instances that are arrays of a backend, without the host in between."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.budget import NO_LIMIT, Budget, Stopwatch
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.runs.drive import drive
from gpu_ls_plugin.runs.stretch import Leg, Stretch
from gpu_ls_plugin.runs.tensors import ImprovedRows
from gpu_ls_plugin.tours.engines.chains import chain_layouts
from gpu_ls_plugin.tours.engines.chains.chain_kernel import ChainState
from gpu_ls_plugin.tours.engines.chains.rounds import Rounds
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.tensors.kernels import Kernels, kernels_of, own_bytes
from gpu_ls_plugin.tours.tensors.own_metrics import metric_of
from gpu_ls_plugin.tours.tensors.search_parts import search_parts

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.runs.tensors import RowLimits, Tensors
    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.tensors.search_parts import SearchParts

MOST_CITIES = 12_000  # every city looks at all others to list its candidates
SMALLEST = 4  # shorter tours have a single order
ALL_PASSES = 2**31 - 1  # a descent ends at a local optimum


@dataclass(frozen=True)
class Lengths:
    """The lengths of many instances: arrays of a backend that kernels read in place.

    `data` has coordinates (B, n, 2) or matrices (B, n, n), contiguous, of the metric's type.
    """

    metric: Metric
    data: Any

    @property
    def n(self) -> int:
        """Number of cities of an instance."""
        return int(self.data.shape[1])


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
    metric = metric_of(tensors.coordinates is None, str(data.dtype))
    lengths = Lengths(metric, data)
    return Improvement(backend, lengths, tensors.rows, search_parts(search), limits).run()


class Improvement:
    """Rows (R, n) of B instances on a backend; R is a multiple of B.

    Rows of the same instance follow each other. Nothing is copied to the host, and nothing waits
    for the device unless `seconds` are given.
    """

    def __init__(
        self, backend: Backend, lengths: Lengths, rows: Any, parts: SearchParts, limits: RowLimits
    ) -> None:
        self.backend, self.lengths, self.rows, self.limits = backend, lengths, rows, limits
        self.parts = parts
        instances, size = len(lengths.data), len(rows)
        self._count = instances
        self.made = backend.xp.zeros(size, "int64")  # moves of each row
        kicked = limits.kicks is not None or limits.seconds is not None
        self.kernels: Kernels = kernels_of(
            backend,
            lengths.metric,
            parts.neighbourhoods,
            min(parts.degree, lengths.n - 1),
            parts.quadrants and not lengths.metric.explicit,
            lengths.n,
            -(-size // backend.processors),
            str(rows.dtype),
            parts.kick if kicked else None,
        )
        self.known: dict[str, Any] = {
            **dict(self.kernels.arguments),
            "metric_data": lengths.data,
            "n": lengths.n,
            "replicas": size // instances,
            "data_bytes": lengths.data.nbytes // instances,
        }

    def run(self) -> ImprovedRows:
        """Return the improved rows (R, n), their costs and which rows are valid."""
        watch = Stopwatch(Budget(seconds=self.limits.seconds))
        xp, size, n = self.backend.xp, len(self.rows), self.lengths.n
        usable = self._usable()
        given = self._taken(usable)
        tours, valid = given["tours"], given["valid"]
        if n >= SMALLEST:
            self.list_candidates(usable)
            self.descend(tours, given["states"])
            if self.kernels.chain is not None and n >= self.parts.kick[0].smallest:
                tours = self._kick(self.kernels.chain, tours, valid, watch)
        found = {
            "rows": self.rows,
            "valid": valid,
            "tours": tours,
            "improved": xp.empty((size, n), self.rows.dtype),
            "costs": xp.empty(size),
        }
        self.launch(self.kernels.give, size, found)
        return ImprovedRows(found["improved"], found["costs"], valid.view("bool"))

    def launch(self, kernel: Kernel, count: int, arguments: dict[str, Any], **more: Any) -> None:
        self.backend.launch(kernel, count, {**self.known, **arguments}, **more)

    def _usable(self) -> Any:
        """Return which instances have usable lengths, uint8 (B,)."""
        usable = self.backend.xp.empty(self._count, "uint8")
        check = {**self.known, "replicas": 1}
        self.backend.launch(self.kernels.check, self._count, {**check, "usable": usable})
        return usable

    def _taken(self, usable: Any) -> dict[str, Any]:
        """Return checked copies of the rows, int32, and which rows are valid."""
        xp, size, n = self.backend.xp, len(self.rows), self.lengths.n
        given = {
            "rows": self.rows,
            "usable": usable,
            "tours": xp.empty((size, n), "int32"),
            "valid": xp.empty(size, "uint8"),
            "states": xp.empty(size, "uint8"),
            "bits": xp.empty((size, -(-n // 32)), "uint32"),
        }
        self.launch(self.kernels.take, size, given)
        return given

    def list_candidates(self, usable: Any) -> None:
        """Make the candidate lists of all instances, as arguments of the searches."""
        xp, cities = self.backend.xp, self._count * self.lengths.n
        degree = self.known["degree"]
        near = xp.empty((cities, degree), "int32"), xp.empty((cities, degree), "float32")
        lists = {"usable": usable, "near": near[0], "near_lengths": near[1], "replicas": 1}
        self.launch(self.kernels.lists, cities, lists)
        self.known |= {"candidates": near[0], "candidate_lengths": near[1]}

    def descend(self, tours: Any, states: Any) -> None:
        """Search each tour to a local optimum."""
        xp, (size, n), shape = self.backend.xp, tours.shape, self.kernels.shape
        counts = xp.zeros((2, size), "int64")
        scratch = None
        if not shape.in_shared:
            scratch = xp.empty((size, own_bytes(n, 4, self.kernels.site_bytes)), "uint8")
        most = NO_LIMIT if self.limits.moves is None else self.limits.moves
        descents = {
            "passes": ALL_PASSES,
            "max_moves": most,
            "tours": tours,
            "states": states,
            "pass_counts": counts[0],
            "move_counts": counts[1],
            "moves_by": xp.zeros(len(self.parts.neighbourhoods), "int64"),
            "scratch": scratch,
            "ahead": self.kernels.ahead[0],
            "queues": xp.empty((size, n), "int32"),
            "queue_sizes": xp.full(size, -1, "int32"),
        }
        seconds = {} if self.limits.seconds is None else {"seconds": self.limits.seconds}
        shared = shape.shared_bytes(n)
        self.launch(self.kernels.descent, size, descents, shared_bytes=shared, **seconds)
        self.made = counts[1]

    def _kick(self, kernel: Kernel, tours: Any, valid: Any, watch: Stopwatch) -> Any:
        """Run a chain from each tour; return the best tours."""
        assert self.parts.kick is not None
        kick, accept = self.parts.kick
        chains = OwnChains(self, kernel, tours, valid, kick, accept)
        seconds, kicks = self.limits.seconds, self.limits.kicks
        if seconds is None:  # all kicks in one launch
            assert kicks is not None
            chains.advance(kicks, *Leg(Stretch(kicks=kicks)).level(accept, 0, kicks), math.inf)
            return chains.best_tours
        stretch = Stretch(seconds, kicks)
        if drive(Rounds(chains, Statistics()), stretch, watch=watch) == "interrupt":
            raise KeyboardInterrupt
        return chains.best_tours


class OwnChains(ChainState):
    """Chains of kicks on rows whose instances have separate data."""

    def __init__(
        self,
        improvement: Improvement,
        kernel: Kernel,
        tours: Any,
        valid: Any,
        kick: Perturbation,
        accept: Acceptance,
        first_row: int = 0,
    ) -> None:
        backend, xp, size = improvement.backend, improvement.backend.xp, len(tours)
        limits, n = improvement.limits, improvement.lengths.n
        most = NO_LIMIT if limits.moves is None else limits.moves
        self.accept, self._kernel = accept, kernel
        self.start = Start.on_arrays(backend, n, tours, limits.seed, max_moves=most)
        measured = {
            "tours": tours,
            "valid": valid,
            "kick_counts": xp.empty(size, "int64"),
            "costs": xp.empty(size),
            "units": xp.empty(size, "float32"),
        }
        improvement.launch(improvement.kernels.measure, size, measured)
        super().__init__(
            xp,
            tours,
            measured["costs"],
            measured["units"],
            current_is_best=accept.never_worse,
            neighbourhoods=len(improvement.parts.neighbourhoods),
        )
        self.moves, self.kicks = improvement.made, measured["kick_counts"]
        self._shared_bytes = improvement.kernels.chain_shared
        self._arguments = {
            **improvement.known,
            **self.state_arguments,
            "ahead": improvement.kernels.ahead[1],
            "seed": limits.seed,
            "first_row": first_row,
            "max_moves": most,
            "patience": 0,
            "window": kick.window(n),
            "scratch": None,
        }

    def first_kicks(self) -> int:
        return chain_layouts.first_kicks(self.start.backend, len(self.tours))

    def moves_per_look(self) -> int:
        return 1
