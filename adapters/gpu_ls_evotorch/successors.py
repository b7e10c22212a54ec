"""Initial populations and mutation for assignment problems, by successor generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_evotorch.mutation import InPlaceMutation
from gpu_ls_plugin.assignment.plan.reassignment import StateReassignment
from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from gpu_ls_evotorch.problem import DomainProblem
    from gpu_ls_plugin.assignment.heuristics.base import Heuristic
    from gpu_ls_plugin.assignment.problem.assignment import Assignment


class SuccessorMutation(InPlaceMutation):
    """Release a random share of each solution's variables and reassign them, in one batch.

    Rows on a GPU are copied to the host and back.

    Parameters
    ----------
    problem : DomainProblem
        Of an assignment problem, such as a `GraphColouring`.
    heuristic, share, order, sampler, backend
        As in `gpu_ls_deap.SuccessorMutation`.

    Raises
    ------
    InvalidTypeError, InvalidParameterError
        A parameter is out of range, or `problem` is not that of an `Assignment`.
    """

    def __init__(
        self,
        problem: DomainProblem,
        heuristic: Heuristic | None = None,
        share: float = 0.1,
        order: str = "shuffled",
        sampler: str = "auto",
        backend: str = "auto",
    ) -> None:
        found: Any = problem.known_problem()
        self.reassign = StateReassignment(found, heuristic, share, order, sampler, backend)
        super().__init__(problem)

    def prepare(self, size: int = 1) -> None:
        """Compile ahead of a timed run; `size` does not matter."""
        self.reassign.prepare(size)

    def _mutated(self, rows: Any, state: Generator) -> Any:
        return self.reassign(on_host(rows), state).astype(np.int32)


class SuccessorSampling(ShownParameters):
    """Assign all variables one after another, each by a weighted random choice.

    Pass it as ``DomainProblem(problem, sampling=SuccessorSampling(problem))``.

    Parameters
    ----------
    problem : Assignment
    heuristic, order, sampler, backend
        As in `SuccessorMutation`.

    Raises
    ------
    InvalidTypeError, InvalidParameterError
        As in `SuccessorMutation`.
    """

    def __init__(
        self,
        problem: Assignment,
        heuristic: Heuristic | None = None,
        order: str = "shuffled",
        sampler: str = "auto",
        backend: str = "auto",
    ) -> None:
        self.reassign = StateReassignment(problem, heuristic, 1.0, order, sampler, backend)

    def prepare(self, size: int = 1) -> None:
        """Compile ahead of a timed run; `size` does not matter."""
        self.reassign.prepare(size)

    def __call__(self, size: int, seed: int | None = None) -> NDArray[np.int32]:
        """Return `size` rows, int32 (size, n), in which every variable has a value."""
        state = np.random.default_rng(checks.seed(seed))
        return self.reassign.sample(size, state).astype(np.int32)
