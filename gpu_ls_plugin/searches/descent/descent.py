"""Engine of the search by a work queue: one thread, warp or block per tour."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.objectives.under import searched
from gpu_ls_plugin.searches.descent import descent_layouts
from gpu_ls_plugin.searches.descent.city_descent import CityDescent, city_kernel

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.neighbourhoods.composed import CandidateMoves
    from gpu_ls_plugin.problems.tsp import TSP

descent_kernel = partial(city_kernel, "descent", "Descent", "WaitingCities")


class Descent(CityDescent):
    """A batch of descents in progress on a backend, in a layout of `LAYOUTS`."""

    def __init__(
        self,
        backend: Backend,
        problem: TSP,
        tours: Any,
        parts: CandidateMoves,
        max_moves: int,
        layout: str = "auto",
    ) -> None:
        super().__init__(backend, problem, tours, parts, max_moves)
        xp, n, size = backend.xp, problem.n, len(tours)
        self._arguments |= {
            "ahead": 1,
            "queues": xp.empty((size, n), "int32"),
            "queue_sizes": xp.full(size, -1, "int32"),
        }
        if backend.name != "cpu":
            per_processor = -(-size // backend.processors)
            shape = descent_layouts.descent_shape(
                n, per_processor, backend.shared_memory, layout, parts.needs
            )
            self._arguments["ahead"] = shape.ahead(parts.steps, parts.needs.listed)
            self._lay_out(shape)
        self._kernel = descent_kernel(searched(problem), parts.moves, self._team, self._memory)
