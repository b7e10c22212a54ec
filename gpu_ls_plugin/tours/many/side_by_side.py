"""Chains on many instances at once: one per instance, or several if there are few instances."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.builds import NotBuiltError, in_background
from gpu_ls_plugin.core.budget import Stopwatch, now
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.runs.acceptance import Annealing
from gpu_ls_plugin.runs.drive import drive
from gpu_ls_plugin.runs.stretch import Stretch
from gpu_ls_plugin.tours.engines.chains import chain_layouts
from gpu_ls_plugin.tours.engines.chains.chain_kernel import chain_layout
from gpu_ls_plugin.tours.engines.chains.part_search import PartChains, PartSearch
from gpu_ls_plugin.tours.engines.chains.rounds import Rounds
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.kicks.double_bridge import DoubleBridge
from gpu_ls_plugin.tours.many.crossing import Crossing
from gpu_ls_plugin.tours.many.instances import DEGREE
from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighan
from gpu_ls_plugin.tours.moves.reconnections import TwoOpt
from gpu_ls_plugin.tours.moves.segment_moves import OrOpt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.engines.chains.part_search import TourParts
    from gpu_ls_plugin.tours.many.instances import Instances
    from gpu_ls_plugin.tours.moves.base import Neighbourhood
    from gpu_ls_plugin.tours.moves.composed import CandidateMoves

NEIGHBOURHOODS = (LinKernighan(3),)
# Fewer moves and candidates for a CPU with a time limit: kicks and crossings make up for them
# (docs/many-instances.md).
NARROW, NARROW_DEGREE = (OrOpt(3), TwoOpt()), 5
PERTURBATION = DoubleBridge(segment=100)
# Heat of annealing. On up to FEW_CITIES cities, a chain makes more kicks per city, so it has time
# to cool down from a higher heat.
FEW_CITIES, HEAT_OF_FEW, HEAT = 300, 1.2, 0.6
# The chains of an instance are crossed after these shares of the time; crossing earlier would make
# the chains too similar.
CROSSED_AFTER = (0.7, 0.85, 1.0)
# Maximum number of chains per instance that are crossed if instances have few cities or more, and
# the seconds that a CPU core or a multiprocessor needs per chain and city.
FEW_CROSSED, MOST_CROSSED, SECONDS_OF_CHAIN = 8, 24, 3e-6


def moves_of(backend: Backend, kicks: int | None) -> tuple[Sequence[Neighbourhood], int]:
    """Return the neighbourhoods of chains, and the number of candidates per city.

    If `kicks` limits the chains, both are the same for all backends; otherwise, a CPU has fewer
    moves and candidates.
    """
    if backend.name == "cpu" and kicks is None:
        return NARROW, NARROW_DEGREE
    return NEIGHBOURHOODS, DEGREE


def bytes_per_instance(n: int) -> int:
    """Return a bound on the bytes of an instance with one chain, not counting coordinates."""
    return n * (12 * DEGREE + 32) + 128


def slots_of(backend: Backend, parts: CandidateMoves, n: int) -> int:
    """Return how many chains on n cities a backend runs at a time; 0 if n is too large."""
    try:
        layout = chain_layout(backend, parts.needs, n, chain_layouts.part_shape)
    except InvalidParameterError:
        return 0
    return backend.processors * layout.teams * layout.blocks


def replicas_of(
    backend: Backend, slots: int, count: int, n: int, fit: int, cities: int, seconds: float | None
) -> int:
    """Return the number of chains for each of `count` instances of up to n cities.

    The backend runs `slots` chains at a time and has memory for `fit`. All instances share the
    `seconds` and have `cities` cities in total; if `seconds` is None, kicks limit the chains.
    """
    busy = max(1, min(slots, fit) // count)
    if seconds is None or not np.isfinite(seconds):
        return busy
    crossed = int(seconds * backend.processors / (cities * SECONDS_OF_CHAIN))
    most = FEW_CROSSED if n <= FEW_CITIES else MOST_CROSSED
    return max(busy, min(crossed, most, fit // count))


@dataclass(eq=False)
class InstanceBatch:
    """Instances with the same metric and similar sizes, which are searched together.

    `parts` is None if the batch is a single instance for `solve`, or if it is already solved.
    """

    instances: Instances
    chosen: NDArray[np.int64]  # (K,), indices of the batch's instances in `instances`
    tours: Any  # (K, m), on the host or on the backend
    parts: CandidateMoves | None = None
    replicas: int = 0  # chains per instance
    first_row: int = 0  # row whose random numbers the first chain uses
    claims: Any = None  # (K,), costs according to the search
    # Rows (P, n) from which instances start, the best first, by their place in `chosen`.
    starts: Mapping[int, NDArray[np.int32]] = field(default_factory=dict)

    @property
    def rows(self) -> NDArray[np.int64]:
        """Indices of the instances in the caller's input."""
        return self.instances.rows[self.chosen]

    @property
    def cities(self) -> int:
        """Total number of cities."""
        return int(self.instances.sizes[self.chosen].sum())

    @property
    def names(self) -> NDArray[np.int32]:
        """Numbers (K, m) of the instances' cities among those of all instances."""
        return self.instances.names(self.chosen)

    def with_starts(self, tours: NDArray[np.int32], chain: int = 0) -> NDArray[np.int32]:
        """Return tours (K, m) on the host, with the row from which chain number `chain` starts.

        The chains of an instance start from its rows in turn.
        """
        filled = tours.copy()
        for place, rows in self.starts.items():
            filled[place, : rows.shape[1]] = rows[chain % len(rows)]
        return filled

    def exact_costs(self) -> NDArray[Any]:
        """Return the exact costs (K,) of the tours, which are on the host."""
        return self.instances.exact_costs(self.chosen, self.tours)

    def rings(self, backend: Backend) -> Any:
        """Return the tours (K * R, m) from which R chains per instance start, on a backend."""
        xp, count = backend.xp, self.replicas
        if all(len(rows) == 1 for rows in self.starts.values()):
            return xp.asarray(self.tours).repeat(count, axis=0)
        tours = backend.to_numpy(self.tours)
        chains = [self.with_starts(tours, chain) for chain in range(count)]
        return xp.asarray(np.stack(chains, axis=1).reshape(-1, tours.shape[1]))


