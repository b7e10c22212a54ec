"""Protocols of the operators that a generation under several objectives uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.runs.framework_run import FrameworkRun
    from gpu_ls_plugin.tours.problem.tsp import TSP


class Kicks(Protocol):
    """Kicks batches of tours: a `Kick` of operators."""

    def prepare(self, problem: TSP) -> None:
        """Compile ahead of a timed run."""

    def __call__(
        self, problem: TSP, rows: ArrayLike, random_state: np.random.Generator
    ) -> NDArray[np.int32]:
        """Return kicked copies of tours (P, n)."""


class Improvement(Protocol):
    """Searches batches of tours: an `Improver` of operators."""

    @property
    def backend(self) -> str:
        """Its backend: "auto", "cpu" or "cuda"."""

    def prepare(self, problem: TSP, size: int) -> None:
        """Compile for batches of `size` ahead of a timed run."""

    def search_rows(
        self,
        problem: TSP,
        tours: Any,
        random_state: np.random.Generator,
        run: FrameworkRun | None = None,
    ) -> Result | None:
        """Return searched tours; None where a run has no time left."""
