"""Costs that `gls.SuccessorSearch()` reaches in seconds, on instances with known best costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.assignment import bounds, instances
from benchmarks.helpers import common, gaps

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import gpu_ls_plugin as gls
    from benchmarks.helpers.limit import Limit

TIMES = (1, 3, 10, 30, 60)  # seconds
COLUMNS = ("seed", "reference", "cost", "gap", "seconds_to_reference", "seconds")


class Task(NamedTuple):
    """An instance, its reference cost, and the gap to reach."""

    kind: str
    problem: gls.Assignment
    reference: int
    bar: float | None


def tasks(qaplib: Path | None, out: Path) -> dict[str, Task]:
    """Return all instances by name."""
    found = {}
    for name, places in instances.quadratic(qaplib).items():
        found[name] = Task("quadratic", places, *instances.QAPLIB[name])
    known = bounds.known(out)
    for name, jobs in instances.generalised().items():
        if name in known:
            found[name] = Task("generalised", jobs, known[name], instances.GENERALISED_BAR)
        else:
            print(f"{name} is left out: measure its bound first, in section {bounds.SECTION}")
    for name, graph in instances.graphs().items():
        found[name] = Task("colouring", graph.problem, 0, 0.0)
    return found


class Runs(NamedTuple):
    """Whether runs end at the reference or at the bar."""

    seconds: float
    limit: Limit
    backend: str
    seeds: int
    until: str
    search: Any = None
    states: int | None = None

    def target(self, task: Task) -> int:
        """Return the cost at which a run ends; no cost is below the reference."""
        slack = (task.bar or 0.0) if self.until == "bar" and task.kind != "colouring" else 0.0
        return int(task.reference * (1 + slack / 100))


def measure(
    runs: Runs, instances_: dict[str, Task], names: list[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what each instance and seed reached."""
    for name, task in instances_.items():
        if names and not any(name.startswith(wanted) for wanted in names):
            continue
        for seed in range(1, runs.seeds + 1):
            if runs.limit.over(f"{name}, seed {seed}"):
                return
            row = run(task, runs, seed)
            unit = "conflicts" if task.kind == "colouring" else "%"
            print(f"{name}, seed {seed}: {row['at']} {unit}, {row['stopped_by']}", flush=True)
            yield f"{name}, seed {seed}", {"instance": name, **row}


def run(task: Task, runs: Runs, seed: int) -> dict[str, Any]:
    """Return the gap against time of one search.

    Costs count from the first feasible state on.
    """
    import gpu_ls_plugin as gls

    seconds = max(0.1, min(runs.seconds, runs.limit.left))
    history: list[tuple[float, int]] = []

    def note(progress: gls.Progress) -> None:
        if history and progress.best_cost >= history[-1][1]:
            return
        if history or task.problem.feasible(progress.best_tours()).any():
            history.append((progress.elapsed, int(progress.best_cost)))

    search = runs.search or gls.SuccessorSearch()
    empty = None if runs.states is None else np.full((runs.states, task.problem.n), -1)
    result = search(
        task.problem,
        empty,
        seed=seed,
        budget=gls.Budget(seconds=seconds, target=runs.target(task)),
        backend=runs.backend,
        callback=note,
    )
    feasible = bool(task.problem.feasible(result.best_tour).all())
    reached = [time for time, cost in history if cost <= task.reference]
    curve = [(time, _gap(cost, task)) for time, cost in history]
    statistics = result.statistics
    return {
        "kind": task.kind,
        "reference": task.reference,
        "bar": task.bar,
        "seed": seed,
        "cost": int(result.best_cost) if feasible else None,
        "gap": _gap(result.best_cost, task) if feasible else None,
        "at": {
            str(limit): min((gap for time, gap in curve if time <= limit), default=None)
            for limit in TIMES
            if limit <= seconds or limit == TIMES[0]
        },
        "seconds_to_reference": min(reached, default=None),
        "seconds": statistics.seconds,
        "stopped_by": statistics.stopped_by,
        "states": len(result.costs),
        "moves": statistics.moves,
        "evaluations": statistics.evaluations,
        "history": curve,
    }


def _gap(cost: float, task: Task) -> float:
    """Return how far a cost is above the reference in percent; for colourings, their conflicts."""
    return float(cost if task.kind == "colouring" else gaps.percent(cost, task.reference))


def show(rows: dict[str, dict[str, Any]]) -> None:
    """Print the results."""
    common.show(
        "quality: gaps in %, of colourings conflicts",
        ("instance", *COLUMNS),
        [[row["instance"], *(row[column] for column in COLUMNS)] for row in rows.values()],
    )
