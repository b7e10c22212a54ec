"""What descents on candidate lists have in common: they look at one city after another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.neighbourhoods import composed
from gpu_ls_plugin.searches.descent import descent_layouts
from gpu_ls_plugin.searches.engine import PersistentEngine
from gpu_ls_plugin.tours import tour_layouts

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.neighbourhoods.composed import CandidateMoves, Moves
    from gpu_ls_plugin.problems.metrics import Metric
    from gpu_ls_plugin.problems.tsp import TSP


PARAMETERS = (
    *composed.PARAMETERS,
    struct_of("searches/descent/descent_batch.cuh", "DescentBatch"),
)


def city_kernel(
    name: str,
    template: str,
    own: str,
    metric: Metric,
    moves: Moves,
    team: str,
    memory: str,
) -> Kernel:
    """Compose the search of one tour per team; its `own` parameters are a struct of its header."""
    header = f"searches/descent/{name}.cuh"
    kernel = moves.kernel(
        name,
        metric,
        header=header,
        body=f"gls::{template}<{{team}}, {{metric}}, {{length}}, {memory}, {{moves}}>",
        parameters=(*PARAMETERS, struct_of(header, own)),
        team=team,
    )
    return replace(kernel, prepared=not kernel.on_host)


class CityDescent(PersistentEngine):
    """A batch of descents in progress on a backend; a pass is a look at a city."""

    def __init__(
        self, backend: Backend, problem: TSP, tours: Any, parts: CandidateMoves, max_moves: int
    ) -> None:
        super().__init__(backend, problem, tours, len(parts.moves.names))
        self._parts = parts
        self._arguments: dict[str, Any] = {
            **parts.arguments,
            **backend.batch_data(problem, len(tours)),
            **self.arrays,
            "max_moves": max_moves,
            "scratch": None,
        }
        host = tour_layouts.HostShape.of(problem.n)
        self._team, self._memory = host.team, host.memory

    def _lay_out(self, shape: tour_layouts.DescentShape) -> None:
        """Note who holds a tour on a GPU, and give tours outside shared memory a place."""
        size, n = self.tours.shape
        self._team, self._memory = shape.team, shape.memory
        self._shared_bytes = shape.shared_bytes(n)
        if not shape.in_shared:
            scratch = self.backend.xp.empty((size, tour_layouts.tour_bytes(n, 4)), "uint8")
            self._arguments["scratch"] = scratch

    @staticmethod
    def bytes_per_tour(n: int) -> int:
        """Return the device memory of one tour in bytes."""
        return 8 * n + tour_layouts.tour_bytes(n, 4) + 64

    def first_passes(self) -> int:
        """Return a number of cities that surely takes less than a launch should."""
        return descent_layouts.looks_of_a_launch(self.backend, len(self.tours))

    def moves_per_evaluation(self) -> int:
        """Return how many moves looking at one city stands for."""
        return self._parts.neighbours
