"""Initial populations and mutation for assignment problems, by successor generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.plan.reassignment import StateReassignment
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_pygad.selective_mutation import SelectiveMutation

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from gpu_ls_plugin.assignment.heuristics.base import Heuristic
    from gpu_ls_plugin.assignment.problem.assignment import Assignment
    from gpu_ls_pygad.run import GaRun


class SuccessorMutation(SelectiveMutation):
    """Release a random share of a solution's genes and reassign them, all solutions in one batch.

    Pass it as ``mutation_type`` to `pygad.GA`. The released variables are assigned one after
    another, each by a weighted random choice that depends on the state so far
    (`SuccessorGeneration`). A variable that the heuristic leaves unassigned keeps its former value;
    permutations remain permutations. A solution may become worse.

    Parameters
    ----------
    problem : Assignment
        For example a `GraphColouring` of gpu_ls_plugin. Solutions are its states, whose values
        count from 0.
    heuristic : Heuristic, optional
        Gives the weights of values in a state; None: equal weights.
    share : float
        Share of the variables to release, between 0 and 1; at least one variable is released, or
        two if values must be distinct.
    prob : float
        Probability that a solution is mutated.
    order : {"shuffled", "given"}
        Order of the assignments: random for each solution, or by variable number.
    sampler : {"auto", "stored", "rescan"}
        As in `SuccessorGeneration`.
    backend : str
        "auto", "cpu" or "cuda".

    Raises
    ------
    InvalidTypeError, InvalidParameterError
        A parameter is out of range, or `problem` is not an `Assignment`.
    """

    def __init__(
        self,
        problem: Assignment,
        heuristic: Heuristic | None = None,
        share: float = 0.1,
        prob: float = 1.0,
        order: str = "shuffled",
        sampler: str = "auto",
        backend: str = "auto",
    ) -> None:
        super().__init__(prob)
        self.reassign = StateReassignment(problem, heuristic, share, order, sampler, backend)

    def prepare(self, size: int = 1) -> None:
        """Compile ahead of a timed run; `size` does not matter."""
        self.reassign.prepare(size)

    def _mutated(
        self, rows: NDArray[Any], others: NDArray[Any], state: Generator, run: GaRun
    ) -> NDArray[Any]:
        return self.reassign(rows, state)


class SuccessorSampling(ShownParameters):
    """Assign all variables one after another, each by a weighted random choice.

    A call returns an ``initial_population`` for `pygad.GA`.

    Parameters
    ----------
    problem, heuristic, order, sampler, backend
        As in `SuccessorMutation`. Variables that the heuristic leaves unassigned get uniformly
        random values.

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

    def __call__(self, size: int, seed: int | None = None) -> NDArray[np.int64]:
        """Return `size` complete solutions, int64 (size, n)."""
        return self.reassign.sample(size, np.random.default_rng(checks.seed(seed)))
