"""Initial populations and mutation for assignment problems, by successor generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_deap.individuals import InPlaceMutation, random_state
from gpu_ls_plugin.assignment.plan.reassignment import StateReassignment
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator
    from numpy.typing import NDArray

    from gpu_ls_plugin.assignment.heuristics.base import Heuristic
    from gpu_ls_plugin.assignment.problem.assignment import Assignment


class SuccessorMutation(InPlaceMutation):
    """Release a random share of an individual's variables and reassign them, in place.

    Register it with ``toolbox.register("mutate", SuccessorMutation(problem))``. `batch` mutates a
    list of individuals. The released variables are assigned one after another, each by a weighted
    random choice that depends on the state so far (`SuccessorGeneration`). A variable that the
    heuristic leaves unassigned keeps its former value; permutations remain permutations. An
    individual may become worse.

    Parameters
    ----------
    problem : Assignment
        For example a `GraphColouring` of gpu_ls_plugin. Individuals are its states, whose
        values count from 0.
    heuristic : Heuristic, optional
        Gives the weights of values in a state; None: equal weights.
    share : float
        Share of the variables to release, between 0 and 1; at least one variable is released, or
        two if values must be distinct.
    order : {"shuffled", "given"}
        Order of the assignments: random for each individual, or by variable number.
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
        order: str = "shuffled",
        sampler: str = "auto",
        backend: str = "auto",
    ) -> None:
        self.reassign = StateReassignment(problem, heuristic, share, order, sampler, backend)

    def prepare(self, size: int = 1) -> None:
        """Compile ahead of a timed run; `size` does not matter."""
        self.reassign.prepare(size)

    def _mutated(self, rows: list[Any], state: Generator) -> NDArray[Any]:
        return self.reassign(rows, state)


class SuccessorSampling(ShownParameters):
    """Assign all variables one after another, each by a weighted random choice.

    Register it with ``toolbox.register("population", SuccessorSampling(problem),
    creator.Individual)`` and call ``toolbox.population(n=100)``.

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

    def __call__(self, individual: Callable[[list[int]], Any], n: int) -> list[Any]:
        """Return `n` individuals, each made from a list of values."""
        return [individual(row) for row in self.reassign.sample(n, random_state()).tolist()]
