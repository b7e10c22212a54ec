"""Initial populations: constructed tours that a search improves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.runs.domain import domain_of, first_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.batches.improver import Improver
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.runs.framework_run import FrameworkRun


@dataclass(frozen=True)
class Starts:
    """A construction, and a search that improves its tours in one batch."""

    construction: Callable[..., Any] | str | None  # a function or its name; None: the default
    improver: Improver

    def __post_init__(self) -> None:
        if self.construction is not None:
            self._function()  # wrong names raise now rather than during a run

    def prepare(self, problem: Problem, size: int = 1) -> None:
        """Compile ahead of a timed run, for batches of `size` rows."""
        self.construct(problem, 1, np.random.default_rng(0))
        self.improver.prepare(problem, size)

    def __call__(
        self, problem: Problem, size: int, random_state: Generator, run: FrameworkRun | None = None
    ) -> tuple[Tours, NDArray[np.int64] | None]:
        """Return `size` improved tours and their costs, as in `Improver`; tours may be equal."""
        starts = self.construct(problem, size, random_state)
        return self.improver(problem, starts, random_state, run)

    def construct(self, problem: Problem, size: int, random_state: Generator) -> Tours:
        """Return constructed tours without searching them; draw the seed from `random_state`."""
        seed = int(random_state.integers(2**63))
        place: Any = {"seed": seed, "backend": self.improver.backend}
        if self.construction is None:
            domain = domain_of(problem)
            made = first_rows(problem, size, domain.construction(problem), **place)
            return domain.completed(problem, made)
        tours: Tours = self._function()(problem, size=size, **place)
        return tours

    def _function(self) -> Callable[..., Any]:
        build: Any = self.construction
        if isinstance(build, str):
            build = registry.lookup("construction", build)
        if not callable(build):
            raise InvalidTypeError(
                f"construction: {build!r} is neither a name nor a function such as "
                "gpu_ls_plugin.greedy"
            )
        return build  # type: ignore[no-any-return]
