"""Solve one instance with a batch of tours: climb, then kick and climb again until time is over."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin import checks
from gpu_ls_plugin.budget import Budget, Stopwatch
from gpu_ls_plugin.candidates import Alpha, Nearest
from gpu_ls_plugin.exceptions import InvalidTypeError
from gpu_ls_plugin.neighbourhoods import LinKernighan, OrOpt, ThreeOpt
from gpu_ls_plugin.perturbations import DoubleBridge
from gpu_ls_plugin.registry import registry
from gpu_ls_plugin.result import Progress, Result, Statistics
from gpu_ls_plugin.search_text import FORM, parse_search
from gpu_ls_plugin.searches import LocalSearch

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.result import Callback

SEGMENT = 50  # window of a kick's four cuts, in positions
SMALLEST_KICKED = 8  # cities; below, local search from several starts leaves nothing to gain


@dataclass(frozen=True)
class Settings:
    """How to solve.

    Parameters
    ----------
    seconds : float
        Time for the search; making the starts and compiling the search come before it.
    population : int
        Number of tours.
    seed : int
        Same seed, same random numbers; a limit in seconds may still end a run elsewhere.
    start : str
        Name of a registered construction.
    backend : {"auto", "cpu", "cuda"}
        Where to search.
    target : float, optional
        Cost at which the best tour is good enough.
    search : callable or str, optional
        Search that improves given tours, or a text that `parse_search` reads; by default what
        `default_search` returns for the problem.
    moves : int, optional
        Improving moves per tour and climb; by default every climb ends in a local optimum.

    Raises
    ------
    InvalidParameterError, InvalidTypeError, UnknownPartError
        A value is out of range, of the wrong type, or a text that cannot be read.
    """

    seconds: float = 10.0
    population: int = 256
    seed: int = 1
    start: str = "nearest_neighbour"
    backend: str = "auto"
    target: float | None = None
    search: Callable[..., Any] | str | None = None
    moves: int | None = None

    def __post_init__(self) -> None:
        checks.integer("population", self.population, least=1)
        checks.seed(self.seed)
        Budget(seconds=self.seconds, target=self.target, moves=self.moves)  # checks them
        if isinstance(self.search, str):
            object.__setattr__(self, "search", parse_search(self.search))
        if self.search is not None and not callable(self.search):
            raise InvalidTypeError(f"search: {self.search!r} is no search; write {FORM}")

    def search_of(self, problem: TSP) -> Callable[..., Any]:
        """Return the search for a problem."""
        return default_search(problem) if self.search is None else self.search  # type: ignore[return-value]


def default_search(problem: TSP) -> LocalSearch:
    """Return Lin-Kernighan on alpha-nearest cities; where lengths are asymmetric, 3-opt and Or-opt.

    Neither 3-opt nor Or-opt reverses a path then.
    """
    if problem.symmetric:
        return LocalSearch([LinKernighan()], candidates=Alpha(5))
    return LocalSearch([ThreeOpt(), OrOpt(3)], candidates=Nearest(10))


def solve(problem: TSP, settings: Settings, callback: Callback | None = None) -> Result:
    """Return the best tours found in the time, sorted as the starts were.

    Each tour climbs to a local optimum; then, again and again, every tour is kicked by a double
    bridge, which reverses no path, and climbs, and each row keeps the better of its two tours.
    Ctrl-C ends the search early: what was found so far is returned and the statistics say
    "interrupt".

    Raises
    ------
    InvalidParameterError, UnsupportedProblemError, BackendUnavailableError
        As the parts do.
    KeyboardInterrupt
        Ctrl-C before the first tours were made.
    """
    search, kick = settings.search_of(problem), DoubleBridge(segment=SEGMENT)
    random = np.random.default_rng(settings.seed)
    place: dict[str, Any] = {"backend": settings.backend}

    construct = registry.lookup("construction", settings.start)
    tours = construct(problem, size=settings.population, seed=settings.seed, **place)
    # Candidates are made and all is compiled before time runs, what a callback needs included.
    search(problem, tours, budget=Budget(moves=0), callback=lambda _: None, **place)
    if problem.n >= SMALLEST_KICKED:
        kick.perturb(problem, tours[:1], **place)

    run = Run(problem, settings, Result(tours, problem.cost(tours)), callback)
    try:
        run.keep_better(search(problem, tours, seed=_draw(random), **run.limits(), **place))
        while not run.finished():
            kicked = kick.perturb(problem, run.best.tours, seed=_draw(random), **place)
            run.statistics.kicks += len(kicked)
            run.keep_better(search(problem, kicked, seed=_draw(random), **run.limits(), **place))
    except KeyboardInterrupt:
        run.stopped_by = "interrupt"
    return run.result()


class Run:
    """The state of one solve: the incumbents, what was counted, and why it stops."""

    def __init__(
        self, problem: TSP, settings: Settings, start: Result, callback: Callback | None
    ) -> None:
        self.problem = problem
        self.best = start
        self.watch = Stopwatch(
            Budget(seconds=settings.seconds, target=settings.target, moves=settings.moves)
        )
        self.callback = callback
        self.statistics = Statistics()
        self.stopped_by = ""

    def keep_better(self, found: Result) -> None:
        """Take over every row of `found` that is cheaper than the incumbent of that row."""
        self.statistics.add(found.statistics)
        self.statistics.backend = found.statistics.backend
        if found.statistics.interrupted:
            self.stopped_by = "interrupt"
        better = found.costs < self.best.costs
        self.best = Result(
            np.where(better[:, None], found.tours, self.best.tours),
            np.where(better, found.costs, self.best.costs),
        )

    def finished(self) -> bool:
        """Whether to stop; the reason is kept for the statistics."""
        target = self.watch.budget.target
        if not self.stopped_by:
            if target is not None and self.best.best_cost <= target:
                self.stopped_by = "target"
            elif self.problem.n < SMALLEST_KICKED:
                self.stopped_by = "optimum"
            elif self.watch.left <= 0:
                self.stopped_by = "seconds"
        return bool(self.stopped_by)

    def limits(self) -> dict[str, Any]:
        """What the next climb gets: the time that is left, the other limits, the callback."""
        budget = replace(self.watch.budget, seconds=max(0.0, self.watch.left))
        return {"budget": budget, "callback": self.callback and self._forward(self.callback)}

    def result(self) -> Result:
        """The incumbents with the statistics of the whole run."""
        self.finished()
        self.statistics.seconds = self.watch.elapsed
        self.statistics.stopped_by = self.stopped_by
        return replace(self.best, statistics=self.statistics)

    def _forward(self, callback: Callback) -> Callable[[Progress], None]:
        """Report on the run where a search reports on itself."""
        before = replace(self.statistics)
        best, mean = self.best.best_cost, float(self.best.costs.mean())

        def forward(progress: Progress) -> None:
            callback(
                replace(
                    progress,
                    elapsed=self.watch.elapsed,
                    best_cost=min(best, progress.best_cost),
                    mean_cost=min(mean, progress.mean_cost),
                    moves=before.moves + progress.moves,
                    evaluations=before.evaluations + progress.evaluations,
                )
            )

        return forward


def _draw(random: np.random.Generator) -> int:
    return int(random.integers(2**63))
