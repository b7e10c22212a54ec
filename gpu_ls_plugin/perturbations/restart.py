"""A fresh random tour in place of a kick."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin import checks
from gpu_ls_plugin.backends import arrays, get_backend
from gpu_ls_plugin.construction.random_tours import shuffle
from gpu_ls_plugin.perturbations.base import Perturbation
from gpu_ls_plugin.problems.tsp import tour_problem

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.problems.problem import Problem


@dataclass(frozen=True)
class Restart(Perturbation):
    """Start afresh: a uniform random tour, whatever the tour was before."""

    name = "restart"
    by_lengths = False

    def perturb(
        self,
        problem: Problem,
        tours: Any,
        *,
        seed: int | None = 0,
        backend: str | Backend = "auto",
        device: int | None = None,
        first_row: int = 0,
    ) -> Any:
        """Return a random tour for each row, which depends on `seed` and its number alone.

        Parameters
        ----------
        problem : Problem
        tours : array, shape (P, n), integer
            Not changed. NumPy, or CuPy with the result on the same device.
        seed : int or None
            Key of the random tours. The same seed gives the same tours: pass another one for each
            call, or None to draw one.
        backend, device
            Where they are made; see `get_backend`.
        first_row : int
            Number of the first row, where the batch is a part of a larger one.

        Returns
        -------
        array, shape (P, n), int32

        Raises
        ------
        InvalidTourError, InvalidTypeError
            `tours` are not permutations of the cities.
        """
        problem = tour_problem(problem)
        key, first = checks.seed(seed), checks.first_row(first_row)
        chosen = get_backend(backend, device, tours=tours)
        with chosen.current():
            size = len(arrays.take_tours(chosen, problem, tours))
            return arrays.give(chosen, shuffle(chosen, problem.n, size, key, first), like=tours)
