"""Engine of the search by a work queue: one thread, warp or block per tour."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.searches import composed
from gpu_ls_plugin.searches.engine import PersistentEngine

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.problems.metrics import Metric
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.searches.composed import Composed, Moves

PARAMETERS = composed.PARAMETERS + (
    "int ahead, int passes, gls::int64 max_moves, int* tours, unsigned char* states, "
    "gls::int64* pass_counts, gls::int64* move_counts, gls::int64* moves_by, int* queues, "
    "int* queue_sizes, char* scratch"
)


def descent_kernel(metric: Metric, moves: Moves, team: str, memory: str) -> Kernel:
    """Compose the search of one tour per team."""
    kernel = moves.kernel(
        "descent",
        metric,
        header="descent.cuh",
        body=f"gls::Descent<{{team}}, {{metric}}, {{length}}, {memory}, {{moves}}>",
        parameters=PARAMETERS,
        team=team,
    )
    return replace(kernel, prepared=not kernel.on_host)


class Descent(PersistentEngine):
    """A batch of descents in progress on a backend; a pass is a look at a city.

    Parameters
    ----------
    backend, problem, tours
        As for every engine.
    parts : Composed
        Neighbourhoods and candidates on this backend.
    max_moves : int
        Moves after which a tour stops.
    layout : str
        "auto", or one of `tuning.LAYOUTS`.
    """

    def __init__(
        self,
        backend: Backend,
        problem: TSP,
        tours: Any,
        parts: Composed,
        max_moves: int,
        layout: str = "auto",
    ) -> None:
        super().__init__(backend, problem, tours, len(parts.moves.names))
        xp, n, size = backend.xp, problem.n, len(tours)
        self._parts = parts
        self._arguments: dict[str, Any] = {
            **parts.arguments,
            "ahead": 1,
            "max_moves": max_moves,
            "tours": tours,
            "states": self.states,
            "pass_counts": self.pass_counts,
            "move_counts": self.move_counts,
            "moves_by": self.moves_by,
            "queues": xp.empty((size, n), "int32"),
            "queue_sizes": xp.full(size, -1, "int32"),
            "scratch": None,
        }
        if backend.name == "cpu":
            host = tuning.HostShape.of(n)
            team, memory = host.team, host.memory
        else:
            per_processor = -(-size // backend.processors)
            shape = tuning.descent_shape(
                n, per_processor, backend.shared_memory, layout, parts.moves.length_bytes
            )
            team, memory = shape.team, shape.memory
            self._shared_bytes = shape.shared_bytes(n)
            self._arguments["ahead"] = shape.ahead(parts.steps)
            if not shape.in_shared:
                self._arguments["scratch"] = xp.empty((size, tuning.tour_bytes(n, 4)), "uint8")
        self._kernel = descent_kernel(problem.metric, parts.moves, team, memory)

    @staticmethod
    def bytes_per_tour(n: int) -> int:
        """Return the device memory of one tour in bytes."""
        return 8 * n + tuning.tour_bytes(n, 4) + 64

    def first_passes(self) -> int:
        """Return a number of cities that surely takes less than a launch should."""
        share = -(-len(self.tours) // self.backend.processors)
        seconds = tuning.SECONDS_PER_LOOK[self.backend.name] * share
        return max(1, int(tuning.LAUNCH_SECONDS / seconds))

    def moves_per_evaluation(self) -> int:
        """Return how many moves looking at one city stands for."""
        return self._parts.neighbours
