"""Messages about routes that break windows or loads, with the names of customers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.routes.problem import giant_tours
from gpu_ls_plugin.routes.problem.resources.load import Load
from gpu_ls_plugin.routes.problem.resources.time_windows import TimeWindows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.routes.problem.resources.base import Resource


def with_names(text: str, names: Sequence[str] | None) -> str:
    """Return a message with the names of its customers and nodes, if there are names."""

    def named(found: re.Match[str]) -> str:
        number = int(found[2])
        name = names[number] if names is not None and number < len(names) else ""
        return f"{found[0]} ({name})" if name not in ("", found[2]) else found[0]

    return re.sub(r"\b(customer|node) (\d+)\b", named, text)


def late_text(warps: NDArray[Any], places: Sequence[str]) -> str:
    """Return how late a route is in all, and first; "" if it is in time.

    `warps` are the lateness at the start and at each stop, the last one the depot.
    """
    late = np.flatnonzero(warps > 0)
    if not late.size:
        return ""
    first = ("at its start", *places)[late[0]]
    if late.size == 1:
        return f"{warps[late[0]]:.10g} late {first}"
    return f"{warps.sum():.10g} late in all, first by {warps[late[0]]:.10g} {first}"


def complaints_about(problem: Any, part: Resource, routes: list[list[int]]) -> list[str]:
    """Return a line for each excess of a route over time windows or over another load."""
    if isinstance(part, Load):
        return list(_overloaded(problem, part, routes))
    if type(part) is TimeWindows:
        return list(_late(problem, part, routes))
    return []  # only the plugin knows which route breaks its limit


def _overloaded(problem: Any, load: Load, routes: list[list[int]]) -> Iterator[str]:
    demands, most = load.limited(problem)
    for number, route in enumerate(routes, start=1):
        found = int(demands[route].sum())
        if found > most:
            yield f"route {number}: {load.name} is {found}, {found - most} more than {most}"


def _late(problem: Any, timed: TimeWindows, routes: list[list[int]]) -> Iterator[str]:
    """Yield the lateness of each route with its first late stop, and durations that are too long.

    A stop counts only the lateness that it adds.
    """
    for number, route in enumerate(routes, start=1):
        driven = timed.driven(problem, np.array([route]))
        real = problem.service_times.dtype.kind == "f"
        least = giant_tours.TOLERANCE * max(1.0, float(driven.arrivals.max())) if real else 0
        warps = np.r_[driven.late_start, driven.warps[0]]
        places = [*(f"at customer {node}" for node in route), "back at the depot"]
        if text := late_text(problem.published(np.where(warps > least, warps, 0)), places):
            yield f"route {number}: {with_names(text, problem.names)}"
        took = driven.durations[0] - warps.sum()
        if timed.limit is not None and took - timed.limit > least:
            numbers = map(problem.published, (took, took - timed.limit, timed.limit))
            texts = [f"{shown:.10g}" for shown in numbers]
            yield f"route {number}: duration {texts[0]}, {texts[1]} more than {texts[2]}"
