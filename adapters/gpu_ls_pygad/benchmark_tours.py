"""Conversion of the travelling salesman problem of PyGAD's benchmarks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import gpu_ls_plugin as gls

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.problem.tsp import TSP


def tsp_of_benchmark(obj: object) -> TSP | None:
    """Return the TSP of a benchmark, or None for another object.

    The TSP has real Euclidean lengths if the benchmark has points in the plane; otherwise it has
    the benchmark's matrix.
    """
    benchmark = sys.modules.get("pygad.benchmarks.tsp")
    if benchmark is None or not isinstance(obj, benchmark.TSP):
        return None
    points = obj.coordinates
    if points is not None and points.shape[1] == 2:
        return gls.TSP(points, "EUC")
    return gls.TSP.from_matrix(obj.distance_matrix)
