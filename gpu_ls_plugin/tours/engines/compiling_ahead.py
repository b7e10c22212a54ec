"""Compiling before a call: the search runs for a millisecond on a copy of the problem."""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.builds import NotBuiltError, in_background
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.runs.compiling import at_once, compile_batch
from gpu_ls_plugin.tours.candidates.nearest import All, Nearest
from gpu_ls_plugin.tours.engines.chains.chains import SteppedChains
from gpu_ls_plugin.tours.engines.chains.rounds import equal_costs
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.problem.tsp import TSP

A_MOMENT = 1e-3  # seconds; with this budget, a search compiles all kernels, but hardly runs them
SMALLEST_KICKED = 8  # minimum number of cities for kicks; smaller tours only descend


class CompilesAhead(ABC):
    """Base class of searches that improve given tours and can compile before they are called."""

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
            The problem of the later call, or another one of the same size and metric. No candidate
            lists are stored in it.
        size : int
            Number of tours of the later call.
        backend, device
            As in the later call; see `get_backend`.

        Raises
        ------
        CompilationError, UnsupportedProblemError, BackendUnavailableError
            For the same reasons as the later call.
        InvalidParameterError, InvalidTypeError
            `size` is not a positive integer, or `problem` is not a problem.
        KeyboardInterrupt
            On Ctrl-C.
        """
        copy = fresh_copy(problem)
        self._compile_ahead(copy, placeholder_tours(copy, size), backend, device)

    def compile_batch(self, problem: Problem, tours: Any, backend: Backend) -> None:
        """Compile the kernels for a batch like `tours`."""
        compile_batch(self, problem, tours, backend)  # type: ignore[arg-type]  # callable

    @abstractmethod
    def _compile_ahead(
        self, problem: TSP, tours: Any, backend: str | Backend, device: int | None
    ) -> None:
        """Compile the kernels for a batch like `tours`, on a problem that no other search uses."""


def with_quick_candidates(search: Any, problem: TSP) -> Any:
    """Compile the candidates' kernels; return the search with candidates that are quick to make."""
    if isinstance(search.candidates, All):
        return search
    search.candidates.compile(problem)
    return replace(search, candidates=Nearest(5))


def fresh_copy(problem: Problem) -> TSP:
    """Return a copy of a problem, so that compiling caches no data in the original."""
    problem = tour_problem(problem)
    copy: TSP = pickle.loads(pickle.dumps(problem))
    return copy


def placeholder_tours(problem: Problem, size: int) -> NDArray[np.int32]:
    """Return a batch of `size` tours; kernels depend only on its shape."""
    size = checks.integer("size", size, least=1, most=checks.MOST_INT)
    return np.tile(np.arange(problem.n, dtype=np.int32), (size, 1))


def compile_chains(
    search: Any, problem: TSP, tours: Any, chosen: Backend, *, complete: bool = True
) -> None:
    """Compile the kernels of the chains of an IteratedLocalSearch for a batch like `tours`.

    Unless `complete`, the kernels of restarts and exchanges are only begun: chains can start
    without them.
    """
    if problem.n < SMALLEST_KICKED:
        return

    def chains() -> Any:
        return search.chains(Start(chosen, problem, chosen.xp.array(tours, "int32"), 0))

    def kick(chains: Any) -> None:
        chains.advance(1, 0.0, 0.0, 0.0)
        chains.behind(1)  # waits for the GPU
        equal_costs(chains)
        chains.keep_best()
        if isinstance(chains, SteppedChains):
            search.kick_on(problem).perturb(problem, tours[:1], backend=chosen.name)

    later = [partial(_restart, search, problem, tours, chosen)]
    if search.cooperation is not None:
        later += [partial(_exchange, search, gaining) for gaining in (1.0, 0.0)]
    with chosen.current():
        if complete:
            at_once(chosen, partial(kick, chains()), *(partial(part, chains()) for part in later))
            return
        kick(chains())
        for part in later:
            with in_background(), suppress(NotBuiltError):
                part(chains())


def _restart(search: Any, problem: TSP, tours: Any, chosen: Backend, chains: Any) -> None:
    row = chosen.xp.zeros(1, "int64")
    chains.restart(search.search, row, A_MOMENT)  # may not finish in time
    chains.begin_anew(row, chains.tours[row], chains.costs[row])
    if len(tours) > 1:  # half of the chains may restart together, in another layout
        compile_batch(search.search, problem, tours[1::2], chosen)


def _exchange(search: Any, gaining: float, chains: Any) -> None:
    chains.gaining = gaining  # a crossover may use other kernels if few chains gain
    search.cooperation.exchange(chains, 0.0, seconds=A_MOMENT)
