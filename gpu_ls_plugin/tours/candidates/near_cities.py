"""Candidate lists in the plane, made by a C++ program on the host.

The program makes the same lists as the NumPy code in a tenth of the time. If it cannot be compiled,
or if many cities crowd into few cells, callers use NumPy instead.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import cpu, get_backend, ready_made
from gpu_ls_plugin.backends.composition import parse_parameters
from gpu_ls_plugin.backends.structs import constant, struct_of
from gpu_ls_plugin.core.budget import compiling
from gpu_ls_plugin.tours.candidates.lists import CandidateLists
from gpu_ls_plugin.tours.problem.device_data import metric_data
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel
from gpu_ls_plugin.tours.problem.metrics import (
    Att,
    Ceil2D,
    Euc2D,
    Euclidean,
    Floor2D,
    Man2D,
    Max2D,
    Planar,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.problem.tsp import TSP

# The metrics that the program supports.
SERVED = (Euc2D, Ceil2D, Floor2D, Att, Man2D, Max2D, Euclidean)
HEADER = "tours/candidates/near_cities.cuh"
MOST_LOOKED, ROWS = constant(HEADER, "kMostLooked"), constant(HEADER, "kRows")
IN_A_CELL = 2.0  # mean number of cities per cell
CROWDED = 100.0  # if a city's cell contains more cities on average, a k-d tree is faster
LESS = 1.0 - 1e-9  # factor that keeps distance bounds valid despite rounding errors


def near_cities_kernel(metric: Metric) -> Kernel:
    """Return the kernel that makes lists of near cities."""
    body = "gls::NearCities<{team}, {metric}>"
    parameters = (
        *parse_parameters("const void* metric_data, int n"),
        struct_of(HEADER, "CellGrid"),
        struct_of(HEADER, "NearChoice"),
        *parse_parameters("int* near_cities, void* lengths"),
    )
    return metric_kernel("near_cities", metric, HEADER, body, parameters, "gls::Host")


def served(problem: TSP) -> bool:
    """Return whether the program can make lists for the metric of a problem."""
    return type(problem.metric) in SERVED and compiles()


@cache
def compiles() -> bool:
    """Return whether kernels are ready-made or compile; cached, since the check runs a compiler."""
    return ready_made.serve_here() or cpu.unavailable_reason() is None


def compile_ahead(problem: TSP) -> None:
    """Compile the program for a problem in the calling thread."""
    with compiling():
        if served(problem):
            _compile(type(problem.metric))


@cache
def _compile(metric: type[Planar]) -> None:
    from gpu_ls_plugin.tours.problem.tsp import TSP

    near_lists(TSP(1e3 * np.eye(3, 2), metric()), 1)


def near_lists(
    problem: TSP,
    width: int,
    *,
    each: int = 0,
    looks: tuple[int, int, int] | None = None,
    subset: NDArray[Any] | None = None,
) -> CandidateLists | None:
    """Return lists of near cities, sorted by exact length, then by city number.

    Return None if the caller has to use NumPy instead. A list has `width` cities: `each` from every
    quadrant, then the nearest others. They are chosen from the looks[0] nearest cities; if these do
    not fill the quadrants, from the looks[1], then from the looks[2] nearest. By default, all three
    are `width`. If `subset` (m,) is given, lists contain only these cities, and row r is the list
    of city subset[r].
    """
    looks = looks or (width, width, width)
    rows = problem.n if subset is None else len(subset)
    if not served(problem) or not 0 < looks[-1] <= min(MOST_LOOKED, rows - 1):
        return None
    cities = np.arange(rows, dtype=np.int32) if subset is None else subset.astype(np.int32)
    grid = _grid(problem, cities)
    if grid is None:
        return None
    lists = CandidateLists(
        np.empty((rows, width), np.int32), np.empty((rows, width), problem.cost_dtype)
    )
    cpu = get_backend("cpu")
    arguments = {
        "metric_data": metric_data(cpu, problem),
        "n": problem.n,
        **grid,
        "each": each,
        "width": width,
        "first_look": looks[0],
        "second_look": looks[1],
        "last_look": looks[2],
        "near_cities": lists.cities,
        "lengths": lists.lengths,
    }
    cpu.launch(near_cities_kernel(problem.metric), -(-rows // ROWS), arguments)
    return lists


def _grid(problem: TSP, cities: NDArray[Any]) -> dict[str, Any] | None:
    """Return the arguments of a `CellGrid`, or None if many cities crowd into few cells."""
    assert problem.coordinates is not None and isinstance(problem.metric, Planar)
    rows, points = len(cities), problem.coordinates[cities]
    low = points.min(axis=0)
    extent = points.max(axis=0) - low
    share = IN_A_CELL / rows
    side = max(float(np.sqrt(extent.prod() * share)), float(extent.max()) * share) or 1.0
    wide, high = (int(e / side) + 1 for e in extent)
    places = np.minimum(((points - low) / side).astype(np.int32), (wide - 1, high - 1))
    cells = (places[:, 1] * wide + places[:, 0]).astype(np.int32)
    sizes = np.bincount(cells, minlength=wide * high)
    if (sizes**2).sum() > CROWDED * rows:
        return None
    reached = np.arange(max(wide, high), dtype=np.float64) * (side * LESS)
    bounds = problem.metric.rounded(problem.metric.real(reached, np.zeros_like(reached)))
    return {
        "rows": rows,
        "wide": wide,
        "high": high,
        "bounds": bounds.astype(float),
        "cities": cities,
        "cells": cells,
        "starts": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
        "members": np.argsort(cells, kind="stable").astype(np.int32),
    }
