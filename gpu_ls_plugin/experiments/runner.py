"""Execution of the runs of a plan, one after another; each run is stored when it ends."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.beside import wait_for_all
from gpu_ls_plugin.core.budget import now
from gpu_ls_plugin.core.interrupts import Interrupts
from gpu_ls_plugin.experiments.plan import RUNS
from gpu_ls_plugin.experiments.records import CurvePoint, Record

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gpu_ls_plugin.experiments.display import ExperimentDisplay
    from gpu_ls_plugin.experiments.plan import Plan, Run
    from gpu_ls_plugin.experiments.records import Costs

    Perform = Callable[[Run, "Curve"], list[list[Any]]]


@dataclass
class Curve:
    """The curve of a run; an adapter calls `note` after each generation.

    A generation becomes a point if it has a new best cost or, with several objectives, if its
    number is a power of two. The number of points therefore does not depend on time.
    """

    watch: Callable[[CurvePoint], object]
    points: list[CurvePoint] = field(default_factory=list)
    begin: float = field(default_factory=now)
    used: str = ""  # the parts that the run used, defaults included; set by the adapter
    counts: dict[str, int] = field(default_factory=dict)  # kicks and moves; set by the adapter

    def note(self, evaluations: int, generation: int, costs: Costs) -> None:
        """Record the state after a generation."""
        point = CurvePoint(now() - self.begin, evaluations, generation, costs)
        if not self.points or _is_new(point, self.points[-1]):
            self.points.append(point)
        self.watch(point)

    def end(self, evaluations: int, generation: int, costs: Costs) -> None:
        """Record the state at the end, which always becomes a point."""
        self.points.append(CurvePoint(now() - self.begin, evaluations, generation, costs))


def _is_new(point: CurvePoint, former: CurvePoint) -> bool:
    if not point.costs or not former.costs:
        return bool(point.costs)
    if len(point.costs[0]) == 1:
        return min(point.costs) < min(former.costs)
    return point.generation.bit_count() == 1


@dataclass(frozen=True)
class About:
    """Facts about the machine, and about each problem by name.

    `problems` and `until` are short texts about problems and about the termination, for readers.
    """

    objectives: dict[str, int]
    optima: dict[str, float | None]
    machine: dict[str, str]
    problems: dict[str, str] = field(default_factory=dict)
    until: str = ""

    def updated(self, record: Record) -> Record:
        """Return a record with the optimum that the problem has now, if it has one."""
        optimum = self.optima[record.problem]
        return record if optimum is None else replace(record, optimum=optimum)


def run_all(
    plan: Plan, folder: Path, about: About, perform: Perform, display: ExperimentDisplay
) -> list[Record]:
    """Perform the missing runs of a plan, and return the records of all runs.

    `perform` makes a run and returns its solutions. A run begins when nothing is compiled in the
    background any more. Each record is written when its run ends. If a run fails, its record has
    the error, the other runs continue, and the next call repeats it. After Ctrl-C, the records of
    the runs that have ended are returned; if none has, KeyboardInterrupt is raised.
    """
    (folder / RUNS).mkdir(parents=True, exist_ok=True)
    records = plan.stored(folder)
    plan.save(folder)
    runs = list(plan.runs())
    for run in runs:
        if run.key in records and about.updated(records[run.key]) != records[run.key]:
            records[run.key] = about.updated(records[run.key])
            records[run.key].save(run.path(folder))
    missing = [run for run in runs if run.key not in records or records[run.key].error]
    try:
        with display.of(len(runs), len(missing)), Interrupts() as interrupts:
            for run in missing:
                display.begin(run)
                wait_for_all()  # else compiling for earlier runs would slow this one
                record = _record(plan, run, about, perform, display.show)
                interrupts.check()  # Ctrl-C may have ended a search early
                record.save(run.path(folder))
                records[run.key] = record
                display.end(record)
    except KeyboardInterrupt:
        if not records:
            raise
    return [records[run.key] for run in runs if run.key in records]


def _record(
    plan: Plan, run: Run, about: About, perform: Perform, watch: Callable[[CurvePoint], object]
) -> Record:
    begun = datetime.now(UTC).isoformat(timespec="seconds")
    curve, wall, cpu, error = Curve(watch), time.perf_counter(), time.process_time(), ""
    solutions: list[list[Any]] = []
    try:
        solutions = perform(run, curve)
    except Exception as raised:
        error = "".join(traceback.format_exception(raised))
    seconds, wall = now() - curve.begin, time.perf_counter() - wall
    cpu = time.process_time() - cpu
    return Record(
        *run.key,
        configuration=run.configuration,
        description={
            "algorithm": plan.algorithms[run.algorithm],
            "termination": plan.termination,
            "summary": plan.summaries.get(run.algorithm, ""),
            "problem": about.problems.get(run.problem, ""),
            "until": about.until,
            "used": curve.used,
        },
        objectives=about.objectives[run.problem],
        optimum=about.optima[run.problem],
        curve=curve.points,
        solutions=solutions,
        seconds=seconds,
        compiling=max(0.0, wall - seconds),
        cpu_seconds=cpu,
        counts=curve.counts,
        error=error,
        begun=begun,
        machine=about.machine,
    )
