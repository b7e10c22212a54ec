"""Initial populations of constructed rows, improved by local search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.batches.starts import Starts
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.evolution.tour_costs import problem_for_operators

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


class LocalSearchSampling(ShownParameters):
    """Construct rows and improve them with a local search, in one batch.

    Pass it as ``DomainProblem(problem, sampling=LocalSearchSampling(problem))``.

    Parameters
    ----------
    problem : object
        As in `DomainProblem`, or a `DomainProblem`; its rows must be permutations.
    construction, search, backend, moves, kicks
        As in `gpu_ls_deap.LocalSearchSampling`.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        As in `LocalSearchMutation`, or the construction is unknown.
    """

    def __init__(
        self,
        problem: object,
        construction: Callable[..., Any] | str | None = None,
        search: Callable[..., Any] | str | None = None,
        backend: str = "auto",
        moves: int | None = None,
        kicks: int | None = None,
    ) -> None:
        self.problem = problem_for_operators(problem)
        self.starts = Starts(construction, Improver(search, backend, moves, kicks))

    def prepare(self, size: int = 1) -> None:
        """Compile for populations of `size` ahead of a timed run."""
        self.starts.prepare(self.problem, size)

    def __call__(self, size: int, seed: int | None = None) -> NDArray[np.int32]:
        """Return `size` improved rows, int32 (size, n); some may be equal."""
        size = checks.integer("size", size, least=1)
        rows, _ = self.starts(self.problem, size, np.random.default_rng(checks.seed(seed)))
        return rows
