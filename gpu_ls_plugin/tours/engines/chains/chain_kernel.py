"""The kernel of chains, its launch layout, and the arrays that it reads and writes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core.origins import sources_of
from gpu_ls_plugin.tours.engines.scopes import PROBLEMS, WHOLE_TOUR
from gpu_ls_plugin.tours.kernels import tour_layouts
from gpu_ls_plugin.tours.moves import composed

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.runs.acceptance import Acceptance
    from gpu_ls_plugin.tours.engines.chains.start import Start
    from gpu_ls_plugin.tours.kicks.base import Perturbation
    from gpu_ls_plugin.tours.moves.composed import Moves
    from gpu_ls_plugin.tours.problem.metrics import Metric

HEADER, BATCH = "tours/engines/chains/chain.cuh", "tours/engines/chains/chain_batch.cuh"
PARAMETERS = (
    *composed.PARAMETERS,
    *(struct_of(BATCH, name) for name in ("KickSchedule", "ChainBatch")),
)


class ChainState:
    """The state of a batch of chains: the arrays that launches read and write.

    Attributes
    ----------
    divisible : bool
        Whether a launch may end after any kick without changing the result.
    tours, best_tours : arrays, shape (P, n), int32
        Current and best tours; one array for both if a chain's current tour is always its best.
    costs, best_costs : arrays, shape (P,)
        Costs of these tours.
    units : array, shape (P,), float32
        Length that corresponds to an acceptance level of 1.
    kicks, accepted, idle, looks, moves, restarts : arrays, shape (P,), int64
        Counts of each chain; `idle` counts the kicks since the chain's last new best tour.
    moves_by : array, shape (K,), int64
        Number of moves by each neighbourhood in all chains; not valid if K is 1.
    """

    divisible: ClassVar[bool] = True
    start: Start
    accept: Acceptance
    _kernel: Kernel
    _arguments: dict[str, Any]
    _shared_bytes: int  # how many bytes of dynamic shared memory a block needs

    def __init__(
        self,
        xp: Any,
        tours: Any,
        costs: Any,
        units: Any,
        *,
        current_is_best: bool,
        neighbourhoods: int = 1,
    ) -> None:
        self.tours = tours
        self.best_tours = tours if current_is_best else tours.copy()
        self.costs, self.best_costs = costs, costs.copy()
        self.units = units
        self.kicks, self.accepted, self.idle, self.looks, self.moves, self.restarts = (
            xp.zeros(len(tours), "int64") for _ in range(6)
        )
        self.moves_by = xp.zeros(neighbourhoods, "int64")

    def advance(self, until: int, heat: float, cooling: float, seconds: float) -> None:
        """Run each chain up to kick number `until`; no launch begins after `seconds`.

        The level of the acceptance rule is ``heat - cooling * kick``.
        """
        arguments = {**self._arguments, "until": until, "heat": heat, "cooling": cooling}
        launch, shared = self.start.backend.launch, self._shared_bytes
        launch(self._kernel, len(self.tours), arguments, shared_bytes=shared, seconds=seconds)

    def behind(self, until: int) -> bool:
        """Wait for the launches; return whether any chain has kicks left."""
        return bool((self.start.backend.to_numpy(self.kicks) < until).any())

    def take(self, rows: Any, others: Any) -> None:
        """Let the chains `rows` continue from the best tours of the chains `others`."""
        for current, best in ((self.tours, self.best_tours), (self.costs, self.best_costs)):
            current[rows] = best[others]
            if current is not best:
                best[rows] = current[rows]
        self.idle[rows] = 0

    def adopt(self, tours: Any, costs: Any) -> Any:
        """Let each chain continue from its row of `tours` (P, n) if that is cheaper than its best.

        Return a mask (P,) of the chains that do so.
        """
        xp = self.start.backend.xp
        # This is a mask, because the host would have to wait for indices.
        cheaper = xp.asarray(costs) < self.best_costs
        for current, best in ((self.tours, self.best_tours), (self.costs, self.best_costs)):
            found, where = (costs, cheaper) if current.ndim == 1 else (tours, cheaper[:, None])
            xp.copyto(current, found, where=where)
            if current is not best:
                xp.copyto(best, found, where=where)
        xp.copyto(self.idle, 0, where=cheaper)
        return cheaper

    @property
    def state_arguments(self) -> dict[str, Any]:
        """The arrays, keyed by the names of the kernel's parameters."""
        return {
            "units": self.units,
            "tours": self.tours,
            "best_tours": self.best_tours,
            "costs": self.costs,
            "best_costs": self.best_costs,
            "kick_counts": self.kicks,
            "accepted_counts": self.accepted,
            "idle_counts": self.idle,
            "look_counts": self.looks,
            "move_counts": self.moves,
            "moves_by": self.moves_by,
        }


def chain_layout(
    backend: tour_layouts.Machine,
    needs: tour_layouts.ChainNeeds,
    n: int,
    choose: Callable[..., tour_layouts.ChainShape],
) -> tour_layouts.ChainShape:
    """Return the launch layout of chains on n cities; on a GPU, `choose` selects it."""
    if backend.name == "cpu":
        return tour_layouts.HostShape.of(n)
    return choose(n, shared_memory=backend.shared_memory, needs=needs)


def chain_kernel(
    metric: Metric,
    moves: Moves,
    kick: Perturbation,
    accept: Acceptance,
    layout: tour_layouts.ChainShape,
    scope: str = WHOLE_TOUR,
) -> Kernel:
    """Compose the kernel that runs one chain per team; `scope` is a key of `PROBLEMS`."""
    body = (
        f"gls::Chain<{{team}}, {scope}, {{metric}}, {{length}}, {layout.memory}, {{moves}}, "
        f"{kick.cuts}, {accept.functor}>"
    )
    parameters = PARAMETERS + PROBLEMS[scope]
    kernel = moves.kernel("chain", metric, HEADER, body, parameters, layout.team)
    return replace(
        kernel,
        blocks_per_multiprocessor=layout.blocks,
        prepared=not kernel.on_host and scope == WHOLE_TOUR,
        headers=(*kernel.headers, kick.header, accept.header),
        functors=(*kernel.functors, *sources_of(kick, accept)),
        parts=(*kernel.parts, accept.name),
    )
