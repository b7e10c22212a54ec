"""Engine of multi improvement (Rios et al. 2017): one block per tour."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.objectives.under import searched
from gpu_ls_plugin.searches.descent import descent_layouts
from gpu_ls_plugin.searches.descent.city_descent import CityDescent, city_kernel
from gpu_ls_plugin.searches.descent.look_bits import look_bits

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.neighbourhoods.composed import CandidateMoves
    from gpu_ls_plugin.problems.tsp import TSP

multi_descent_kernel = partial(city_kernel, "multi_descent", "MultiDescent", "SweepState")


class MultiDescent(CityDescent):
    """A batch of descents in progress on a backend, which look at several cities together."""

    def __init__(
        self,
        backend: Backend,
        problem: TSP,
        tours: Any,
        parts: CandidateMoves,
        max_moves: int,
        cities: int,
        layout: str = "auto",
    ) -> None:
        super().__init__(backend, problem, tours, parts, max_moves)
        xp, n, size = backend.xp, problem.n, len(tours)
        self._arguments |= {
            "most": cities,
            "looks": look_bits(xp, xp.ones((size, n), bool)),
            "sweeps": xp.zeros(size, "int32"),
        }
        if backend.name != "cpu":
            self._lay_out(
                descent_layouts.multi_shape(n, backend.shared_memory, parts.needs, layout)
            )
        self._kernel = multi_descent_kernel(
            searched(problem), parts.moves, self._team, self._memory
        )
