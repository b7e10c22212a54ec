"""Figures of the sequence benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.helpers import common
from benchmarks.sequences import quality, throughput

if TYPE_CHECKING:
    from pathlib import Path


def draw(name: str, out: Path, record: dict[str, Any]) -> None:
    """Draw each section that has been measured."""
    if rows := _rows(record, "throughput"):
        with common.Figure(out, f"{name}_throughput") as (axes,):
            _throughput(axes, rows)
    if found := quality.groups(record.get("quality", {}).get("rows", {})):
        with common.Figure(out, f"{name}_quality", columns=len(found)) as plots:
            for axes, (group, rows) in zip(plots, found.items(), strict=True):
                _quality(axes, group, rows)
    if rows := [row for row in _rows(record, "pymoo") if row["seed"] == 1]:
        problems = list(dict.fromkeys((row["problem"], row["backend"]) for row in rows))
        with common.Figure(out, f"{name}_pymoo", columns=len(problems)) as plots:
            for axes, problem in zip(plots, problems, strict=True):
                _pymoo(axes, problem, [r for r in rows if (r["problem"], r["backend"]) == problem])


def _rows(record: dict[str, Any], section: str) -> list[dict[str, Any]]:
    return list(record.get(section, {}).get("rows", {}).values())


def _throughput(axes: Any, rows: list[dict[str, Any]]) -> None:
    names = [name for name in throughput.VERSIONS if name in rows[0]]
    for index, name in enumerate(names):
        places = np.arange(len(rows)) + (index - (len(names) - 1) / 2) * 0.8 / len(names)
        axes.bar(places, [row[name] for row in rows], 0.8 / len(names), label=name)
    axes.set_xticks(np.arange(len(rows)), [row["size"] for row in rows])
    axes.set(yscale="log", ylabel="best insertions a second", xlabel="jobs x machines")
    axes.legend()


def _quality(axes: Any, group: tuple[str, str, float], rows: list[dict[str, Any]]) -> None:
    set_, backend, seconds = group
    sizes = list(dict.fromkeys(row["size"] for row in rows))
    for name in dict.fromkeys(name for row in rows for name in row["gap"]):
        groups = {size: [row for row in rows if row["size"] == size] for size in sizes}
        known = [size for size in sizes if name in quality.means(groups[size])]
        means = [quality.means(groups[size])[name] for size in known]
        axes.plot(known, means, "o-", label=name)
    if (bar := quality.BARS[set_].get(int(seconds))) is not None:
        axes.axhline(bar, color="grey", linestyle=":", label="bar of the mean")
    axes.tick_params(axis="x", rotation=90)
    axes.set(ylabel="gap in %", title=f"{set_}, {backend}, {seconds:g} s")
    axes.legend()


def _pymoo(axes: Any, problem: tuple[str, str], rows: list[dict[str, Any]]) -> None:
    for row in rows:
        if not (history := row.get("history")):
            continue
        times, costs = zip(*history, strict=True)
        end = max(row["seconds"], times[-1])
        axes.step([*times, end], [*costs, costs[-1]], where="post", label=row["algorithm"])
    axes.set(title=", ".join(problem), xlabel="seconds", ylabel="makespan", xscale="log")
    axes.legend()
