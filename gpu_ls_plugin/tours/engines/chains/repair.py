"""Protocol of the search that repairs the tours of chains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from gpu_ls_plugin.tours.engines.factories import Parameters

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.budget import Budget
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Result


class Repair(Parameters, Protocol):
    """The search of a batch of tours: a `LocalSearch`."""

    @property
    def parts(self) -> tuple[Any, ...]:
        """Parts of the kernels besides the metric."""

    def __call__(
        self,
        problem: Problem,
        tours: Any,
        *,
        seed: int | None = 0,
        budget: Budget | None = None,
        backend: str | Backend = "auto",
        first_row: int = 0,
    ) -> Result:
        """Return tours (P, n) as they are improved."""
