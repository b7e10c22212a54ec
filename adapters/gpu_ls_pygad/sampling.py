"""Initial populations of constructed tours, improved by local search."""

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
    """Construct tours and improve them with a local search, in one batch.

    A call returns an ``initial_population`` for `pygad.GA`.

    Parameters
    ----------
    problem : object
        A TSP, a CVRP (solutions are giant tours), a sequence problem such as a `FlowShop`, a
        `TourFitness`, PyGAD's benchmark TSP, or an object that a plugin converts.
    construction : str or callable, optional
        Name of a registered construction ("random_tours", "greedy", ...) or a function with the
        same signature, such as ``gpu_ls_plugin.greedy``. None: "savings" for a CVRP, best
        insertions for sequences (random if the objective is a Python function), otherwise
        "nearest_neighbour".
    search, backend, moves, kicks
        As in `LocalSearchMutation`, but the default `search` is 2-opt and Or-opt; for sequences,
        insertions.

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

    def __call__(self, size: int, seed: int | None = None) -> NDArray[np.int64]:
        """Return `size` improved tours, int64 (size, n); some may be equal."""
        size = checks.integer("size", size, least=1)
        tours, _ = self.starts(self.problem, size, np.random.default_rng(checks.seed(seed)))
        return tours.astype(np.int64)
