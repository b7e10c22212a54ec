"""Kicks of whole batches by kernels of the library; the simplest is a fresh random tour."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import arrays, get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.tours.construction.random_tours import shuffle
from gpu_ls_plugin.tours.kicks.base import Perturbation
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.problem.tsp import TSP


class KernelPerturbation(Perturbation):
    """A perturbation that is made on a backend, where `perturb` takes checked tours."""

    @abstractmethod
    def kicked(self, backend: Backend, problem: TSP, tours: Any, numbers: dict[str, int]) -> Any:
        """Return kicked copies of checked tours on a backend; `numbers` are seed and first row."""

    def asked(self, problem: Problem) -> TSP:
        """Return the problem whose tours are kicked, or raise if they cannot be."""
        return tour_problem(problem)

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
        """Return kicked copies of tours; row r depends on `seed`, its number and the row alone.

        Parameters
        ----------
        problem : Problem
            A TSP, symmetric or not, or a CVRP, whose giant tours are kicked.
        tours : array, shape (P, n), integer
            Not changed. NumPy, or CuPy with the result on the same device.
        seed : int or None
            Key of the random numbers. The same seed gives the same kicks: pass another one for
            each call, or None to draw one.
        backend, device
            Where the kicks are made; see `get_backend`.
        first_row : int
            Number of the first row, where the batch is a part of a larger one.

        Returns
        -------
        array, shape (P, n), int32

        Raises
        ------
        UnsupportedProblemError
            The kick cannot be made on the problem: it has too few cities, or no routes.
        InvalidTourError, InvalidTypeError
            `tours` are not tours of the problem.
        """
        tsp = self.asked(problem)
        numbers = {"seed": checks.seed(seed), "first_row": checks.first_row(first_row)}
        chosen = get_backend(backend, device, tours=tours)
        with chosen.current():
            taken = arrays.take_tours(chosen, tsp, tours)
            return arrays.give(chosen, self.kicked(chosen, tsp, taken, numbers), like=tours)


@dataclass(frozen=True)
class Restart(KernelPerturbation):
    """Start afresh: a uniform random tour, whatever the tour was before."""

    name = "restart"
    by_lengths = False

    def kicked(self, backend: Backend, problem: TSP, tours: Any, numbers: dict[str, int]) -> Any:
        """Return a random tour for each row, which depends on its number and the seed alone."""
        return shuffle(backend, problem.n, len(tours), **numbers)
