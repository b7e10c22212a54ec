"""The tables of an experiment's results."""

from __future__ import annotations

import math
import statistics
from itertools import combinations, product
from typing import TYPE_CHECKING

from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.experiments.comparison import (
    average_ranks,
    critical_difference,
    friedman,
    holm,
    quantile,
    wilcoxon,
)
from gpu_ls_plugin.experiments.tables import EQUAL, Table, shown_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gpu_ls_plugin.experiments.records import Record
    from gpu_ls_plugin.experiments.runs import Runs
    from gpu_ls_plugin.experiments.tables import Cell

SIGNIFICANT = 0.05
QUARTILES = {"best": 0.0, "Q1": 0.25, "median": 0.5, "Q3": 0.75}
MOMENTS = ("mean cost", "std cost", "mean gap %", "std gap %")
BETTER, WORSE, ALIKE = "+", "\N{MINUS SIGN}", "≈"  # compared with a control algorithm
PAIRS = -5  # the column of pairs before the correction
TESTED = ("first", "second", "pairs", "first better", "second better", "p", "p (Holm)", "better")


def quartiles(results: Runs) -> Table:
    """Return the quartiles of the final gaps of each algorithm on each problem."""
    rows: list[tuple[Cell, ...]] = []
    for problem, algorithm, runs in _combinations(results):
        gaps = results.gaps_of(algorithm, problem)
        found = (quantile(gaps, share) for share in (*QUARTILES.values(), 1.0))
        failed = sum(bool(record.error) for record in runs)
        rows.append((problem, algorithm, len(runs), failed, *found))
    columns = ("problem", "algorithm", "runs", "failed", *QUARTILES, "worst")
    compared = "; ".join(f"{problem}: {gap}" for problem, gap in results.measures.items())
    note = (
        f"Gaps to {compared}. The gap of a run that failed or found nothing feasible is infinite."
    )
    return Table("Final gaps in %", columns, tuple(rows), note + _missing(results))


def means(results: Runs) -> Table:
    """Return means and standard deviations of the final gaps and of the best costs."""
    rows: list[tuple[Cell, ...]] = []
    for problem, algorithm, runs in _combinations(results):
        costs = [min(run.costs)[0] for run in runs if run.costs and run.objectives == 1]
        failed = sum(bool(record.error) for record in runs)
        gaps = _moments(results.gaps_of(algorithm, problem))
        rows.append((problem, algorithm, len(runs), failed, *_moments(costs), *gaps))
    columns = ("problem", "algorithm", "runs", "failed", *MOMENTS)
    note = (
        "The standard deviation is that of a sample, with runs - 1 as divisor. Runs that failed or "
        "found no feasible solution have infinite gaps and no costs."
    )
    deviations = (MOMENTS[:2], MOMENTS[2:])
    return Table(
        "Means and standard deviations", columns, tuple(rows), note + _missing(results), deviations
    )


def times_to_target(results: Runs, targets: Sequence[float]) -> Table:
    """Return how many runs reached each gap, and the quartiles of the times."""
    rows: list[tuple[Cell, ...]] = []
    for target in targets:
        for problem, algorithm, runs in _combinations(results):
            times = [results.seconds_to(record.key, target) for record in runs]
            reached = sum(map(math.isfinite, times))
            spread = (quantile(times, share) for share in (0.25, 0.5, 0.75))
            cells = (time if math.isfinite(time) else None for time in spread)
            rows.append((float(target), problem, algorithm, len(runs), reached, *cells))
    columns = ("gap %", "problem", "algorithm", "runs", "reached", "Q1 s", "median s", "Q3 s")
    note = (
        "Seconds from the start of a run, without compiling. The time of a run that does not reach "
        "the gap is infinite; there is no median if fewer than half of the runs reach it. With "
        "several objectives, gaps are known only for generations 1, 2, 4, 8, ... and the last one."
    )
    return Table("Time to target", columns, tuple(rows), note + _missing(results))


def tests_by_seed(results: Runs, control: str | None = None) -> Table:
    """Return tests of pairs of algorithms on each problem, over the seeds that both have.

    The pairs are all pairs, or those of each other algorithm with `control`.
    """
    pairs = list(combinations(results.algorithms, 2))
    if control is not None:
        _check_known(results, control)
        pairs = [(name, control) for name in results.algorithms if name != control]
    rows: list[tuple[Cell, ...]] = []
    for problem, (first, second) in product(results.problems, pairs):
        keys = [((first, problem, s), (second, problem, s)) for s in results.seeds]
        gaps = results.gaps
        both = [(gaps[one], gaps[two]) for one, two in keys if one in gaps and two in gaps]
        if both:
            rows.append((problem, *_test((first, second), both)))
    note = f"{_note(rows, 'final gaps', 'seed')}{_missing(results)}"
    return Table("Comparison on each problem", ("problem", *TESTED), _corrected(rows), note)


def tests_by_problem(results: Runs) -> Table:
    """Return tests of each pair of algorithms over the problems' median gaps."""
    problems, medians = results.medians()
    rows: list[tuple[Cell, ...]] = []
    if problems:
        for one, two in combinations(range(len(results.algorithms)), 2):
            names = results.algorithms[one], results.algorithms[two]
            rows.append(_test(names, medians[:, [one, two]].tolist()))
    note = f"{_note(rows, 'median gaps', 'problem')}{_missing(results)}"
    return Table("Comparison over all problems", TESTED, _corrected(rows), note)


