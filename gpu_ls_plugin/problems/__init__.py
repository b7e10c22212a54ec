"""Problems: instance data, validated once and immutable, in NumPy only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.lazy_names import lazy_names

if TYPE_CHECKING:
    from gpu_ls_plugin.problems.assignment import Assignment
    from gpu_ls_plugin.problems.cvrp import CVRP
    from gpu_ls_plugin.problems.generalised_assignment import GeneralisedAssignment
    from gpu_ls_plugin.problems.graph_colouring import GraphColouring
    from gpu_ls_plugin.problems.multi_objective import MultiObjectiveTSP
    from gpu_ls_plugin.problems.open_path import OpenPath
    from gpu_ls_plugin.problems.problem import Problem
    from gpu_ls_plugin.problems.quadratic_assignment import QuadraticAssignment
    from gpu_ls_plugin.problems.tsp import TSP

__all__ = [
    "CVRP",
    "TSP",
    "Assignment",
    "GeneralisedAssignment",
    "GraphColouring",
    "MultiObjectiveTSP",
    "OpenPath",
    "Problem",
    "QuadraticAssignment",
]

_HOMES = {
    "CVRP": "cvrp",
    "TSP": "tsp",
    "Assignment": "assignment",
    "GeneralisedAssignment": "generalised_assignment",
    "GraphColouring": "graph_colouring",
    "MultiObjectiveTSP": "multi_objective",
    "OpenPath": "open_path",
    "Problem": "problem",
    "QuadraticAssignment": "quadratic_assignment",
}

if not TYPE_CHECKING:  # so that type checkers still report names that do not exist
    __getattr__, __dir__ = lazy_names(__name__, _HOMES)
