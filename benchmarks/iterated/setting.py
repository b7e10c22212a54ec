"""Shared by the sections of the iterated benchmark: sizes, allowances, runs and their gaps."""

from __future__ import annotations

import math
import sys
import time
import traceback
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from benchmarks.helpers import common
from benchmarks.helpers.gaps import percent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gpu_ls_plugin import TSP, IteratedLocalSearch, LocalSearch, Result

GAPS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.0)  # percent; the times to these are measured
SEEDS = (1, 2, 3)
ALL_SECONDS = 540  # of all sections of a call, times the scale
QUICK = 0.1  # of all seconds, for a trial
MOST_POINTS = 300  # of a stored history
LEAST_SECONDS = 0.05  # of a run; shorter ones are not begun
LABELS = {  # columns of tables, short
    "best_gap": "best %",
    "candidates_seconds": "lists s",
    "cooperation": "help",
    "distinct": "apart",
    "instance": "name",
    "first_mkicks_per_second": "first M/s",
    "kicks_per_city": "per n",
    "kicks_per_second": "kicks/s",
    "launch_ms": "launch ms",
    "mean_gap": "mean %",
    "mkicks_per_second": "M/s",
    "on_the_way": "on the way",
    "paper_deviation": "paper's",
    "paper_frequency": "paper's",
}


class Setting:
    """The backend and the seconds of all sections.

    Parameters
    ----------
    backend : {"cpu", "cuda"}
    quick : bool
        Small sizes and short runs, for a trial.
    scale : float
        Factor of all budgets in seconds and of the allowances of the sections.
    """

    def __init__(self, backend: str, quick: bool, scale: float) -> None:
        self.backend, self.quick = backend, quick
        self.scale = scale * (QUICK if quick else 1.0)
        self.skipped: list[str] = []
        self.errors: list[dict[str, str]] = []
        self.keep: Callable[[dict[str, Any]], None] = lambda found: None  # of a section, so far
        self._begin = time.perf_counter()
        self._end = math.inf

    def begin(self, allowance: float) -> None:
        """Begin a section that may take about `allowance` seconds, times the scale."""
        factor = math.inf if self.quick else self.scale
        now = time.perf_counter()
        self._end = min(now + factor * allowance, self._begin + factor * ALL_SECONDS)
        self.skipped, self.errors = [], []

    @contextmanager
    def guarded(self, what: str) -> Iterator[None]:
        """Note an error of the block and go on, so that later parts are measured."""
        try:
            yield
        except Exception:
            self.errors.append({"what": what, "error": traceback.format_exc()})
            print(self.errors[-1]["error"], file=sys.stderr, flush=True)

    @property
    def left(self) -> float:
        """Remaining seconds of the section."""
        return self._end - time.perf_counter()

    def spent(self, what: str, needed: float = LEAST_SECONDS) -> bool:
        """Return whether less than `needed` seconds remain; then `what` is noted as skipped."""
        if self.left >= needed:
            return False
        if not self.skipped:
            self.log(f"the allowance is spent; skipped from here on: {what}, ...")
        self.skipped.append(what)
        return True

    def log(self, text: str) -> None:
        """Print a line with the seconds since the start of the program."""
        print(f"[{time.perf_counter() - self._begin:7.1f} s] {text}", flush=True)

    @property
    def processors(self) -> int:
        """Multiprocessors or threads of the backend."""
        from gpu_ls_plugin.backends import get_backend

        return get_backend(self.backend).processors

    def usual(
        self, problem: TSP, seconds: float, search: IteratedLocalSearch | None = None
    ) -> tuple[IteratedLocalSearch, int, Callable[..., Any]]:
        """Return search, number of tours and construction of `gpu-ls solve` for a time."""
        from gpu_ls_plugin.core.registry import registry
        from gpu_ls_plugin.runs.settings import Settings
        from gpu_ls_plugin.solver.plans import default_settings

        given = Settings(backend=self.backend, seconds=seconds * self.scale, search=search)
        chosen: Any = default_settings(problem, given)
        construct = registry.lookup("construction", chosen.start)
        return chosen.search, chosen.population, construct

    def seconds(self, seconds: float) -> float:
        """Return a budget times the scale, at most the remaining time."""
        return max(LEAST_SECONDS, min(seconds * self.scale, self.left))

    def some(self, few: Any, usual: Any) -> Any:
        """Return the first value in a quick run, else the second."""
        return few if self.quick else usual


def read(name: str) -> TSP:
    """Read an instance again, so that it has no cached data."""
    import gpu_ls_plugin as gls

    return gls.TSP.read(common.require_instances() / f"{name}.tsp")


def lin_kernighan(depth: int = 3, **options: Any) -> IteratedLocalSearch:
    """Return iterated Lin-Kernighan on five alpha-nearest cities."""
    import gpu_ls_plugin as gls

    search = gls.LocalSearch([gls.LinKernighan(depth)], candidates=gls.Alpha(5))
    return gls.IteratedLocalSearch(search, **options)


