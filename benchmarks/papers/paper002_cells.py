"""Cells of paper 002's tables: some trials of a number of chains on one instance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from benchmarks.helpers import common
from benchmarks.helpers.gaps import percent
from benchmarks.helpers.search_clock import threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gpu_ls_plugin import TSP, IteratedLocalSearch, LocalSearch, Result

Made = TypeVar("Made")
FEW_CHAINS = 8  # up to this number, all trials and all instances of a table run side by side
CORE_CHAINS, CORE_KICKS = 2, 32  # of the run on one core


@dataclass(frozen=True)
class Case:
    """A cell of a table."""

    problem: TSP
    search: IteratedLocalSearch
    chains: int
    kicks: int  # per chain
    trials: int
    paper: tuple[float, float]  # deviation in percent, and frequency of the optimum
    first: LocalSearch | None = None  # improves the tours from nearest neighbour, if given
    seconds: float = math.inf  # of a search, at most


def read(name: str) -> TSP:
    """Read an instance."""
    import gpu_ls_plugin as gls

    return gls.TSP.read(common.require_instances() / f"{name}.tsp")


def rows_of(
    cases: Sequence[Case], backend: str, cores: dict[str, dict[str, float]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the row of each case; few chains of several instances share a GPU.

    `cores` keeps the figures of one core by the name of the instance.
    """
    for case in cases:
        if case.problem.name not in cores:
            cores[case.problem.name] = one_core(case)
    tasks = [partial(_row, case, backend, cores[case.problem.name]) for case in cases]
    if backend == "cuda" and len(cases) > 1:
        yield from side_by_side(tasks, backend)
        return
    for task in tasks:
        yield task()


def side_by_side(tasks: Sequence[Callable[[], Made]], backend: str) -> list[Made]:
    """Return the results of tasks, each with its share of the processors."""
    from gpu_ls_plugin.backends import get_backend
    from gpu_ls_plugin.runs.team import Team

    with Team(get_backend(backend), len(tasks)) as team:
        return team.work(tasks)


def one_core(case: Case) -> dict[str, float]:
    """Return the seconds of a descent, a kick and a pass on one core of the host."""
    case_of_core = Case(case.problem, case.search, CORE_CHAINS, CORE_KICKS, 1, case.paper)
    with threads(1):
        starts = _starts(case, "cpu", slice(0, CORE_CHAINS))
        _search(case_of_core, "cpu", slice(0, 1), 1, starts[:1])  # compiles
        result = _search(case_of_core, "cpu", slice(0, CORE_CHAINS), CORE_KICKS, starts)
    statistics = result.statistics
    phases = statistics.phases
    return {
        "descent": phases["descent"] / CORE_CHAINS,
        "kick": phases["kicks"] / (CORE_KICKS * CORE_CHAINS),
        "pass": (phases["descent"] + phases["kicks"]) / max(1, statistics.passes),
    }


def _groups(case: Case) -> list[int]:
    """Return how many trials are searched together, launch by launch; the first one is timed.

    A GPU takes about as long for some trials of few chains as for one, so all are timed.
    """
    if case.search.cooperation is not None:  # trials must not help each other
        return [1] * case.trials
    if case.chains <= FEW_CHAINS or case.trials == 1:
        return [case.trials]
    return [1, case.trials - 1]


def _row(case: Case, backend: str, core: dict[str, float]) -> tuple[str, dict[str, Any]]:
    """Run the trials of a cell."""
    name, optimum = case.problem.name, common.optima()[case.problem.name]
    bests: list[float] = []
    starts: list[float] = []
    timed, groups = None, _groups(case)
    _search(case, backend, slice(0, case.chains * groups[0]), 1)  # compiles
    kicks = passes = 0
    for group in groups:
        rows = slice(case.chains * len(bests), case.chains * (len(bests) + group))
        given = _starts(case, backend, rows)
        starts += _best(case.problem.cost(given), group)
        result = _search(case, backend, rows, case.kicks, given)
        timed = timed or result.statistics
        kicks += result.statistics.kicks
        passes += result.statistics.passes
        bests += _best(result.costs, group)
    assert timed is not None
    random = case.search.search.pivoting.name == "random_k"
    share = 1 / groups[0]  # of a trial in the timed ones
    alone = share * timed.passes * core["pass"]
    if not random:
        alone = core["descent"] * case.chains + core["kick"] * share * timed.kicks
    deviations = percent(bests, optimum)
    row = {
        "instance": name,
        "chains": case.chains,
        "search": repr(case.search),
        "trials": case.trials,
        "kicks": round(kicks / case.trials),
        "passes_per_kick": passes / max(1, kicks),
        "frequency": float(np.mean(deviations <= 0)),
        "deviation": float(np.mean(deviations)),
        "start_deviation": float(np.mean(percent(starts, optimum))),
        "paper_deviation": case.paper[0],
        "paper_frequency": case.paper[1],
        "seconds": timed.seconds,
        "timed_trials": groups[0],
        "one_core_seconds": alone,
        "speedup": alone / timed.seconds,
        "stopped_by": timed.stopped_by,
    }
    print(
        f"{name}, {case.chains} chains: {row['deviation']:.3f} % (paper {case.paper[0]}), "
        f"{row['seconds']:.3f} s, {row['speedup']:.1f} times one core",
        flush=True,
    )
    return f"{name} {case.chains}", row


def _best(costs: Any, trials: int) -> list[float]:
    best: list[float] = np.asarray(costs).reshape(trials, -1).min(axis=1).tolist()
    return best


def _starts(case: Case, backend: str, rows: slice) -> Any:
    """Return some rows of the first tours of all trials."""
    import gpu_ls_plugin as gls

    tours = gls.nearest_neighbour(case.problem, rows.stop, seed=1, backend=backend)[rows]
    return tours if case.first is None else case.first(case.problem, tours, backend=backend).tours


def _search(case: Case, backend: str, rows: slice, kicks: int, starts: Any = None) -> Result:
    import gpu_ls_plugin as gls

    tours = _starts(case, backend, rows) if starts is None else starts
    seconds = case.seconds if math.isfinite(case.seconds) else None
    budget = gls.Budget(kicks=kicks, seconds=seconds)
    return case.search(
        case.problem, tours, seed=1, budget=budget, backend=backend, first_row=rows.start
    )
