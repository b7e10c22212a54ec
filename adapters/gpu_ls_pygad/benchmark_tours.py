"""The travelling salesman problem of PyGAD's benchmarks as one of ours."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import gpu_ls_plugin as gls

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.problem.tsp import TSP


def tsp_of_benchmark(obj: object) -> TSP | None:
    """Return real Euclidean lengths of points in the plane, else the matrix; None of others."""
    benchmark = sys.modules.get("pygad.benchmarks.tsp")
    if benchmark is None or not isinstance(obj, benchmark.TSP):
        return None
    points = obj.coordinates
    if points is not None and points.shape[1] == 2:
        return gls.TSP(points, "EUC")
    return gls.TSP.from_matrix(obj.distance_matrix)
