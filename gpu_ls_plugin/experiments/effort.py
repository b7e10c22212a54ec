"""The effort of runs: generations, evaluations, kicks, seconds and processor time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.experiments.comparison import quantile
from gpu_ls_plugin.experiments.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.experiments.records import Record
    from gpu_ls_plugin.experiments.runs import Runs
    from gpu_ls_plugin.experiments.tables import Cell

COLUMNS = (
    *("problem", "algorithm", "runs", "generations", "evaluations", "kicks", "seconds", "CPU"),
    "compiling s",
)
COMPILED = 0.05  # seconds of waiting for compilers that are reported
LISTED = 5  # maximum number of runs that a warning lists
EQUALLY_LONG = 1.2  # largest ratio of the lengths of runs whose work is compared
WIDE = 1.5  # ratio of their work from which a warning is given


def effort(results: Runs) -> Table:
    """Return how much the runs did in how much time, and which of them waited for compilers."""
    rows: list[tuple[Cell, ...]] = []
    uneven: list[str] = []
    waited: list[str] = []
    for problem, algorithm, runs in results.combinations():
        ended = [run for run in runs if run.curve and not run.error]
        if not ended:
            continue
        seconds = [run.seconds for run in ended]
        evaluations = [run.curve[-1].evaluations for run in ended]
        kicks = [run.counts["kicks"] for run in ended if run.counts.get("kicks")]
        cpu = [
            round(run.cpu_seconds / (run.seconds + run.compiling), 2)
            for run in ended
            if run.cpu_seconds is not None and run.seconds
        ]
        generations = [generations_of(run) for run in ended]
        compiling = [round(run.compiling, 1) for run in ended]
        measured: tuple[Sequence[float], ...]
        measured = (generations, evaluations, kicks, seconds, cpu, compiling)
        rows.append((problem, algorithm, len(ended), *(median_text(found) for found in measured)))
        if _is_uneven(seconds, kicks or evaluations) or _is_uneven(seconds, cpu):
            uneven.append(f"{algorithm} on {problem}")
        waited += [
            f"{algorithm} on {problem}, seed {run.seed} ({run.compiling:.1f} s)"
            for run in ended
            if run.compiling >= COMPILED
        ]
    note = (
        "Medians (lowest to highest) of the runs without an error. CPU: processor seconds of the "
        "process per second. Waiting for compilers does not count as time of a run."
    )
    warnings = []
    if uneven:
        warnings.append(
            f"Runs of equal length differ by more than a factor of {WIDE:g} in kicks, evaluations "
            f"or CPU: {_some(uneven)}. Other programs may have used the machine; repeat the runs "
            "on an idle one."
        )
    if waited:
        warnings.append(f"Runs that waited for compilers: {_some(waited)}.")
    return Table("Effort of the runs", COLUMNS, tuple(rows), note, advice=" ".join(warnings))


def _is_uneven(seconds: Sequence[float], work: Sequence[float]) -> bool:
    """Return whether runs of equal length did unequal work."""
    alike = max(seconds) <= EQUALLY_LONG * min(seconds)
    return alike and bool(work) and max(work) > WIDE * min(work)


def _some(names: Sequence[str]) -> str:
    more = f"; and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return f"{'; '.join(names[:LISTED])}{more}"


def generations_of(run: Record) -> int:
    """Return the number of generations of a run."""
    return run.curve[-1].generation


def median_text(values: Sequence[float]) -> str:
    """Return the median of values and their range, if it is one; empty without values."""
    if not values:
        return ""
    low, middle, high = (_short(quantile(values, share)) for share in (0.0, 0.5, 1.0))
    return middle if low == high else f"{middle} ({low} to {high})"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 or value == round(value) else f"{value:.3g}"
