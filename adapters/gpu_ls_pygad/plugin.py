"""What the adapter tells the plugin manager: how problems of PyGAD become ours."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import MissingExtraError
from gpu_ls_plugin.plugins.hookspecs import hookimpl

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.problem.tsp import TSP

if importlib.util.find_spec("pygad") is None:
    raise MissingExtraError('pygad is not installed: pip install "gpu-ls-plugin[pygad]"')


@hookimpl
def gpu_ls_problem_from(obj: object) -> TSP | None:
    """Answer for a `TourFitness` and for the TSP of PyGAD's benchmarks."""
    fitness = sys.modules.get("gpu_ls_pygad.fitness")
    if fitness is not None and isinstance(obj, fitness.TourFitness):
        found: TSP = obj.problem
        if type(obj) is fitness.TourFitness:
            return found
        return _compared(obj, found, fitness.TourCosts(found).costs)
    benchmark = sys.modules.get("pygad.benchmarks.tsp")
    if benchmark is not None and isinstance(obj, benchmark.TSP):
        return _of_benchmark(obj)
    return None


def _of_benchmark(benchmark: Any) -> TSP:
    """Return real Euclidean lengths of points in the plane, else the matrix.

    Raises
    ------
    UnsupportedProblemError
        It is of a subclass that evaluates something else.
    """
    from gpu_ls_plugin.tours.problem.tsp import TSP

    points = benchmark.coordinates
    if points is not None and points.shape[1] == 2:
        return _compared(benchmark, TSP(points, "EUC"))
    return _compared(benchmark, TSP.from_matrix(benchmark.distance_matrix))


def _compared(fitness: Any, problem: TSP, costs: Any = None) -> TSP:
    """Return the problem, if the fitness of its tours is their cost below zero.

    `costs` says what tours should cost, the problem's `cost` by default.
    """
    from gpu_ls_plugin.evolution.bound.recognition import require_costs_alone

    def cost(fitness: Any, tour: Any) -> Any:
        return -np.asarray(fitness(None, tour, 0))

    return require_costs_alone(fitness, problem, cost, costs)
