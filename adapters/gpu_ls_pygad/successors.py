"""Successor generation as start population and mutation of assignment problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.plan.reassignment import StateReassignment
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_pygad.selective_mutation import SelectiveMutation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.assignment.heuristics.base import Heuristic
    from gpu_ls_plugin.assignment.problem.assignment import Assignment
    from gpu_ls_pygad.run import GaRun


class SuccessorMutation(SelectiveMutation):
    """Release a random share of a solution's genes and assign them anew, all in one batch.

    For ``mutation_type`` of `pygad.GA`. The released variables are assigned one after the other,
    each by weighted random choice in the state as it is then (`SuccessorGeneration`). One that the
    heuristic leaves unassigned keeps its former value; permutations stay permutations. A solution
    may become worse.

    Parameters
    ----------
    problem : Assignment
        Of gpu_ls_plugin, such as a `GraphColouring`. Solutions are its states: values from 0 on.
    heuristic : Heuristic, optional
        Of gpu_ls_plugin: says how likely values are in a state; all the same if None.
    share : float
        Of the variables that are released, from 0 to 1, rounded; at least one.
    prob : float
        Probability of a solution to be mutated; drawn first, once.
    order : {"shuffled", "given"}
        In which order variables are assigned: a random one for each solution, or by number.
    sampler : {"auto", "stored", "rescan"}
        As of `SuccessorGeneration`.
    backend : str
        "auto", "cpu" or "cuda".

    Raises
    ------
    InvalidTypeError, InvalidParameterError
        A parameter is out of range, or the problem is of another kind.
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
        """Compile ahead of a timed run; any `size` works."""
        self.reassign.prepare(size)

    def _mutated(
        self, rows: NDArray[Any], others: NDArray[Any], state: np.random.Generator, run: GaRun
    ) -> NDArray[Any]:
        return self.reassign(rows, state)


class SuccessorSampling(ShownParameters):
    """Assign all variables one after the other, each by weighted random choice.

    What it returns is an ``initial_population`` of `pygad.GA`.

    Parameters
    ----------
    problem, heuristic, order, sampler, backend
        As in `SuccessorMutation`. What the heuristic leaves unassigned is uniformly random.

    Raises
    ------
    InvalidTypeError, InvalidParameterError
        As `SuccessorMutation`.
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
        """Compile ahead of a timed run; any `size` works."""
        self.reassign.prepare(size)

    def __call__(self, size: int, seed: int | None = None) -> NDArray[np.int64]:
        """Return `size` complete solutions, int64 (size, n)."""
        return self.reassign.sample(size, np.random.default_rng(checks.seed(seed)))
