"""Compiling ahead: a search searches for a moment, on a problem of which nothing is kept."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.runs.compiling import compile_batch
from gpu_ls_plugin.tours.candidates.nearest import All, Nearest
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.problem.tsp import TSP

A_MOMENT = 1e-3  # seconds, in which a program is compiled but hardly runs


class Rehearsed(ABC):
    """A search of given tours, which can compile before it is called."""

    def prepare(
        self,
        problem: Problem,
        size: int = 1,
        *,
        backend: str | Backend = "auto",
        device: int | None = None,
    ) -> None:
        """Compile ahead, so that a later call searches at once.

        Parameters
        ----------
        problem : Problem
            Or another one of the same size and metric; candidates are not made for it.
        size : int
            Number of tours of that call.
        backend, device
            Where it will search; see `get_backend`.

        Raises
        ------
        CompilationError, UnsupportedProblemError, BackendUnavailableError
            As the search does.
        InvalidParameterError, InvalidTypeError
            `size` is not a positive integer, or `problem` is not a problem.
        KeyboardInterrupt
            Ctrl-C.
        """
        copy = copy_of(problem)
        self._rehearse(copy, any_tours(copy, size), backend, device)

    def compile_batch(self, problem: Problem, tours: Any, backend: Backend) -> None:
        """Compile what a batch like `tours` needs, by letting it be searched for a moment."""
        compile_batch(self, problem, tours, backend)  # type: ignore[arg-type]  # is called

    @abstractmethod
    def _rehearse(
        self, problem: TSP, tours: Any, backend: str | Backend, device: int | None
    ) -> None:
        """Compile what a batch like `tours` needs, on a problem that nobody else has."""


def quick(search: Any, problem: TSP) -> Any:
    """Return a LocalSearch with the same programs on quick candidates, its own being compiled."""
    if isinstance(search.candidates, All):
        return search
    search.candidates.compile(problem)
    return replace(search, candidates=Nearest(5))


def copy_of(problem: Problem) -> TSP:
    """Return a copy, so that nothing is known about the original when time runs."""
    problem = tour_problem(problem)
    copy: TSP = pickle.loads(pickle.dumps(problem))
    return copy


def any_tours(problem: Problem, size: int) -> NDArray[np.int32]:
    """Return a batch, since the programs depend on its shape alone."""
    size = checks.integer("size", size, least=1, most=checks.MOST_INT)
    return np.tile(np.arange(problem.n, dtype=np.int32), (size, 1))
