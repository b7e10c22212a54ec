"""The costs of a search over time: points, their CSV file and their figure."""

from __future__ import annotations

import csv
import math
from dataclasses import astuple, dataclass, fields, replace
from typing import TYPE_CHECKING

from gpu_ls_plugin.core import checks, schema
from gpu_ls_plugin.core.csv_files import save_csv
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.figures import image_figure, require_image, saved

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from matplotlib.figure import Figure

# The time axis is logarithmic if the largest time exceeds the smallest by more than this factor: on
# a linear axis, the early gains would form a vertical line.
WIDE_RANGE = 30.0
# Minimum time between two points with the same best cost: in seconds, and as a share of the time so
# far. The longer of the two counts. A search that runs 2.7 times as long adds about 100 points.
LEAST_BETWEEN, SHARE_BETWEEN = 0.1, 0.01


@dataclass(frozen=True)
class Point:
    """Costs at one moment of a search, as Python numbers."""

    elapsed: float  # seconds since the start
    kicks: int  # number of kicks of all tours together
    best_cost: int | float
    mean_cost: float  # mean over the batch


HEADER = [field.name for field in fields(Point)]
REALS = dict.fromkeys(("elapsed", "best_cost", "mean_cost"), schema.real)
POINT = schema.fields(Point, kicks=schema.integer(), **REALS)


def note(history: list[Point], point: Point) -> bool:
    """Append a point if it is the first, a new best or due; return whether it is a new best."""
    if not history or point.best_cost < history[-1].best_cost:
        history.append(point)
        return True
    last = history[-1]
    if point.elapsed - last.elapsed >= max(LEAST_BETWEEN, SHARE_BETWEEN * point.elapsed):
        # Keeps the former best cost: the point may describe only a part of a split batch.
        history.append(replace(point, best_cost=last.best_cost))
    return False


def shifted(history: Sequence[Point], begin: float) -> list[Point]:
    """Return a history with `begin` seconds added to each time."""
    return [replace(point, elapsed=begin + point.elapsed) for point in history]


def merged(first: Sequence[Point], second: Sequence[Point]) -> list[Point]:
    """Return the common history of two searches that ran one after the other or side by side."""
    history: list[Point] = []
    kicks = {id(first): 0, id(second): 0}
    best: int | float = math.inf
    marked = [(point.elapsed, id(points), point) for points in (first, second) for point in points]
    for _, owner, point in sorted(marked, key=lambda marks: marks[0]):
        kicks[owner] = point.kicks
        best = min(best, point.best_cost)
        history.append(replace(point, kicks=sum(kicks.values()), best_cost=best))
    return history


def save_history(history: Sequence[Point], path: str | os.PathLike[str]) -> None:
    """Write points to a CSV file, atomically.

    The first line is ``elapsed,kicks,best_cost,mean_cost``; numbers are written in full, so that
    `load_history` returns equal ones.
    """
    save_csv(path, HEADER, map(astuple, history))


def load_history(path: str | os.PathLike[str]) -> list[Point]:
    """Return the points in a file that `save_history` wrote."""
    with schema.reading(path), open(path, newline="", encoding="utf-8") as stream:
        lines = csv.reader(stream, strict=True)
        try:
            header = next(lines, [])
            if header != HEADER:
                raise ValueError(f"the first line is not {','.join(HEADER)}")
            return [_point(line) for line in lines]
        except (ValueError, csv.Error) as error:
            raise ValueError(f"line {lines.line_num}: {error}") from error


def _point(line: list[str]) -> Point:
    if len(line) != len(HEADER):
        raise ValueError(f"{len(line)} values instead of {len(HEADER)}")
    elapsed, kicks, best, mean = line
    values = _number(elapsed), int(kicks), _number(best), _number(mean)
    point: Point = POINT("", dict(zip(HEADER, values, strict=True)))
    return replace(point, elapsed=float(point.elapsed), mean_cost=float(point.mean_cost))


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        number = float(text)
    if math.isinf(number) and "inf" not in text.lower():
        raise ValueError(f"{text:.20}... is too large")
    return number


def plot_history(
    history: Sequence[Point],
    path: str | os.PathLike[str] | None = None,
    *,
    optimum: float | None = None,
) -> Figure:
    """Draw the best and the mean cost over time, or their gaps to an `optimum`.

    The time axis is logarithmic if the times span more than a factor of 30. The extension of `path`
    determines the format of the image.
    """
    figure = image_figure(8, 5)
    if not history:
        raise InvalidParameterError("plot: there is no history; the search recorded none")
    if optimum is not None and not 0 < checks.number("optimum", optimum) < math.inf:
        raise InvalidParameterError(f"optimum: {optimum!r} is not positive and finite")
    require_image(path)
    axes = figure.add_subplot(
        xlabel="seconds", ylabel="cost" if optimum is None else "gap to the optimum in %"
    )
    seconds = [point.elapsed for point in history]
    # Between two points the best cost is constant; the mean cost is unknown.
    for name, style in (("best", "steps-post"), ("mean", "default")):
        costs = [getattr(point, f"{name}_cost") for point in history]
        if optimum is not None:
            costs = [100.0 * (cost - optimum) / optimum for cost in costs]
        axes.plot(seconds, costs, drawstyle=style, marker=".", label=name)
    positive = [time for time in seconds if time > 0]
    if positive and max(positive) > WIDE_RANGE * min(positive):
        axes.set_xscale("log", nonpositive="clip")  # lines from 0 s begin at the left edge
    axes.legend()
    return saved(figure, path)
