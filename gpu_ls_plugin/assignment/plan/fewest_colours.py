"""Search for the fewest colours of a graph: after each legal colouring, try one colour fewer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.assignment.plan.assignment_display import ColourDisplay
from gpu_ls_plugin.assignment.plan.assignment_reports import about_fewest
from gpu_ls_plugin.assignment.problem.graph_colouring import (
    GraphColouring,
    greedy_clique,
    greedy_colouring,
)
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.core.history import Point, note
from gpu_ls_plugin.core.result import Progress, Result, Statistics
from gpu_ls_plugin.runs.domain import AnotherQuestion, domain_of
from gpu_ls_plugin.runs.settings import Request, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gpu_ls_plugin.core.progress import SearchDisplay
    from gpu_ls_plugin.core.result import Callback


def _fewest_colours(
    graph: GraphColouring, settings: Settings, callback: Callback | None = None
) -> Result:
    """Implement `fewest_colours`, with its arguments in `settings`."""
    checks.instance("graph", graph, kind=GraphColouring, wanted="GraphColouring")
    checks.callback(callback)
    chosen = domain_of(graph).settings(graph, Request(settings, get_backend(settings.backend)))
    descent = _Descent(graph, chosen, callback)
    with descent.statistics.phase("compiling"):
        search: Any = chosen.search
        if hasattr(search, "prepare"):  # other searches compile when they are called
            search.prepare(graph, backend=chosen.backend)
    return descent.run()


def fewest_colours(
    graph: GraphColouring,
    seconds: float = 10.0,
    *,
    seed: int | None = 1,
    backend: str = "auto",
    population: int | None = None,
    search: Callable[..., Any] | str | None = None,
    target: int | None = None,
    kicks: int | None = None,
    moves: int | None = None,
    callback: Callback | None = None,
) -> Result:
    """Return legal colourings of a graph with the fewest colours found in the given time.

    The first colouring is greedy. Then each state loses its rarest colour, and all states are
    searched until one of them is legal again. This is repeated until a limit is reached or a clique
    proves that fewer colours do not suffice.

    Parameters
    ----------
    graph : GraphColouring
        Its number of colours is ignored.
    seconds, seed, backend, population, search
        As in `solve`.
    target : int, optional
        Number of colours at which the search ends.
    kicks, moves : int, optional
        Limits on rounds and steps for each number of colours.
    callback : callable, optional
        Called with a `Progress` after each launch. Its costs are the number of colours of the best
        legal colouring; `best_tours()` returns states with one colour fewer.

    Returns
    -------
    Result
        At least one row; all rows are legal, and `problem.colours` is their number of colours.
        Costs are numbers of conflicts and therefore 0, but costs in the history are numbers of
        colours.

    Raises
    ------
    InvalidParameterError, InvalidTypeError, UnknownPartError
        A value is out of range or of the wrong type, or a string cannot be parsed.
    BackendUnavailableError, InsufficientMemoryError
        As in `solve`.
    KeyboardInterrupt
        The user pressed Ctrl-C before the first colouring.

    Examples
    --------
    >>> graph = gls.GraphColouring.read("le450_15c.col", colours=1)  # doctest: +SKIP
    >>> gls.fewest_colours(graph, seconds=5).problem.colours  # doctest: +SKIP
    """
    settings = Settings(
        seconds=seconds,
        population=population,
        seed=seed,
        backend=backend,
        target=target,
        search=search,
        kicks=kicks,
        moves=moves,
    )
    return _fewest_colours(graph, settings, callback)


class _Descent:
    """The search from a greedy colouring down to the fewest colours.

    Attributes
    ----------
    best : Result
        Legal rows, and the problem with their number of colours.
    states : int32 array, shape (P, n)
        The rows from which the next search begins, legal or not.
    """

    def __init__(
        self, graph: GraphColouring, settings: Settings, callback: Callback | None
    ) -> None:
        self.graph, self.settings, self.callback = graph, settings, callback
        backend = get_backend(settings.backend)
        self.statistics = Statistics(backend=backend.name, stopped_by="optimum")

    def run(self) -> Result:
        """Return the legal colourings with the fewest colours."""
        settings, statistics = self.settings, self.statistics
        self.watch = Stopwatch(settings.budget(settings.seconds))
        bound = len(greedy_clique(self.graph))
        greedy = greedy_colouring(self.graph)
        self.states = np.tile(greedy, (settings.population or 1, 1))
        self.keep(greedy[np.newaxis], int(greedy.max()) + 1)
        least = max(bound, settings.target or 0)
        try:
            while self.colours > least:
                if not self.lower():
                    break
            else:
                statistics.stopped_by = "optimum" if self.colours <= bound else "target"
        except KeyboardInterrupt:  # between two searches
            statistics.stopped_by = "interrupt"
        statistics.seconds = self.watch.elapsed
        statistics.history.append(self.point())
        return replace(self.best, statistics=statistics)

    @property
    def colours(self) -> int:
        """The fewest colours so far."""
        return self.problem.colours

    def keep(self, rows: NDArray[np.int32], colours: int) -> None:
        """Keep `rows` (K, n), legal colourings with this number of colours, as the best ones."""
        self.problem = self.graph.with_colours(colours)
        self.best = Result(rows, np.zeros(len(rows), np.int64), problem=self.problem)
        note(self.statistics.history, self.point())
        self.is_new = True

    def lower(self) -> bool:
        """Search with one colour fewer; return whether to continue."""
        fewer, settings = self.graph.with_colours(self.colours - 1), self.settings
        search: Any = settings.search
        found = search(
            fewer,
            without_a_colour(self.states, self.colours),
            seed=((settings.seed or 0) + fewer.colours) % 2**64,
            budget=replace(settings.budget(self.watch.left), target=0),
            backend=settings.backend,
            callback=self.callback and self.show,
        )
        self.statistics.add(replace(found.statistics, history=[]))
        self.states = found.tours
        legal = fewer.feasible(self.states) & (found.costs == 0)
        if legal.any():
            self.keep(self.states[legal], fewer.colours)
        if found.statistics.interrupted or not legal.any():
            self.statistics.stopped_by = found.statistics.stopped_by
            return False
        return True

    def point(self) -> Point:
        """Return the current point of the history."""
        return Point(self.watch.elapsed, self.statistics.kicks, self.colours, float(self.colours))

    def show(self, progress: Progress) -> None:
        """Call the callback with totals over all searches so far."""
        assert self.callback is not None
        before, is_new, self.is_new = self.statistics, self.is_new, False
        self.callback(
            replace(
                progress,
                elapsed=self.watch.elapsed,
                best_cost=self.colours,
                mean_cost=float(self.colours),
                moves=before.moves + progress.moves,
                evaluations=before.evaluations + progress.evaluations,
                kicks=before.kicks + progress.kicks,
                improved=is_new,
            )
        )


def without_a_colour(states: NDArray[np.int32], colours: int) -> NDArray[np.int32]:
    """Return states without their rarest colour; the last colour takes over its number.

    Parameters
    ----------
    states : int32 array, shape (P, n)
        Values from -1 to `colours` - 1; not changed.

    Returns
    -------
    int32 array, shape (P, n)
        Values from -1 to `colours` - 2; vertices of the rarest colour have -1.
    """
    fewer = states.copy()
    for row in fewer:
        rarest = np.bincount(row[row >= 0], minlength=colours).argmin()
        row[row == rarest] = -1
        row[row == colours - 1] = rarest
    return fewer


class FewestColours(AnotherQuestion):
    """The command line's question: how many colours does a legal colouring need?"""

    refusal = "colours: islands search with a given number of colours; pass one"

    def solve(self, problem: Any, settings: Settings, callback: Callback | None) -> Result:
        """Return legal colourings with the fewest colours found."""
        return _fewest_colours(problem, settings, callback)

    def display(self, problem: Any, settings: Settings) -> SearchDisplay:
        return ColourDisplay(problem, settings.seconds, settings.target)

    def facts(self, problem: Any, optimum: float | None) -> dict[str, Any]:
        return about_fewest(problem, optimum)
