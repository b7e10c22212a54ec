"""All that the author of a plugin imports: the names here are stable.

What a part derives from: `Metric`, `Objective`, `Resource`, `Candidates`, `Neighbourhood`,
`Filter`, `Perturbation`, `Acceptance`, `Recombination`, `Cooperation`, `Heuristic`. A construction
is a function, a search anything that is called like `LocalSearch` and returns a `Result`. Pivoting
rules are not among them: each is an engine. Problems of other kinds than `TSP` derive from
`Problem`, those that assign values to variables from `Assignment`; what forbids values of variables
from `Mask`; what a recombination crosses pairs by derives from `Workspace`.

What they work on: `TSP`, `CandidateLists`, `Setting`, `Backend` and `get_backend`, `Kernel` and
`parse_parameters`, `Budget`, `Progress`, `Result`, `Statistics`, and what checks rows:
`check_tours`, `check_permutations`, `check_values`.

How a plugin enters: `hookimpl`, the kinds that parts are registered by (`KINDS`), and the kernels
that ``gpu-ls compile-check`` compiles of a part (`metric_kernels`, `neighbourhood_kernels`,
`filter_kernels`).

What a plugin raises: `InvalidProblemError` for data, `UnsupportedProblemError` where a part cannot
work on a problem, `InvalidParameterError` and `InvalidTypeError` for its own parameters,
`FileFormatError` for files, `MissingExtraError` for packages that are not installed. All derive
from `GpuLsError`, as does what the library raises of a part: `FaultyPartError`.

C++ is written against the headers of the package: `include/metric.cuh`, `neighbourhoods/move.cuh`,
`objectives/objective.cuh`, `filtering/filter.cuh`, `perturbations/bridge_cuts.cuh`,
`acceptance/rules.cuh`, `heuristics/heuristic.cuh`, `heuristics/masked.cuh`,
`problems/assignment.cuh`. Parts and problems of assignment are proven by the functions of
`gpu_ls_plugin.testing`.
"""

from gpu_ls_plugin.acceptance import Acceptance
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.base import Backend
from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.budget import Budget
from gpu_ls_plugin.candidates.base import Candidates
from gpu_ls_plugin.candidates.lists import CandidateLists
from gpu_ls_plugin.cooperation.base import Cooperation
from gpu_ls_plugin.exceptions import (
    FaultyPartError,
    FileFormatError,
    GpuLsError,
    InvalidParameterError,
    InvalidProblemError,
    InvalidTypeError,
    MissingExtraError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.filtering.base import Filter, Setting
from gpu_ls_plugin.heuristics import Heuristic, Mask
from gpu_ls_plugin.hookspecs import hookimpl
from gpu_ls_plugin.neighbourhoods import Neighbourhood
from gpu_ls_plugin.objectives import Objective
from gpu_ls_plugin.perturbations import Perturbation
from gpu_ls_plugin.plugins.registry import KINDS
from gpu_ls_plugin.problems.assignment import Assignment
from gpu_ls_plugin.problems.metrics import Metric
from gpu_ls_plugin.problems.problem import Problem
from gpu_ls_plugin.problems.referee import check_permutations, check_tours, check_values
from gpu_ls_plugin.problems.tsp import TSP
from gpu_ls_plugin.recombination import Recombination, Workspace
from gpu_ls_plugin.resources import Resource
from gpu_ls_plugin.result import Progress, Result, Statistics
from gpu_ls_plugin.searches.instantiations import (
    filter_kernels,
    metric_kernels,
    neighbourhood_kernels,
)

__all__ = [
    "KINDS",
    "TSP",
    "Acceptance",
    "Assignment",
    "Backend",
    "Budget",
    "CandidateLists",
    "Candidates",
    "Cooperation",
    "FaultyPartError",
    "FileFormatError",
    "Filter",
    "GpuLsError",
    "Heuristic",
    "InvalidParameterError",
    "InvalidProblemError",
    "InvalidTypeError",
    "Kernel",
    "Mask",
    "Metric",
    "MissingExtraError",
    "Neighbourhood",
    "Objective",
    "Perturbation",
    "Problem",
    "Progress",
    "Recombination",
    "Resource",
    "Result",
    "Setting",
    "Statistics",
    "UnsupportedProblemError",
    "Workspace",
    "check_permutations",
    "check_tours",
    "check_values",
    "filter_kernels",
    "get_backend",
    "hookimpl",
    "metric_kernels",
    "neighbourhood_kernels",
    "parse_parameters",
]
