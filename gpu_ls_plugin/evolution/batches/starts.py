"""Start populations: tours of a construction, and what a search makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.routes.problem.routing import Routing

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gpu_ls_plugin.evolution.batches.improver import Improver
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.runs.framework_run import FrameworkRun
    from gpu_ls_plugin.tours.problem.tsp import TSP


@dataclass(frozen=True)
class Starts:
    """A construction, and a search that improves its tours in one batch."""

    construction: Callable[..., Any] | str | None  # or its name; None: savings, or neighbours
    improver: Improver

    def __post_init__(self) -> None:
        self._function()  # a wrong name is an error here, not in a run

    def prepare(self, problem: TSP, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        self.construct(problem, 1, np.random.default_rng(0))
        self.improver.prepare(problem, size)

    def __call__(
        self,
        problem: TSP,
        size: int,
        random_state: np.random.Generator,
        run: FrameworkRun | None = None,
    ) -> tuple[Tours, NDArray[np.int64] | None]:
        """Return `size` searched tours and their costs as `Improver` does; some may be the same."""
        starts = self.construct(problem, size, random_state)
        return self.improver(problem, starts, random_state, run)

    def construct(self, problem: TSP, size: int, random_state: np.random.Generator) -> Tours:
        """Return tours that are not searched yet; one number is drawn from `random_state`."""
        seed = int(random_state.integers(2**63))
        tours: Tours = self._function(problem)(
            problem, size=size, seed=seed, backend=self.improver.backend
        )
        return tours

    def _function(self, problem: TSP | None = None) -> Callable[..., Any]:
        """Return the construction, of a problem where none is given."""
        build: Any = self.construction
        if build is None:
            routed = problem is not None and isinstance(problem.objective, Routing)
            build = "savings" if routed else "nearest_neighbour"
        if isinstance(build, str):
            build = registry.lookup("construction", build)
        if not callable(build):
            raise InvalidTypeError(
                f"construction: {build!r} is neither a name nor a function such as "
                "gpu_ls_plugin.greedy"
            )
        return build  # type: ignore[no-any-return]
