"""Crossover of pairs of rows, all pairs in one batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard, runtime_checkable

import numpy as np

from gpu_ls_plugin.backends import check_name
from gpu_ls_plugin.backends.arrays import on_gpu, on_host
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.core.registry import registry
from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.evolution.batches.rows import checked_rows
from gpu_ls_plugin.runs.domain import domain_of

if TYPE_CHECKING:
    from numpy.random import Generator

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.batches.rows import Tours


@runtime_checkable
class Recombining(Protocol):
    """A part that crosses pairs of rows, such as a `Recombination` of tours.

    Attributes
    ----------
    never_worse : bool
        Whether a child is never costlier than its first parent.
    """

    @property
    def never_worse(self) -> bool: ...

    def instance(self, problem: Any) -> Any:
        """Return the form of a problem that `cross` takes."""

    def cross(
        self, problem: Any, first: Any, second: Any, *, seed: int | None = 0, backend: Any = "auto"
    ) -> Any:
        """Return one child for each pair of rows."""


def recombines(part: object) -> TypeGuard[Recombining]:
    """Return whether an object is a part that crosses rows."""
    return isinstance(part, Recombining) and not isinstance(part, type)


def usual_part(problem: Problem) -> str:
    """Return the name of the default recombination of a problem's rows."""
    return "order_recombination" if problem.tsp is None else "segment_recombination"


@dataclass(frozen=True)
class Crossing:
    """A recombination and its backend. Instances are stateless and picklable."""

    part: Any  # a recombination, or the name of a registered one
    backend: str = "auto"

    def __post_init__(self) -> None:
        check_name(self.backend)
        if isinstance(self.part, str):
            object.__setattr__(self, "part", registry.lookup("recombination", self.part)())
        if not recombines(self.part):
            raise InvalidTypeError(
                f"part: {self.part!r} is not a recombination, such as EdgeAssembly()"
            )

    def prepare(self, problem: Problem, size: int = 1) -> None:
        """Compile ahead of a timed run, for batches of `size` rows."""
        tours = domain_of(problem).some_rows(problem, size)
        self.part.cross(problem, tours, tours, backend=self.backend)

    def __call__(self, problem: Problem, first: Any, second: Any, random_state: Generator) -> Tours:
        """Return one child for each pair of rows, int32 (P, n).

        Each call draws one number from `random_state` as the seed of the crossover. If a row is not
        a solution, the error names the row. Rows on a GPU stay there, except for a third party's
        recombination.
        """
        if on_gpu(first) and foreign(self.part):
            made = self(problem, on_host(first), on_host(second), random_state)
            there: Tours = np.asarray(made, like=first)
            return there
        seed = int(random_state.integers(2**63))
        given = {"seed": seed, "backend": self.backend}
        if on_gpu(first):  # a kernel checks them
            children: Tours = self.part.cross(problem, first, second, **given)
            return children
        parents = [checked_rows(problem, rows, "parents") for rows in (first, second)]
        return np.asarray(self.part.cross(problem, *parents, **given))
