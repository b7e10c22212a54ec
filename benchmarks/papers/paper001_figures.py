"""Figures 5 and 6 of paper 001: running times by the number of cities; and gaps by kicks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.helpers import common
from benchmarks.papers.paper001 import KICKS_PER_CITY, TABLE_3, lines
from benchmarks.papers.paper001_tables import cells

if TYPE_CHECKING:
    from pathlib import Path

    Rows = dict[str, Any]


def draw(out: Path, record: dict[str, Any]) -> None:
    """Draw what has been measured."""
    rows = {name: section["rows"] for name, section in record.items() if "rows" in section}
    with common.Figure(out, "paper001", columns=3) as axes:
        if "descents" in rows:
            figure_5(axes[0], rows["descents"])
        if {"descents", "kicks"} <= set(rows):
            figure_6(axes[1], rows["descents"], rows["kicks"])
        if "chains" in rows:
            gaps(axes[2], rows["chains"])


def figure_5(plot: Any, rows: Rows) -> None:
    """Draw the times of 2-opt and 3-opt Search."""
    for number, operator in enumerate(("2-opt", "3-opt")):
        for key, style, where in (("core_ms", "--", "one core"), ("gpu_ms", "-", "GPU")):
            points = [(row["n"], row[operator][key]) for row in rows.values()]
            _line(plot, points, f"C{number}{style}", f"{operator}, {where}")
    _scales(plot, "figure 5: 2-opt and 3-opt Search")


def figure_6(plot: Any, descents: Rows, kicks: Rows) -> None:
    """Draw the times of iterated search: the descent, and the kicks in proportion."""
    for rule, colour in (("best", "C0"), ("first", "C1")):
        names = {"best": "3-opt", "first": "first_"}
        for where, amounts in (("core", (0.1,)), ("gpu", KICKS_PER_CITY)):
            for amount, style in zip(amounts, ("-", "--", ":"), strict=False):
                points = []
                for name, row in kicks.items():
                    per_kick = row.get(f"{rule}_{where}_ms")
                    key = f"{where}_ms" if rule == "best" else f"{names[rule]}{where}_ms"
                    begin = descents.get(name, {}).get("3-opt", {}).get(key)
                    if None not in (per_kick, begin):
                        points.append((row["n"], begin + amount * row["n"] * per_kick))
                colours = {"core": "k" if rule == "best" else "gray", "gpu": colour}
                label = f"{rule}, {amount:g} n, {'one core' if where == 'core' else 'GPU'}"
                _line(plot, points, style, label, color=colours[where])
    _scales(plot, "figure 6: iterated local search")


def gaps(plot: Any, rows: Rows) -> None:
    """Draw the mean gaps by kicks, over the instances that have all numbers of kicks."""
    for label, line in lines().items():
        points = [
            (float(count), np.mean([row[0] for row in own]))
            for count in map("{:g}".format, KICKS_PER_CITY)
            if (own := list(cells(rows, label, count)))
        ]
        _line(plot, points, "-o", line.title.replace("`", "").replace("\\", ""))
    paper = [(kicks, TABLE_3[f"{kicks:g}"][1]) for kicks in KICKS_PER_CITY]
    _line(plot, paper, "k:s", "paper 001")
    plot.set(title="table 3: mean gaps", xlabel="kicks per city", ylabel="gap in percent")
    plot.set(xscale="log", yscale="log")
    plot.legend(fontsize=7)


def _line(plot: Any, points: list[tuple[Any, Any]], style: str, label: str, **more: Any) -> None:
    there = [(x, y) for x, y in points if y is not None]
    if there:
        plot.plot(*zip(*there, strict=True), style, markersize=3, label=label, **more)


def _scales(plot: Any, title: str) -> None:
    plot.set(title=title, xlabel="cities", ylabel="milliseconds", xscale="log", yscale="log")
    plot.legend(fontsize=7)
