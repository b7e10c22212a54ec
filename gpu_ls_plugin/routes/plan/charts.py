"""Gantt charts of routes: travel, waiting and service of each vehicle over time."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.figures import color, image_figure, plain, require_image, saved
from gpu_ls_plugin.routes.plan.drawing import MOST_NUMBERED, TOO_MUCH, title_of
from gpu_ls_plugin.routes.problem.schedules import windows_of

if TYPE_CHECKING:
    import os

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from gpu_ls_plugin.routes.problem.cvrp import CVRP
    from gpu_ls_plugin.routes.problem.schedules import Stop

BAR, LINES = 0.4, 0.4  # heights of a bar, and of the windows below it; routes are 1 apart
TRAVEL, WAITING = "#c8c8c8", "#f3e3a0"
EDGE = 0.8  # width of the edge of a service, which may take no time
COLORS = (0, 1, 2, 4, 5, 6, 8, 9)  # of routes: without grey and red
LABEL = "time (grey: travel, yellow: waiting, red: late)"
MOST_LINES = 1500  # with more customers, the chart shows no windows


def plot_chart(
    problem: CVRP, row: Any, path: str | os.PathLike[str] | None = None, title: str = ""
) -> Figure:
    """Draw the schedule of one giant tour (n,): a bar for each route; see `plot_schedule`.

    Bars are grey while a vehicle drives, yellow while it waits and coloured while it serves. Thin
    lines below them are the windows of the customers in the order of the visits, with a dot when
    the service begins. What is late is red; the bar then goes back to the end of the window, so
    that later parts of it are not real times (see `Stop`). Times are in units of files.
    """
    plan = problem.schedule(row)
    require_image(path)
    figure = image_figure(11, 1.5 + min(0.45 * len(plan), 20))
    axes = figure.add_subplot(title=plain(title or title_of(problem, row, len(plan))))
    for place, stops in enumerate(plan):
        _draw_bar(axes, problem, place, stops)
    timed = windows_of(problem)
    if timed is not None and problem.customers <= MOST_LINES:
        end = max(stops[-1].departure for stops in plan)
        for place, stops in enumerate(plan):
            spans = [timed.windows[stop.node] for stop in stops]
            _draw_windows(axes, problem, place, stops, [(a, min(b, end)) for a, b in spans])
    axes.set(xlabel=LABEL, ylabel="route", ylim=(len(plan) - 0.2, -0.6))
    if len(plan) <= MOST_NUMBERED:
        axes.set_yticks(range(len(plan)), [str(place + 1) for place in range(len(plan))])
    axes.spines[["top", "right"]].set_visible(False)
    return saved(figure, path)


def _draw_bar(axes: Axes, problem: CVRP, place: int, stops: list[Stop]) -> None:
    """Draw travel, waiting and service of a route."""
    parts = []
    for before, stop in pairwise(stops):
        left = before.departure + min(before.slack, 0)  # a late vehicle goes back in time
        parts.append((left, stop.arrival, TRAVEL, 0.0))
        parts.append((stop.arrival, stop.begin, WAITING, 0.0))
        parts.append((stop.begin, stop.departure, _ink(place, stop), EDGE))
    parts.sort(key=lambda part: (part[3], part[2] == TOO_MUCH))  # late stops in front
    bars = [(problem.published(a), problem.published(b - a)) for a, b, *_ in parts]
    colors, widths = [part[2] for part in parts], [part[3] for part in parts]
    where = (place - BAR / 2, BAR)
    axes.broken_barh(bars, where, facecolors=colors, edgecolors=colors, linewidths=widths)


def _draw_windows(
    axes: Axes, problem: CVRP, place: int, stops: list[Stop], windows: list[tuple[Any, Any]]
) -> None:
    """Draw the window of each customer of a route, and when its service begins."""
    for number in range(1, len(stops) - 1):
        stop, height = stops[number], place + BAR / 2 + LINES * number / len(stops)
        ink = _ink(place, stop)
        ends = [problem.published(at) for at in windows[number]]
        axes.plot(ends, [height, height], color=ink, linewidth=0.6)
        axes.plot(problem.published(stop.begin), height, ".", color=ink, markersize=2)


def _ink(place: int, stop: Stop) -> str:
    """Return the colour of a stop of a route."""
    return TOO_MUCH if stop.slack < 0 else color(COLORS[place % len(COLORS)])
