"""What `gpu-ls solve` does, as calls."""

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
    """Populations on many workers: `gpu_ls_plugin.Islands`, of which this room does not know."""

    def solve(self, problem: Problem, settings: Settings, callback: Callback | None) -> Result:
        """Return what they find."""


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
    """Return the best tours, routes or states found in some seconds, the cheapest first.

    What is not given follows from the problem and the device (`solver.default_settings`).
    Compiling is not part of the seconds. Ctrl-C ends the search early: what was found so far is
    returned, and the statistics say "interrupt".

    Parameters
    ----------
    problem : Problem, array_like or path
        An array is coordinates (n, 2) or distances (n, n); a file may be of any kind that
        `gpu-ls solve` reads.
    seconds : float
        Wall time for everything but compiling; infinite for no limit.
    seed : int or None
        Same seed, same random numbers; the limit in seconds may still end a run elsewhere. None
        draws one.
    backend : {"auto", "cpu", "cuda"}
        Where to search.
    population : int, optional
        Number of tours, or of states of an `Assignment`.
    search : callable or str, optional
        Search that improves given tours, or a text such as ``"two_opt+or_opt/nearest(8)"``. A
        `LocalSearch` is what repairs the kicked tours of an `IteratedLocalSearch`; others are taken
        as they are. An `Assignment` takes a `SuccessorSearch`.
    start : str or array_like of integers, shape (P, n) or (n,), optional
        Name of a registered construction (not for an `Assignment`), or rows to start from. The
        default construction makes the others if there are fewer than the population, and the
        result is never worse than the best of them.
    target : float, optional
        Cost at which the best tour is good enough. An `Assignment` is searched until its optimum is
        found, where that is known: a graph until no edge is in conflict.
    kicks, moves : int, optional
        Further limits, per tour; rounds and steps of a state.
    callback : callable, optional
        Called with a `Progress` after each launch of about 50 ms.
    islands : Islands, optional
        Search on all workers of a Dask cluster, each of which gets a population of its own. Where
        no search is named here, theirs is taken.

    Returns
    -------
    Result

    Raises
    ------
    InvalidParameterError, InvalidTypeError, UnknownPartError
        A value is out of range, of the wrong type, or a text that cannot be read.
    InvalidProblemError, InvalidTourError
        An array is no problem, or `start` holds no rows of the problem.
    UnsupportedProblemError, BackendUnavailableError, InsufficientMemoryError
        As the parts do.
    KeyboardInterrupt
        Ctrl-C before the first tours were made.

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
    """Return what `solve` with the same arguments is going to do, and why.

    Nothing is searched. Where vehicles may be scarce, one construction is made and compiled.

    Parameters
    ----------
    problem, seconds, seed, backend, population, search, start, target, kicks, moves
        As of `solve`.

    Returns
    -------
    Plan
        ``print(plan)`` says in a few lines which rows are searched in each stage, how and why, and
        its share of the time.

    Raises
    ------
    InvalidParameterError, InvalidTypeError, UnknownPartError, InvalidProblemError
        As `solve` does.
    InvalidTourError, UnsupportedProblemError, BackendUnavailableError
        As `solve` does.

    Examples
    --------
    >>> print(gls.plan("pr2392.tsp", seconds=10))  # doctest: +SKIP
    """
    given = (seed, backend, population, search, start, target, kicks, moves)
    return plan_of(*_settings(problem, seconds, *given))


def _settings(
    problem: Problem | ArrayLike | str | os.PathLike[str], seconds: float, *given: Any
) -> tuple[Problem, Settings]:
    """Return the problem and the settings of a call."""
    seed, backend, population, search, start, target, kicks, moves = given
    asked = problem_of(problem)
    rows = rows_of(asked, start)
    name = start if isinstance(start, str) else None
    limits: dict[str, Any] = {"target": target, "kicks": kicks, "moves": moves, "rows": rows}
    return asked, Settings(seconds, population, seed, name, backend, search=search, **limits)