def three_opt() -> LocalSearch:
    """Return 3-opt on alpha-nearest and quadrant neighbours, as beside papers 001 and 002."""
    import gpu_ls_plugin as gls

    return gls.LocalSearch([gls.ThreeOpt()], candidates=gls.Alpha(5) | gls.Quadrant(8))


def timed_run(
    setting: Setting,
    problem: TSP,
    search: IteratedLocalSearch,
    size: int,
    *,
    optimum: float,
    seed: int = 1,
    construct: Callable[..., Any] | None = None,
    start: Any = None,
    **budget: Any,
) -> tuple[dict[str, Any], Result]:
    """Make starts and search, in `seconds` of the budget altogether; return record and result.

    Times of the record count from the problem on. They include candidates, and starts unless these
    are given as `start`.
    """
    import gpu_ls_plugin as gls

    construct = construct or gls.nearest_neighbour
    begin = time.perf_counter()
    if start is None:
        start = construct(problem, size, seed=seed, backend=setting.backend)
    before = time.perf_counter() - begin
    if "seconds" in budget:
        budget["seconds"] = max(0.0, budget["seconds"] - before)
    result = search(problem, start, seed=seed, budget=gls.Budget(**budget), backend=setting.backend)
    total = time.perf_counter() - begin
    statistics = result.statistics
    record = {
        "instance": problem.name,
        "n": problem.n,
        "tours": size,
        "seed": seed,
        "search": repr(search),
        "budget": {k: v for k, v in budget.items() if v is not None},
        "seconds": total,
        "starts_seconds": before,
        "phases": dict(statistics.phases),
        "stopped_by": statistics.stopped_by,
        "kicks": statistics.kicks,
        "launches": statistics.launches,
        "kicks_per_second": statistics.kicks / max(statistics.phases.get("kicks", total), 1e-9),
        "best_gap": percent(result.best_cost, optimum),
        "mean_gap": percent(result.costs.mean(), optimum),
        "history": [
            (before + p.elapsed, percent(p.best_cost, optimum), percent(p.mean_cost, optimum))
            for p in thinned(statistics.history)
        ],
    }
    return record, result


def solved(
    setting: Setting, problem: TSP, seconds: float, optimum: float, seed: int = 1
) -> dict[str, Any]:
    """Return the record of a call of `solve`; times count from the call, without compiling."""
    import gpu_ls_plugin as gls

    begin = time.perf_counter()
    result = gls.solve(problem, seconds, seed=seed, backend=setting.backend, target=optimum)
    statistics = result.statistics
    return {
        "instance": problem.name,
        "n": problem.n,
        "tours": len(result.tours),
        "seed": seed,
        "budget": {"seconds": seconds, "target": optimum},
        "seconds": statistics.seconds,
        "wall_seconds": time.perf_counter() - begin,
        "phases": dict(statistics.phases),
        "stopped_by": statistics.stopped_by,
        "kicks": statistics.kicks,
        "best_gap": percent(result.best_cost, optimum),
        "history": [
            (p.elapsed, percent(p.best_cost, optimum), percent(p.mean_cost, optimum))
            for p in thinned(statistics.history)
        ],
    }


def warm_up(
    setting: Setting, search: IteratedLocalSearch, problem: TSP, size: int, **options: Any
) -> None:
    """Compile the kernels of a run of that size; use another copy of the problem for the run.

    Kernels do not depend on candidates, so quick ones are used. Chains that cooperate do so after
    every kick.
    """
    import gpu_ls_plugin as gls

    quick = replace(search, search=replace(search.search, candidates=gls.Nearest(5)))
    if quick.cooperation is not None:
        quick = replace(quick, cooperation=replace(quick.cooperation, every=1e-9))
    timed_run(setting, problem, quick, size, optimum=1.0, kicks=2, **options)


def thinned(points: Sequence[Any]) -> list[Any]:
    """Return some of the points, evenly spaced, with the last one."""
    step = -(-len(points) // MOST_POINTS)
    return list(points[::-1][:: max(1, step)])[::-1]


def seconds_to(history: Sequence[Sequence[float]], gap: float) -> float:
    """Return the time at which a history first reached `gap`; infinity if never."""
    return next((point[0] for point in history if point[1] <= gap + 1e-9), math.inf)


def gap_at(history: Sequence[Sequence[float]], seconds: float) -> float | None:
    """Return the best gap of a history at a moment; None before its first point."""
    return min((point[1] for point in history if point[0] <= seconds), default=None)


def show(title: str, rows: list[dict[str, Any]], columns: Sequence[str]) -> None:
    """Print some columns of rows; a dash stands for a missing entry."""
    body = [["-" if row.get(c) is None else row[c] for c in columns] for row in rows]
    common.show(title, [LABELS.get(c, c.replace("_seconds", " s")) for c in columns], body)
