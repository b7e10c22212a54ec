"""Perform the runs of a plan one after another; what is done stays done."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.budget import now
from gpu_ls_plugin.cli.interrupts import Interrupts
from gpu_ls_plugin.experiments.plan import RUNS
from gpu_ls_plugin.experiments.records import CurvePoint, Record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gpu_ls_plugin.experiments.display import ExperimentDisplay
    from gpu_ls_plugin.experiments.plan import Plan, Run


@dataclass(frozen=True)
class Outcome:
    """What a run came to, as far as its record does not know it otherwise."""

    costs: list[list[float]]
    solutions: list[list[Any]]
    evaluations: int
    generations: int


@dataclass
class Curve:
    """Notes how the best cost of a run falls; an adapter calls it once a generation.

    A generation without a new best cost is not a point of the curve: how many points there are
    does not depend on time.
    """

    watch: Callable[[CurvePoint], object]
    points: list[CurvePoint] = field(default_factory=list)
    begin: float = field(default_factory=now)

    def note(self, evaluations: int, generation: int, best: float | None) -> None:
        """Take the state after a generation."""
        point = CurvePoint(now() - self.begin, evaluations, generation, best)
        former = self.points[-1].best if self.points else None
        if not self.points or (best is not None and (former is None or best < former)):
            self.points.append(point)
        self.watch(point)

    def end(self, evaluations: int, generation: int, best: float | None) -> None:
        """Take the state at the end, which is a point in any case."""
        self.points.append(CurvePoint(now() - self.begin, evaluations, generation, best))


@dataclass(frozen=True)
class About:
    """What the records of an experiment have in common.

    `objectives` and `optima` are by the names of problems.
    """

    objectives: dict[str, int]
    optima: dict[str, float | None]
    machine: dict[str, str]


def run_all(
    plan: Plan,
    folder: Path,
    about: About,
    perform: Callable[[Run, Curve], Outcome],
    display: ExperimentDisplay,
) -> list[Record]:
    """Perform what is missing of a plan, and return the records of all of it.

    Each record is written when its run has ended, complete or not at all. A run that fails is
    recorded with its error, and the others go on; it is missing when the plan is run again.

    Raises
    ------
    InvalidParameterError, FileFormatError
        As of `Plan.stored`, before anything is run.
    KeyboardInterrupt
        Ctrl-C, also one with which a search returned what it had: that run is not recorded.
    """
    (folder / RUNS).mkdir(parents=True, exist_ok=True)
    records = plan.stored(folder)
    plan.save(folder)
    runs = list(plan.runs())
    missing = [run for run in runs if run.key not in records or records[run.key].error]
    with display.of(len(runs), len(missing)), Interrupts() as interrupts:
        for run in missing:
            display.begin(run)
            record = _record(plan, run, about, perform, display.show)
            interrupts.check()
            record.save(run.path(folder))
            records[run.key] = record
            display.end(record)
    return [records[run.key] for run in runs]


def _record(
    plan: Plan,
    run: Run,
    about: About,
    perform: Callable[[Run, Curve], Outcome],
    watch: Callable[[CurvePoint], object],
) -> Record:
    begun = datetime.now(UTC).isoformat(timespec="seconds")
    curve, wall, error = Curve(watch), time.perf_counter(), ""
    outcome = Outcome([], [], 0, 0)
    try:
        outcome = perform(run, curve)
    except Exception as raised:
        error = "".join(traceback.format_exception(raised))
    seconds, wall = now() - curve.begin, time.perf_counter() - wall
    return Record(
        *run.key,
        configuration=run.configuration,
        description={
            "algorithm": plan.algorithms[run.algorithm],
            "termination": plan.termination,
        },
        objectives=about.objectives[run.problem],
        optimum=about.optima[run.problem],
        curve=curve.points,
        costs=outcome.costs,
        solutions=outcome.solutions,
        evaluations=outcome.evaluations,
        generations=outcome.generations,
        seconds=seconds,
        compiling=max(0.0, wall - seconds),
        error=error,
        begun=begun,
        machine=about.machine,
    )