def paper(results: Runs, control: str | None = None) -> Table:
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
        cells = [problem]
        for column, (name, pair) in enumerate(zip(results.algorithms, found, strict=True), 1):
            text = " ± ".join(shown_mean(*pair)[: 1 + (pair[1] is not None)])
            mark = marks.get((problem, name)) if pair[0] is not None else None
            cells.append(f"{text} {mark}" if mark else text)
            if isinstance(pair[0], float) and math.isclose(pair[0], least, rel_tol=EQUAL):
                bold.add((len(rows), column))
        rows.append(tuple(cells))
    note = (
        "Mean and standard deviation of final costs (with several objectives, of gaps in %); the "
        "lowest means are bold. There is no mean if a run failed or found nothing feasible."
    )
    note += (
        f" {BETTER}, {WORSE}, {ALIKE}: better than {control}, worse, not significantly different. "
        f"{tests.note}"
        if tests
        else _missing(results)
    )
    columns = ("problem", *results.algorithms)
    return Table("Final costs", columns, tuple(rows), note, bold=frozenset(bold))


def ranks(results: Runs) -> Table:
    """Return average ranks of the median gaps over the problems, the best first."""
    problems, medians = results.medians()
    rows: list[tuple[Cell, ...]] = []
    note = "There is no problem on which all algorithms were run."
    if problems:
        means = average_ranks(medians).tolist()
        order = sorted(range(len(means)), key=means.__getitem__)
        rows = [(results.algorithms[index], means[index]) for index in order]
        note = f"Over {len(problems)} problems, by median gap."
        if len(results.algorithms) > 1:
            distance = critical_difference(len(results.algorithms), len(problems))
            note += f" Critical difference (Nemenyi, {SIGNIFICANT}): {distance:.3g}."
        p = friedman(medians)
        if not math.isnan(p):
            note += f" Friedman's test that all algorithms rank alike: p = {p:.3g}."
    return Table("Average ranks", ("algorithm", "rank"), tuple(rows), note + _missing(results))


def machines(results: Runs) -> Table:
    """Return hardware and versions; a row lists several values if runs differ."""
    names = dict.fromkeys(name for record in results.records for name in record.machine)
    rows = tuple((name, ", ".join(_values(results.records, name))) for name in names)
    return Table("Hardware and versions", ("what", "found"), rows)


def failures(results: Runs) -> Table:
    """Return the runs that failed, with the last line of their errors."""
    rows = tuple(
        (*record.key, record.error.strip().splitlines()[-1])
        for record in results.records
        if record.error.strip()
    )
    return Table("Failed runs", ("algorithm", "problem", "seed", "error"), rows)


def _check_known(results: Runs, control: str) -> None:
    if control not in results.algorithms:
        known = ", ".join(map(repr, results.algorithms))
        raise InvalidParameterError(f"control: {control!r} is none of {known}")


def _note(rows: Sequence[tuple[Cell, ...]], values: str, unit: str) -> str:
    """Return a note about the tests in rows, and whether they can find any difference."""
    text = (
        f"Wilcoxon's signed-rank test, two-sided, of the {values}, paired by {unit}; Holm's "
        f"correction over all {len(rows)} tests; neither is better if p > {SIGNIFICANT}."
    )
    if not rows:
        return text
    pairs = max(int(row[PAIRS] or 0) for row in rows)
    least = min(1.0, len(rows) * 2 / 2**pairs)
    text += f" With {pairs} pairs and {len(rows)} tests, the corrected p is at least {least:.3g}"
    if least <= SIGNIFICANT:
        return f"{text}."
    enough = math.ceil(math.log2(2 * len(rows) / SIGNIFICANT))
    return f"{text}, so no difference can be significant; that takes at least {enough} {unit}s."


def _missing(results: Runs) -> str:
    """Return a sentence about missing runs for the end of a note; empty if there are none."""
    if not results.missing:
        return ""
    return f" {len(results.missing)} of {results.planned} planned runs are missing or failed."


def _final_moments(results: Runs, algorithm: str, problem: str) -> tuple[Cell, Cell]:
    """Return the moments of final costs, or of gaps with several objectives; None if infinite."""
    runs, values = results.runs_of(algorithm, problem), results.gaps_of(algorithm, problem)
    if not all(map(math.isfinite, values)):
        return None, None
    if runs and runs[0].objectives == 1:
        values = [min(run.costs)[0] for run in runs]
    return _moments(values)


def _moments(values: Sequence[float]) -> tuple[Cell, Cell]:
    """Return the mean and the standard deviation of values, or None for what is undefined."""
    if not values or any(map(math.isnan, values)):
        return None, None
    if not all(map(math.isfinite, values)):
        return math.inf, None
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None


def _combinations(results: Runs) -> Iterator[tuple[str, str, list[Record]]]:
    """Yield each problem and algorithm for which there are runs, with the records of the runs."""
    for problem, algorithm in product(results.problems, results.algorithms):
        runs = results.runs_of(algorithm, problem)
        if runs:
            yield problem, algorithm, runs


def _test(names: tuple[str, str], pairs: Sequence[Sequence[float]]) -> tuple[Cell, ...]:
    """Return the cells of a test; the last cell names the algorithm with the better ranks."""
    first, second = zip(*pairs, strict=True)
    wins = sum(one < two for one, two in pairs)
    losses = sum(one > two for one, two in pairs)
    p, leaning = wilcoxon(first, second)
    return *names, len(pairs), wins, losses, p, names[leaning > 0]


def _corrected(rows: list[tuple[Cell, ...]]) -> tuple[tuple[Cell, ...], ...]:
    """Insert the corrected p; clear the last cell of each row if p is not significant."""
    adjusted = holm([float(row[-2] or 0.0) for row in rows])
    return tuple(
        (*row[:-1], p, row[-1] if p <= SIGNIFICANT else None)
        for row, p in zip(rows, adjusted, strict=True)
    )


def _values(records: Iterable[Record], name: str) -> list[str]:
    return list(dict.fromkeys(str(record.machine.get(name, "unknown")) for record in records))
