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
from gpu_ls_plugin.experiments.gaps import CostGap
from gpu_ls_plugin.experiments.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gpu_ls_plugin.experiments.records import Record
    from gpu_ls_plugin.experiments.runs import Runs
    from gpu_ls_plugin.experiments.tables import Cell

SIGNIFICANT = 0.05
QUARTILES = {"best": 0.0, "Q1": 0.25, "median": 0.5, "Q3": 0.75}
MOMENTS = ("mean cost", "std cost", "mean gap %", "std gap %")
PAIRS = -5  # the column of pairs before the correction
TESTED = ("first", "second", "pairs", "first better", "second better", "p", "p (Holm)", "better")


def quartiles(results: Runs) -> Table:
    """Return the quartiles of the final gaps of each algorithm on each problem."""
    rows: list[tuple[Cell, ...]] = []
    for problem, algorithm, runs in results.combinations():
        gaps = results.gaps_of(algorithm, problem)
        found = (quantile(gaps, share) for share in (*QUARTILES.values(), 1.0))
        failed = sum(bool(record.error) for record in runs)
        rows.append((problem, algorithm, len(runs), failed, *found))
    columns = ("problem", "algorithm", "runs", "failed", *QUARTILES, "worst")
    compared = "; ".join(f"{problem}: {gap}" for problem, gap in results.measures.items())
    note = (
        f"Gaps to {compared}. The gap of a run that failed or found nothing feasible is infinite."
    )
    note += f" {_found_here(results)}".rstrip()
    return Table("Final gaps in %", columns, tuple(rows), note + missing_note(results))


def means(results: Runs) -> Table:
    """Return means and standard deviations of the final gaps and of the best costs."""
    rows: list[tuple[Cell, ...]] = []
    for problem, algorithm, runs in results.combinations():
        costs = [min(run.costs)[0] for run in runs if run.costs and run.objectives == 1]
        failed = sum(bool(record.error) for record in runs)
        gaps = moments(results.gaps_of(algorithm, problem))
        rows.append((problem, algorithm, len(runs), failed, *moments(costs), *gaps))
    columns = ("problem", "algorithm", "runs", "failed", *MOMENTS)
    note = (
        "The standard deviation is that of a sample, with runs - 1 as divisor. Runs that failed or "
        "found no feasible solution have infinite gaps and no costs."
    )
    deviations = (MOMENTS[:2], MOMENTS[2:])
    note += missing_note(results)
    return Table("Means and standard deviations", columns, tuple(rows), note, deviations)


def times_to_target(results: Runs, targets: Sequence[float]) -> Table:
    """Return how many runs reached each gap, and the quartiles of the times."""
    rows: list[tuple[Cell, ...]] = []
    for target in targets:
        for problem, algorithm, runs in results.combinations():
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
    return Table("Time to target", columns, tuple(rows), note + missing_note(results))


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
    note = f"{_note(rows, 'final gaps', 'seed')}{missing_note(results)}"
    return Table("Comparison on each problem", ("problem", *TESTED), _corrected(rows), note)


def tests_by_problem(results: Runs) -> Table:
    """Return tests of each pair of algorithms over the problems' median gaps."""
    problems, medians = results.medians()
    rows: list[tuple[Cell, ...]] = []
    if problems:
        for one, two in combinations(range(len(results.algorithms)), 2):
            names = results.algorithms[one], results.algorithms[two]
            rows.append(_test(names, medians[:, [one, two]].tolist()))
    note = f"{_note(rows, 'median gaps', 'problem')}{missing_note(results)}"
    return Table("Comparison over all problems", TESTED, _corrected(rows), note)


def instances(results: Runs) -> Table:
    """Return the problems with their sizes, and the references of their gaps."""
    sizes = {name: ", ".join(results.described("problem", name)) for name in results.problems}
    rows = tuple((name, size or None, f"{results.measures[name]}") for name, size in sizes.items())
    columns = ("problem", "kind and size", "gaps are to")
    return Table("Problems", columns, rows, _found_here(results))


def _found_here(results: Runs) -> str:
    """Return a warning about references that the runs found themselves; empty if there are none."""
    if not any(isinstance(gap, CostGap) and gap.found_here for gap in results.measures.values()):
        return ""
    return (
        "Where gaps are to the best cost of all runs, the algorithm that found it has the gap 0, "
        "and the distance to the optimum is unknown; a problem's `optimum` is another reference."
    )


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
            if p <= SIGNIFICANT and max(means) - min(means) < distance:
                note += (
                    " So the algorithms differ, but Nemenyi's test, which is weaker, cannot tell "
                    "which: all ranks are closer than the critical difference."
                )
    return Table("Average ranks", ("algorithm", "rank"), tuple(rows), note + missing_note(results))


def machines(results: Runs) -> Table:
    """Return hardware and versions; a row lists several values if runs differ."""
    names = dict.fromkeys(name for record in results.records for name in record.machine)
    rows = tuple((name, ", ".join(machine_values(results.records, name))) for name in names)
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
    text = f"{method(len(rows), values, unit)}; neither is better if p > {SIGNIFICANT}."
    if not rows:
        return text
    pairs = max(int(row[PAIRS] or 0) for row in rows)
    return f"{text} {too_few(len(rows), pairs, unit) or f'{_bound(len(rows), pairs)}.'}"


def method(tests: int, values: str, unit: str) -> str:
    """Return what is tested, and how, as a clause."""
    return (
        f"Wilcoxon's signed-rank test, two-sided, of the {values}, paired by {unit}; Holm's "
        f"correction for {counted(tests, 'test')}"
    )


def _bound(tests: int, pairs: int) -> str:
    least = f"the corrected p is at least {_least(tests, pairs):.3g}"
    return f"With {counted(pairs, 'pair')} and {counted(tests, 'test')}, {least}"


def _least(tests: int, pairs: int) -> float:
    """Return the lowest p that a test can have after the correction, for a number of pairs."""
    return min(1.0, tests * 2.0 ** (1 - pairs))


def too_few(tests: int, pairs: int, unit: str) -> str:
    """Return how many pairs the tests need, if they have too few to be significant."""
    if _least(tests, pairs) <= SIGNIFICANT:
        return ""
    enough = math.ceil(math.log2(2 * tests / SIGNIFICANT))
    return (
        f"{_bound(tests, pairs)}, so no difference can be significant; that takes at least "
        f"{counted(enough, unit)}."
    )


def counted(count: int, unit: str) -> str:
    """Return a number with its unit, such as "1 pair" or "2 pairs"."""
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"


def missing_note(results: Runs) -> str:
    """Return a sentence about missing runs for the end of a note; empty if there are none."""
    if not results.missing:
        return ""
    return f" {len(results.missing)} of {results.planned} planned runs are missing or failed."


def moments(values: Sequence[float]) -> tuple[Cell, Cell]:
    """Return the mean and the standard deviation of values, or None for what is undefined."""
    if not values or any(map(math.isnan, values)):
        return None, None
    if not all(map(math.isfinite, values)):
        return math.inf, None
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None


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


def machine_values(records: Iterable[Record], name: str) -> list[str]:
    """Return the different values of a fact about the machines of runs."""
    return list(dict.fromkeys(str(record.machine.get(name, "unknown")) for record in records))
