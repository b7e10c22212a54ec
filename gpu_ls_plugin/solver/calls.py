"""The functions `solve` and `plan`; `gpu-ls solve` also calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.core.feasibility import warns_if_infeasible
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver import run
from gpu_ls_plugin.solver.inputs import no_worse, problem_of, rows_of
from gpu_ls_plugin.solver.plans import plan_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Callback, Result
    from gpu_ls_plugin.runs.plan import Plan


class IslandSolver(Protocol):
    """Populations on many workers: the part of `gpu_ls_plugin.Islands` that `solve` uses."""

    def solve(self, problem: Problem, settings: Settings, callback: Callback | None) -> Result:
        """Return the result of all islands."""


@warns_if_infeasible
def solve(
    problem: Problem | ArrayLike | str | os.PathLike[str],
    seconds: float = 10.0,
    *,
    seed: int | None = 1,
    backend: str = "auto",
    population: int | None = None,
    search: Callable[..., Any] | str | None = None,
    start: str | ArrayLike | None = None,
    target: float | None = None,
    kicks: int | None = None,
    moves: int | None = None,
    callback: Callback | None = None,
    islands: IslandSolver | None = None,
) -> Result:
    """Return the best tours, routes or states found within a time limit, the cheapest first.

    Defaults depend on the problem and the device (`solver.default_settings`). The clock starts when
    the first kernels are ready. Kernels that are needed later are compiled during the search, and
    that time counts. Ctrl-C ends the search early: the result so far is returned, and its
    statistics say "interrupt".

    Parameters
    ----------
    problem : Problem, array_like or path
        An array contains coordinates (n, 2) or distances (n, n). A file may be of any kind that
        `gpu-ls solve` reads.
    seconds : float
        Wall time from the moment when the first kernels are ready; infinite for no limit.
    seed : int or None
        The same seed gives the same random numbers, but the time limit may end two runs at
        different points. None means a random seed.
    backend : {"auto", "cpu", "cuda"}
    population : int, optional
        Number of tours, or of states of an `Assignment`.
    search : callable or str, optional
        Search that improves given tours, or a string such as ``"two_opt+or_opt/nearest(8)"``. A
        `LocalSearch` becomes the repair of an `IteratedLocalSearch`; other searches are used
        unchanged. An `Assignment` takes a `SuccessorSearch`.
    start : str or array_like of integers, shape (P, n) or (n,), optional
        Name of a registered construction (not for an `Assignment`), or rows to start from. If
        there are fewer rows than the population has, the default construction makes the others. The
        result is never worse than the best given row.
    target : float, optional
        The search ends once the best tour costs no more than this. By default, it is the optimum of
        an `Assignment` if known; for graph colouring, the optimum is 0 edges in conflict.
    kicks, moves : int, optional
        Additional limits, per tour. For a state, they limit rounds and steps.
    callback : callable, optional
        Called with a `Progress` after each launch of about 50 ms.
    islands : Islands, optional
        Search on all workers of a Dask cluster, with a population on each. If `search` is not
        given, the search of the islands is used.

    Returns
    -------
    Result

    Raises
    ------
    InvalidParameterError, InvalidTypeError, UnknownPartError
        A value is out of range, of the wrong type, or a string that cannot be read.
    InvalidProblemError, InvalidTourError
        An array is not a problem, or `start` contains no valid rows.
    UnsupportedProblemError, BackendUnavailableError, InsufficientMemoryError
        Raised by the parts of the search.
    KeyboardInterrupt
        Ctrl-C was pressed before there were any tours.

    Examples
    --------
    >>> result = gls.solve(gls.TSP.read("pr1002.tsp"), seconds=5)  # doctest: +SKIP
    """
    given = (seed, backend, population, search, start, target, kicks, moves)
    asked, settings = _settings(problem, seconds, *given)
    if islands is None:
        found = run.solve(asked, settings, callback)
    elif hasattr(islands, "solve"):
        found = islands.solve(asked, settings, callback)
    else:
        raise InvalidTypeError(f"islands: {islands!r:.80} is not Islands(...)")
    return found if settings.rows is None else no_worse(found, settings.rows)


def plan(
    problem: Problem | ArrayLike | str | os.PathLike[str],
    seconds: float = 10.0,
    *,
    seed: int | None = 1,
    backend: str = "auto",
    population: int | None = None,
    search: Callable[..., Any] | str | None = None,
    start: str | ArrayLike | None = None,
    target: float | None = None,
    kicks: int | None = None,
    moves: int | None = None,
) -> Plan:
    """Return the plan that `solve` follows for the same arguments, with reasons.

    The function does not search. If the fleet may be too small, it compiles and calls a
    construction.

    Parameters
    ----------
    problem, seconds, seed, backend, population, search, start, target, kicks, moves
        See `solve`.

    Returns
    -------
    Plan
        ``print(plan)`` shows the rows and the search of each stage, the reason for it and its share
        of the time.

    Raises
    ------
    InvalidParameterError, InvalidTypeError, UnknownPartError, InvalidProblemError
        See `solve`.
    InvalidTourError, UnsupportedProblemError, BackendUnavailableError
        See `solve`.

    Examples
    --------
    >>> print(gls.plan("pr2392.tsp", seconds=10))  # doctest: +SKIP
    """
    given = (seed, backend, population, search, start, target, kicks, moves)
    return plan_of(*_settings(problem, seconds, *given))


def _settings(
    problem: Problem | ArrayLike | str | os.PathLike[str], seconds: float, *given: Any
) -> tuple[Problem, Settings]:
    seed, backend, population, search, start, target, kicks, moves = given
    asked = problem_of(problem)
    rows = rows_of(asked, start)
    name = start if isinstance(start, str) else None
    limits: dict[str, Any] = {"target": target, "kicks": kicks, "moves": moves, "rows": rows}
    return asked, Settings(seconds, population, seed, name, backend, search=search, **limits)
