"""The tables of paper 001 beside ours, as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.papers.paper001 import (
    GROUPS,
    KICKS_PER_CITY,
    LONGEST,
    OF_INSTANCES,
    OPTIMA,
    RUNS,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    lines,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Rows = dict[str, Any]

NO_VALUE = "-"


def markdown(record: dict[str, Any]) -> str:
    """Return all tables of the sections that have been measured."""
    tables: dict[str, Callable[[Rows], str]] = {
        "passes": passes,
        "descents": descents,
        "kicks": kicks,
        "chains": chains,
    }
    texts = [make(record[name]["rows"]) for name, make in tables.items() if name in record]
    return "\n\n".join(texts)


def passes(rows: Rows) -> str:
    """Return tables 1 and 2."""
    head = ("cities", "instances", "core", "paper", "GPU", "paper", "speedup", "paper", "16 cores")
    body = []
    for name, sizes in GROUPS.items():
        own = [row for row in rows.values() if row["n"] in sizes]
        core, gpu, paper = TABLE_1[name]
        body.append([name, *_pass(own, core, gpu), _three(paper), _mean_ms(own, "cores_ms")])
    for name in LONGEST:
        own = [rows[name]] if name in rows else []
        core, gpu, speedup = TABLE_2[name]
        body.append([name, *_pass(own, core, gpu), f"{speedup:.3g}", _mean_ms(own, "cores_ms")])
    return _table(head, body)


def _pass(rows: Sequence[dict[str, Any]], core: float, gpu: float) -> list[str]:
    """Return the number of instances, our times beside the paper's, and our speedups."""
    times = [_mean_ms(rows, "core_ms"), _ms(core), _mean_ms(rows, "evaluation_ms"), _ms(gpu)]
    return [str(len(rows)), *times, _speedups(rows, "core_ms", "evaluation_ms")]


def descents(rows: Rows) -> str:
    """Return the first two rows of table 3, and what first improvement takes."""
    head = ("search", "deviation", "paper", "speedup", "paper", "seconds, GPU", "core", "`First`")
    body = []
    for operator in ("2-opt", "3-opt"):
        own = [row[operator] for row in rows.values()]
        cpu, gpu, paper = TABLE_3[operator]
        deviation = np.mean([row["gap"] for row in own])
        sums = [_sum_s(own, key) for key in ("gpu_ms", "core_ms", "first_core_ms")]
        gaps = f"{deviation:.2f} %", f"{gpu} % (CPU {cpu} %)"
        speedups = _speedups(own, "core_ms", "gpu_ms"), _three(paper)
        body.append([f"{operator} Search", *gaps, *speedups, *sums])
    same = [row[operator]["same"] for row in rows.values() for operator in ("2-opt", "3-opt")]
    compared = [found for found in same if found is not None]
    note = f"{sum(compared)} of {len(compared)} whole searches on one core end with the GPU's tour."
    return _table(head, body) + f"\n\n{len(rows)} instances. {note}"


def kicks(rows: Rows) -> str:
    """Return what a kick takes, by group."""
    head = ("cities", "`Best`: GPU", "core", "speedup", "`First`: GPU", "ten chains", "core")
    body = []
    for name, sizes in GROUPS.items():
        own = [row for row in rows.values() if row["n"] in sizes]
        cells = [_mean_ms(own, "best_gpu_ms"), _mean_ms(own, "best_core_ms")]
        cells.append(_speedups(own, "best_core_ms", "best_gpu_ms"))
        cells += [
            _mean_ms(own, key) for key in ("first_gpu_ms", "first_gpu_ten_ms", "first_core_ms")
        ]
        body.append([name, *cells])
    return _table(head, body)


def chains(rows: Rows) -> str:
    """Return deviations and optima of the iterated searches."""
    head = ("search", "kicks", "instances", "mean", "best of ten", "paper", "optima: one chain")
    body = []
    for label, line in lines().items():
        for count in map("{:g}".format, KICKS_PER_CITY):
            own = list(cells(rows, label, count))
            if own:
                mean, best, optimal = (np.array([row[i] for row in own]) for i in range(3))
                gaps = f"{mean.mean():.3f} %", f"{best.mean():.3f} %", f"{TABLE_3[count][1]:.2f} %"
                found = f"{optimal.sum() / RUNS:.1f}", str((optimal > 0).sum())
                body.append([line.title, f"{count} n", str(len(own)), *gaps, *found])
    paper = f"The paper's 10 n kicks found {OPTIMA} of {OF_INSTANCES} optima."
    return _table((*head, "any of ten"), body) + "\n\n" + paper


def cells(rows: Rows, label: str, count: str) -> Iterator[list[float]]:
    """Yield mean gap, best gap and number of chains with the optimum of each instance."""
    for name, row in rows.items():
        if name.split()[0] == label and count in row:
            yield row[count]


def _table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    every = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(row) + " |" for row in every)


def _values(rows: Iterable[dict[str, Any]], key: str) -> list[float]:
    return [row[key] for row in rows if row.get(key) is not None]


def _mean_ms(rows: Iterable[dict[str, Any]], key: str) -> str:
    values = _values(rows, key)
    return _ms(float(np.mean(values))) if values else NO_VALUE


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:.3g} ms"


def _sum_s(rows: Iterable[dict[str, Any]], key: str) -> str:
    values = _values(rows, key)
    return f"{sum(values) / 1e3:.3g}" if values else NO_VALUE


def _speedups(rows: Sequence[dict[str, Any]], slow: str, fast: str) -> str:
    both = [row for row in rows if row.get(slow) is not None and row.get(fast) is not None]
    ratios = [row[slow] / row[fast] for row in both]
    if not ratios:
        return NO_VALUE
    if len(ratios) == 1:
        return f"{ratios[0]:.3g}"
    return _three((min(ratios), float(np.mean(ratios)), max(ratios)))


def _three(speedups: tuple[float, float, float]) -> str:
    return " / ".join(f"{one:.3g}" for one in speedups)
