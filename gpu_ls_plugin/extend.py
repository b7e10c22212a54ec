"""All that the author of a plugin imports: the names here are stable.

What a part derives from: `Metric`, `Objective`, `Resource`, `Candidates`, `Neighbourhood`,
`Filter`, `Perturbation`, `Acceptance`, `Recombination`, `Cooperation`, `Heuristic`. A construction
is a function, a search anything that is called like `LocalSearch` and returns a `Result`. Pivoting
rules are not among them: each is an engine. Problems of other kinds than `TSP` derive from
`Problem`, those that assign values to variables from `Assignment`; what forbids values of variables
from `Mask`; what a recombination crosses pairs by derives from `Workspace`.

A kind of problem of its own is a `Domain`: what it reads is a `FileKind`, whose `Content` fits
`SURE`, `MAYBE` or `NO`; what it does, `Stage` by stage; what it writes, an `Output`. Its search
drives a `Population` at a `Pace` by `search_population`, while a `Stopwatch` runs.

What they work on: `TSP`, `CandidateLists`, `Setting`, `Backend` and `get_backend`, `Kernel`,
`parse_parameters` and `parse_struct`, `Budget`, `Progress`, `Result`, `Statistics`, and what checks
rows: `check_tours`, `check_permutations`, `check_values`.

How a plugin enters: `hookimpl`, the kinds that parts are registered by (`KINDS`), and the kernels
that ``gpu-ls compile-check`` compiles of a part (`metric_kernels`, `neighbourhood_kernels`,
`filter_kernels`).

What a plugin raises: `InvalidProblemError` for data, `UnsupportedProblemError` where a part cannot
work on a problem, `InvalidParameterError` and `InvalidTypeError` for its own parameters,
`FileFormatError` for files, `MissingExtraError` for packages that are not installed. All derive
from `GpuLsError`, as does what the library raises of a part: `FaultyPartError`.

C++ is written against the headers of the package: `tours/problem/metric.cuh`,
`tours/moves/move.cuh`, `tours/problem/objective.cuh`, `tours/filters/filter.cuh`,
`tours/kicks/bridge_cuts.cuh`, `runs/acceptance.cuh`, `assignment/heuristics/heuristic.cuh`,
`assignment/heuristics/masked.cuh`, `assignment/problem/assignment.cuh`. Parts and problems of
assignment are proven by the functions of `gpu_ls_plugin.testing`.
"""

from gpu_ls_plugin.assignment.heuristics.base import Heuristic
from gpu_ls_plugin.assignment.heuristics.masked import Mask
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.base import Backend
from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.structs import parse_struct
from gpu_ls_plugin.core.budget import Budget, Stopwatch
from gpu_ls_plugin.core.exceptions import (
    FaultyPartError,
    FileFormatError,
    GpuLsError,
    InvalidParameterError,
    InvalidProblemError,
    InvalidTypeError,
    MissingExtraError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.problem import Problem
from gpu_ls_plugin.core.registry import KINDS
from gpu_ls_plugin.core.result import Progress, Result, Statistics
from gpu_ls_plugin.core.rows import check_permutations, check_tours, check_values
from gpu_ls_plugin.plugins.hookspecs import hookimpl
from gpu_ls_plugin.plugins.instantiations import (
    filter_kernels,
    metric_kernels,
    neighbourhood_kernels,
)
from gpu_ls_plugin.routes.problem.resources.base import Resource
from gpu_ls_plugin.runs.acceptance import Acceptance
from gpu_ls_plugin.runs.domain import MAYBE, NO, SURE, Content, Domain, FileKind, Output
from gpu_ls_plugin.runs.pace import Pace
from gpu_ls_plugin.runs.plan import Stage
from gpu_ls_plugin.runs.population import Population
from gpu_ls_plugin.runs.search_population import search_population
from gpu_ls_plugin.tours.candidates.base import Candidates
from gpu_ls_plugin.tours.candidates.lists import CandidateLists
from gpu_ls_plugin.tours.cooperation.base import Cooperation
from gpu_ls_plugin.tours.crossovers.base import Recombination
from gpu_ls_plugin.tours.crossovers.workspace import Workspace
from gpu_ls_plugin.tours.filters.base import Filter, Setting
from gpu_ls_plugin.tours.kicks.base import Perturbation
from gpu_ls_plugin.tours.moves.base import Neighbourhood
from gpu_ls_plugin.tours.problem.metrics import Metric
from gpu_ls_plugin.tours.problem.objective import Objective
from gpu_ls_plugin.tours.problem.tsp import TSP

__all__ = [
    "KINDS",
    "MAYBE",
    "NO",
    "SURE",
    "TSP",
    "Acceptance",
    "Assignment",
    "Backend",
    "Budget",
    "CandidateLists",
    "Candidates",
    "Content",
    "Cooperation",
    "Domain",
    "FaultyPartError",
    "FileFormatError",
    "FileKind",
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
    "Output",
    "Pace",
    "Perturbation",
    "Population",
    "Problem",
    "Progress",
    "Recombination",
    "Resource",
    "Result",
    "Setting",
    "Stage",
    "Statistics",
    "Stopwatch",
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
    "parse_struct",
    "search_population",
]
