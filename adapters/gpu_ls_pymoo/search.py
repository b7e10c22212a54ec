"""The one place where pymoo's rows go through a search, and what that means for the algorithm."""

from __future__ import annotations

import functools
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.termination import TerminateIfAll
from pymoo.termination.max_time import TimeBasedTermination

from gpu_ls_plugin import checks
from gpu_ls_plugin.backends import check_name
from gpu_ls_plugin.budget import Budget
from gpu_ls_plugin.exceptions import InvalidParameterError
from gpu_ls_plugin.result import Statistics
from gpu_ls_plugin.search_text import improving, parse_search, text_of
from gpu_ls_plugin.searches import IteratedLocalSearch, LocalSearch
from gpu_ls_plugin.solver import compile_search
from gpu_ls_pymoo.problems import as_tsp, fitness
from gpu_ls_pymoo.tours import as_tours, canonical

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from gpu_ls_pymoo.problems import Fitness
    from gpu_ls_pymoo.tours import Tours

STATISTICS = "local_search"  # key of the counts of all searches of a run in `algorithm.data`


def default_search() -> Callable[..., Any]:
    """Return a new search as every operator uses it if it is given none: 2-opt and Or-opt."""
    import gpu_ls_plugin as gls

    return gls.LocalSearch()


@dataclass(frozen=True)
class Improver:
    """A search and where it runs, as the operators hold it: small, without state, picklable.

    Parameters
    ----------
    search : callable or str, optional
        A search of the library, or a text for one, which `gpu_ls_plugin.search_text` reads;
        `default_search` if None.
    backend : str
        "auto", "cpu" or "cuda".
    moves : int, optional
        Applied improving moves per tour and call, at least 1; None: to the local optimum.
    kicks : int, optional
        Kicks per tour and call of an iterated search; None: its `kicks_per_city`
        where `moves` does not limit it.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        `search` is neither, its text cannot be read, or it does not improve given tours; a limit
        is no integer in its range, or of kicks where the search makes none; no such backend.
    """

    search: Callable[..., Any] | str | None = None
    backend: str = "auto"
    moves: int | None = None
    kicks: int | None = None

    def __post_init__(self) -> None:
        check_name(self.backend)  # what is wrong is an error here, not in a generation
        for name, least in (("moves", 1), ("kicks", 0)):
            if getattr(self, name) is not None:
                limit = checks.integer(name, getattr(self, name), least=least)
                object.__setattr__(self, name, limit)
        search = improving(self._found(), self.search)
        if self.kicks is not None and isinstance(search, LocalSearch):
            raise InvalidParameterError(
                f"kicks: {self.kicks}, but {text_of(search)} makes none; pass an "
                "IteratedLocalSearch, or limit the search by moves"
            )

    def prepare(self, problem: Any, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        tsp = as_tsp(problem)
        tours = np.tile(np.arange(tsp.n, dtype=np.int32), (size, 1))
        compile_search(self._found(), tsp, tours, self.backend)

    def __call__(
        self, problem: Any, rows: ArrayLike, random_state: np.random.Generator, algorithm: Any
    ) -> tuple[Tours, Fitness | None]:
        """Search all rows in one batch, within the time that the algorithm has left.

        Parameters
        ----------
        problem : pymoo problem
        rows : integer array, shape (P, n)
            Tours; not changed.
        random_state : numpy.random.Generator
            One number is drawn from it, whatever happens.
        algorithm : pymoo algorithm or None
            Its time limit cuts the search, its `data` gets the counts. Ctrl-C inside the search
            ends the algorithm after this generation.

        Returns
        -------
        tours : int32 array, shape (P, n)
            Improved and in canonical form, in the order of the rows.
        fitness : float64 array, shape (P,), or None
            F of the tours, as `fitness` returns it.
        """
        tsp = as_tsp(problem)
        tours, costs = as_tours(rows), None
        seed = int(random_state.integers(2**63))
        seconds = seconds_left(algorithm)
        if seconds > 0:
            budget = self._budget(tsp.n, seconds)
            result = self._found()(tsp, tours, seed=seed, budget=budget, backend=self.backend)
            tours, costs = result.tours, result.costs
            _account(algorithm, result.statistics)
        tours = canonical(tours, symmetric=tsp.symmetric)
        return tours, fitness(problem, tours, costs)

    def _budget(self, n: int, seconds: float) -> Budget:
        """Return the limits of a call.

        An iterated search would fill any time it is given; the first generation is not to.
        """
        kicks, search = self.kicks, self._found()
        if (kicks, self.moves) == (None, None) and isinstance(search, IteratedLocalSearch):
            kicks = round(search.kicks_per_city * n)
        limit = seconds if math.isfinite(seconds) else None
        return Budget(seconds=limit, kicks=kicks, moves=self.moves)

    def _found(self) -> Callable[..., Any]:
        if self.search is None or isinstance(self.search, str):
            return _written(self.search)
        return self.search


@functools.cache
def _written(text: str | None) -> Callable[..., Any]:
    """Make a search from its text once, so that it may keep what it knows about a problem."""
    return default_search() if text is None else parse_search(text)


def seconds_left(algorithm: Any) -> float:
    """Return the seconds until the algorithm's time limit: infinite without one, 0 when it ends.

    An algorithm that is to end for any other reason has no time left either.
    """
    termination = getattr(algorithm, "termination", None)
    if termination is None:
        return math.inf
    if getattr(termination, "force_termination", False):
        return 0.0
    limit = _time_limit(termination)
    if math.isinf(limit) or algorithm.start_time is None:
        return limit
    return max(0.0, limit - (time.time() - float(algorithm.start_time)))


def _time_limit(termination: Any) -> float:
    """The seconds of a time limit, infinite if there is none.

    The shortest one of a collection, the longest where all of its terminations must be met.
    """
    if isinstance(termination, TimeBasedTermination):
        return float(termination.max_time)
    parts = [
        *getattr(termination, "terminations", ()),  # of a TerminationCollection
        *getattr(termination, "criteria", ()),
    ]
    decides = max if isinstance(termination, TerminateIfAll) else min
    return decides(map(_time_limit, parts), default=math.inf)


def _account(algorithm: Any, statistics: Statistics) -> None:
    if algorithm is None:
        return
    total: Statistics = algorithm.data.setdefault(STATISTICS, Statistics())
    total.add(statistics)
    total.seconds += statistics.seconds
    total.backend, total.stopped_by = statistics.backend, statistics.stopped_by
    if statistics.interrupted:
        algorithm.termination.terminate()
