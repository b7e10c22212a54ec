"""What the adapter tells the plugin manager: how problems of PyGAD become ours."""

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
    """Answer for a `TourFitness` and for the TSP of PyGAD's benchmarks."""
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
    """Return the problem, if the fitness of its tours is their cost below zero.

    `costs` says what tours should cost, the problem's `cost` by default.
    """
    from gpu_ls_plugin.evolution.recognition import require_costs_alone

    def cost(fitness: Any, tour: Any) -> Any:
        return -np.asarray(fitness(None, tour, 0))

    return require_costs_alone(fitness, problem, cost, costs)
