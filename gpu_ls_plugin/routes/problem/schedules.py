"""Schedules of routes: the times and loads of all stops, also as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpu_ls_plugin.core.csv_files import save_csv
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.files import atomically
from gpu_ls_plugin.routes.problem.resources.time_windows import FAR, TimeWindows

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from gpu_ls_plugin.routes.problem.giant_tours import RoutedProblem

TIMES = ("arrival", "wait", "begin", "departure", "slack")
ENDINGS = (".csv", ".json")


class Stop(NamedTuple):
    """A stop of a route; times count from 0, in the units of the problem.

    `slack` is the largest delay of the begin that makes neither this stop nor a later one late, nor
    the route too long. If it is negative, the vehicle is late by as much. The schedule then goes
    back in time: the vehicle drives on as if the service had begun at the end of the window. Each
    late stop thus counts only the lateness that it adds, and no vehicle can keep the times behind a
    late stop.
    """

    node: int  # 0 for the depot
    name: str
    arrival: float
    wait: float  # until the window opens
    begin: float  # of the service
    departure: float
    load: int  # of the vehicle's first dimension when it leaves, from the depot on
    slack: float  # by how much the begin may be delayed; if negative, how late it is


def windows_of(problem: RoutedProblem) -> TimeWindows | None:
    """Return the time windows of a problem, or None if it has none."""
    return next((part for part in problem.resources if isinstance(part, TimeWindows)), None)


def any_windows_of(problem: RoutedProblem) -> TimeWindows:
    """Return the time windows of a problem, endless ones if it has none."""
    if (timed := windows_of(problem)) is not None:
        return timed
    endless = np.tile([0, FAR], (problem.customers + 1, 1))
    return TimeWindows(endless, durations=problem.durations)


def schedule_of(problem: Any, row: Any) -> list[list[Stop]]:
    """Return the stops of each route of one giant tour (n,); see `CVRP.schedule`."""
    timed = any_windows_of(problem)
    windows, services = timed.windows, problem.service_times
    names = problem.names or tuple(map(str, range(problem.customers + 1)))
    plan = []
    for route in problem.routes(row):
        visits = np.array([route])
        driven = timed.driven(problem, visits, timed.driven(problem, visits).delays)
        start, load = driven.starts[0], int(problem.demands[route].sum())
        last = FAR if timed.start_window is None else timed.start_window[1]
        latest = min(windows[0, 1], last) - driven.late_start[0]
        stops = [_stop(0, names, (start, 0, start, start), load, latest)]
        for node, arrival, wait in zip(
            [*route, 0], driven.arrivals[0], driven.waits[0], strict=True
        ):
            load -= int(problem.demands[node])
            begin = arrival + wait
            times = (arrival, wait, begin, begin + services[node])
            stops.append(_stop(node, names, times, load, windows[node, 1]))
        limit = FAR if timed.limit is None else timed.limit
        plan.append(_with_forward_slack(stops, max(0, limit - driven.durations[0].item())))
    return plan


def _with_forward_slack(stops: list[Stop], most: float) -> list[Stop]:
    """Limit the slack of stops so that later ones are in time, and the route at most `most` longer.

    A later start of the vehicle makes no route longer.
    """
    slacks = [_forward_slacks(stops, FAR)[0], *_forward_slacks(stops, most)[1:]]
    return [stop._replace(slack=slack) for stop, slack in zip(stops, slacks, strict=True)]


def _forward_slacks(stops: list[Stop], room: float) -> list[float]:
    """Return the slack of each stop; `room` is that of the end. Lateness stays as it is."""
    found = []
    for stop in reversed(stops):
        found.append(min(stop.slack, room))
        room = stop.wait + max(0, found[-1])
    return found[::-1]


def write_schedule(problem: Any, row: Any, path: str | os.PathLike[str]) -> None:
    """Write the schedule of one giant tour as CSV or JSON; see `CVRP.write_schedule`."""
    check_ending(path)
    stops = list(_published_stops(problem, row))
    if Path(path).suffix.lower() == ".csv":
        save_csv(path, list(stops[0]), [list(stop.values()) for stop in stops])
        return
    content = {
        "name": problem.name,
        "cost": problem.published(problem.cost(row)[0].item()),
        "feasible": bool(problem.feasible(row)[0]),
        "vehicles": problem.fleet,
        "routes": problem.routes(row),
        "stops": stops,
    }
    with atomically(Path(path)) as file:
        file.write_text(json.dumps(content), encoding="utf-8")


def check_ending(path: str | os.PathLike[str]) -> None:
    """Raise InvalidParameterError unless the name of a file ends in .csv or .json."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise InvalidParameterError(f"schedule: {Path(path).name!r} must end in .csv or .json")


def _published_stops(problem: Any, row: Any) -> Iterator[dict[str, Any]]:
    """Yield each stop with its route and its number, in units of files.

    Slack is None if neither this window nor a later one ends.
    """
    for route, stops in enumerate(problem.schedule(row), start=1):
        for number, stop in enumerate(stops):
            found = stop._asdict()
            found |= {key: problem.published(found[key]) for key in TIMES}
            if stop.slack > FAR / 2:
                found["slack"] = None
            yield {"route": route, "stop": number, **found}


def _stop(node: int, names: Sequence[str], times: tuple[Any, ...], load: int, latest: Any) -> Stop:
    """Return a stop with numbers of Python; `times` are arrival, wait, begin and departure."""
    plain = [np.asarray(number).item() for number in (*times, latest - times[2])]
    arrival, wait, begin, departure, slack = plain
    return Stop(node, names[node], arrival, wait, begin, departure, load, slack)
