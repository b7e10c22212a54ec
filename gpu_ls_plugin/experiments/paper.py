"""The table of an experiment for a paper."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gpu_ls_plugin.experiments.effort import generations_of, median_text
from gpu_ls_plugin.experiments.summaries import (
    SIGNIFICANT,
    machine_values,
    method,
    missing_note,
    moments,
    tests_by_seed,
    too_few,
)
from gpu_ls_plugin.experiments.tables import EQUAL, MISSING, Moments, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gpu_ls_plugin.experiments.runs import Runs
    from gpu_ls_plugin.experiments.tables import Cell

BETTER, WORSE, ALIKE = "+", "\N{MINUS SIGN}", "≈"  # compared with a control algorithm
HARDWARE = {
    "processor": "{}",
    "threads": "{} threads",
    "gpu": "{}",
    "gpu-ls-plugin": "gpu-ls-plugin {}",
    "pymoo": "pymoo {}",
}


def paper_table(results: Runs, control: str | None = None) -> Table:
    """Return means and deviations, with a row for each problem and a column for each algorithm.

    The lowest means are bold. Marks show the result of a test against the algorithm `control`.
    """
    tests = None if control is None else tests_by_seed(results, control)
    marks = {
        row[:2]: {row[1]: BETTER, None: ALIKE}.get(row[-1], WORSE)
        for row in (tests.rows if tests else ())
    }
    rows: list[tuple[Cell, ...]] = []
    bold = set()
    for problem in results.problems:
        found = [_final_moments(results, name, problem) for name in results.algorithms]
        least = min((mean for mean, _ in found if isinstance(mean, float)), default=math.nan)
        given: dict[int, tuple[float, float, str]] = {}
        for column, (name, (mean, deviation)) in enumerate(
            zip(results.algorithms, found, strict=True), 1
        ):
            if isinstance(mean, float):
                spread = deviation if isinstance(deviation, float) else math.nan
                given[column] = mean, spread, marks.get((problem, name), "")
                if math.isclose(mean, least, rel_tol=EQUAL):
                    bold.add((len(rows), column))
        made = dict(zip(given, Moments.row(list(given.values())), strict=True))
        rows.append((problem, *(made.get(i + 1) for i in range(len(results.algorithms)))))
    return Table(
        "Final costs",
        ("problem", *results.algorithms),
        tuple(rows),
        " ".join(_paper_sentences(results, control, tests, rows)) + missing_note(results),
        bold=frozenset(bold),
        advice=_advice(tests),
    )


def _paper_sentences(
    results: Runs, control: str | None, tests: Table | None, rows: Sequence[tuple[Cell, ...]]
) -> Iterator[str]:
    """Yield the sentences below a table for a paper."""
    counts = {len(runs) for _, _, runs in results.combinations()}
    runs = "1 run" if counts == {1} else f"{_span(counts)} runs"
    fronts = any(record.objectives > 1 for record in results.records)
    values = "final costs (with several objectives, of gaps in %)" if fronts else "final costs"
    ends = {f"each ended {until}" for until in results.described("until")}
    yield f"Mean ± standard deviation of the {values} of {', '.join([runs, *sorted(ends)])}."
    yield "The lowest means are bold."
    if any(cell is None for row in rows for cell in row):
        yield f"A cell with {MISSING} has a run that failed or found nothing feasible."
    if tests is not None:
        yield (
            f"{BETTER}, {WORSE}, {ALIKE}: significantly better than {control}, significantly "
            f"worse, no significant difference ({method(len(tests.rows), 'final gaps', 'seed')}; "
            f"p at most {SIGNIFICANT})."
        )
    if varied := _varied_generations(results):
        yield f"Generations of a run, median (lowest to highest): {'; '.join(varied)}."
    if facts := [_hardware(results, name) for name in HARDWARE if _hardware(results, name)]:
        yield f"Hardware and software: {', '.join(facts)}."


def _advice(tests: Table | None) -> str:
    if tests is None or not tests.rows:
        return ""
    pairs = max(int(pairs or 0) for pairs in tests.column("pairs"))
    return too_few(len(tests.rows), pairs, "seed")


def _hardware(results: Runs, name: str) -> str:
    """Return a fact about the machine as a phrase; empty if it is unknown."""
    values = [value for value in machine_values(results.records, name) if value != "unknown"]
    phrase = HARDWARE[name].format(" or ".join(values))
    return "no GPU" if (name, values) == ("gpu", ["none"]) else phrase if values else ""


def _final_moments(results: Runs, algorithm: str, problem: str) -> tuple[Cell, Cell]:
    """Return the moments of final costs, or of gaps with several objectives; None if infinite."""
    runs, values = results.runs_of(algorithm, problem), results.gaps_of(algorithm, problem)
    if not all(map(math.isfinite, values)):
        return None, None
    if runs and runs[0].objectives == 1:
        values = [min(run.costs)[0] for run in runs]
    return moments(values)


def _varied_generations(results: Runs) -> list[str]:
    """Return the generations of each algorithm, if those of runs on a problem differ."""
    found: dict[str, list[int]] = {name: [] for name in results.algorithms}
    differ = False
    for _, name, runs in results.combinations():
        made = [generations_of(run) for run in runs if run.curve and not run.error]
        found[name] += made
        differ = differ or len(set(made)) > 1
    return [f"{name} {median_text(values)}" for name, values in found.items() if differ and values]


def _span(counts: Iterable[int]) -> str:
    low, high = min(counts, default=0), max(counts, default=0)
    return f"{low}" if low == high else f"{low} to {high}"
