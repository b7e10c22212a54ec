"""The adapter as a plugin, which converts problems of PyGAD."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import MissingExtraError
from gpu_ls_plugin.plugins.hookspecs import hookimpl

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.evolution.recognition import Measuring

if importlib.util.find_spec("pygad") is None:
    raise MissingExtraError('pygad is not installed: pip install "gpu-ls-plugin[pygad]"')


@hookimpl
def gpu_ls_problem_from(obj: object) -> Problem | None:
    """Return the problem of a `TourFitness` or of PyGAD's benchmark TSP; None for other objects."""
    fitness = sys.modules.get("gpu_ls_pygad.fitness")
    if fitness is not None and isinstance(obj, fitness.TourFitness):
        found: Problem = obj.problem
        if type(obj) is fitness.TourFitness:
            return found
        _compared(obj, obj.problem, fitness.TourCosts(found).costs)
        return found
    if "pygad.benchmarks.tsp" not in sys.modules:
        return None
    from gpu_ls_pygad.benchmark_tours import tsp_of_benchmark

    tsp = tsp_of_benchmark(obj)
    return None if tsp is None else _compared(obj, tsp)


def _compared(fitness: Any, problem: Measuring, costs: Any = None) -> Measuring:
    """Return the problem if the fitness of tours is minus their cost; raise otherwise.

    `costs` returns the expected costs of tours, by default those of the problem.
    """
    from gpu_ls_plugin.evolution.recognition import require_costs_alone

    def cost(fitness: Any, tour: Any) -> Any:
        return -np.asarray(fitness(None, tour, 0))

    return require_costs_alone(fitness, problem, cost, costs)
