"""Kick a batch of tours, whatever their size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin import checks
from gpu_ls_plugin.backends import check_name
from gpu_ls_plugin.evolution.batches.rows import as_tours
from gpu_ls_plugin.perturbations import DoubleBridge

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.problems.tsp import TSP

_SMALLEST = 6  # cities below which there is no double bridge


@dataclass(frozen=True)
class Kick:
    """A double bridge as operators hold it: without state, picklable.

    Parameters
    ----------
    segment : int, optional
        Longest window that holds all four cuts; None is uniform over the tour.
    backend : str
        "auto", "cpu" or "cuda".

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        `segment` is not an integer of at least 6, or no backend has that name.
    """

    segment: int | None = 50
    backend: str = "auto"

    def __post_init__(self) -> None:
        check_name(self.backend)  # here, not in the first generation
        if self.segment is not None:
            segment = checks.integer("segment", self.segment, least=_SMALLEST)
            object.__setattr__(self, "segment", segment)

    def prepare(self, problem: TSP, size: int = 1) -> None:
        """Compile, so that the first kick of a timed run does not have to; any `size` works."""
        self(problem, np.arange(problem.n), np.random.default_rng(0))

    def __call__(self, problem: TSP, rows: ArrayLike, random_state: np.random.Generator) -> Tours:
        """Return kicked copies of tours; fewer than six cities are shuffled instead.

        Parameters
        ----------
        problem : TSP
        rows : integer array, shape (P, n)
            Tours; not changed.
        random_state : numpy.random.Generator
            One number is drawn from it, if there is a double bridge at all.

        Returns
        -------
        int32 array, shape (P, n)
        """
        tours = as_tours(rows)
        if problem.n < _SMALLEST:
            return random_state.permuted(tours, axis=1)
        kicked: Tours = DoubleBridge(segment=self.segment).perturb(
            problem, tours, seed=int(random_state.integers(2**63)), backend=self.backend
        )
        return kicked