class SideBySide:
    """Chains on all instances of a batch; each launch advances all chains.

    `cut` is the result of `Instances.parts`. Chains start from the batch's tours. Chain c uses the
    random numbers of row `first_row` + c.
    """

    def __init__(self, backend: Backend, batch: InstanceBatch, cut: TourParts, seed: int) -> None:
        instances, parts, first_row = batch.instances, batch.parts, batch.first_row
        assert parts is not None
        self._backend, self._replicas = backend, batch.replicas
        sizes, stride = instances.sizes[batch.chosen], batch.tours.shape[1]
        accept = Annealing(HEAT_OF_FEW if stride <= FEW_CITIES else HEAT)
        layout = chain_layout(backend, parts.needs, stride, chain_layouts.part_shape)
        start = Start(backend, instances.whole, None, seed)
        search = PartSearch(start, accept, parts, PERTURBATION, stride, layout)
        window = PERTURBATION.window(int(sizes.min()))
        rings = batch.rings(backend)
        costs = instances.costs(backend, parts, cut, rings)
        units = (costs / backend.xp.asarray(sizes).repeat(batch.replicas)).astype("f4")
        first = chain_layouts.first_kicks(backend, len(rings))
        self.state = PartChains(search, cut, rings, costs, units, window, first_row, first)
        self.rounds = Rounds(self.state, Statistics())
        self._crossing = partial(
            Crossing, backend, instances.metric, parts, cut, self.state, seed, first_row
        )

    def drive(self, seconds: float, kicks: int | None, after: Callable[[], bool]) -> str:
        """Launch until all chains have made their kicks or time is up; return why it ended.

        With a time limit, the chains of each instance are also crossed, once the kernel for that is
        built. `after` is called after each launch and returns whether to stop.
        """
        watch, stretch = Stopwatch.of(seconds), Stretch(seconds, kicks)
        if kicks is not None or self._replicas == 1:
            return drive(self.rounds, stretch, after, watch)
        crossing, taken = self._crossing(), 0.0
        self._backend.begin(crossing.kernel)
        for share in CROSSED_AFTER:
            part = watch.until(min(share * seconds, seconds - taken))
            ended = drive(self.rounds, stretch, after, part)
            if ended != "seconds":
                return ended
            begun = now()
            with suppress(NotBuiltError), in_background():
                crossing.cross_all(watch.left)
            taken = now() - begun
            after()
        return "seconds"

    def best_costs(self) -> NDArray[Any]:
        """Return the costs of the best tours on the host; real costs have rounding errors."""
        costs: NDArray[Any] = self._backend.to_numpy(self._of_instances().min(axis=1))
        return costs

    def best_tours(self) -> NDArray[np.int32]:
        """Return each instance's best tour on the host, shape (K, m)."""
        backend, costs = self._backend, self._backend.to_numpy(self._of_instances())
        rows = np.arange(len(costs)) * self._replicas + costs.argmin(axis=1)
        best = self.state.best_tours[backend.xp.asarray(rows)]
        tours: NDArray[np.int32] = backend.to_numpy(best)
        return tours

    def _of_instances(self) -> Any:
        return self.state.best_costs.reshape(-1, self._replicas)
