"""The stable names that authors of plugins import.

Base classes of parts: `Metric`, `Objective`, `Resource`, `Candidates`, `Neighbourhood`, `Filter`,
`Perturbation`, `Acceptance`, `Recombination`, `Cooperation`, `Heuristic`. A construction is a
function; a search is anything that is called like `LocalSearch` and returns a `Result`. Pivoting
rules have no base class, since each is an engine. Problems other than `TSP` derive from `Problem`;
those that assign values to variables derive from `Assignment`, and constraints on these values from
`Mask`. A `SequenceObjective` makes a `Sequence`, whose rows are permutations. A recombination
crosses pairs of rows in a `Workspace`.

A new kind of problem is a `Domain`. It reads a `FileKind`, which judges the `Content` of a file as
`SURE`, `MAYBE` or `NO`. It plans a run `Stage` by stage, and writes an `Output`. Its search
advances a `Population` by `search_population` while a `Stopwatch` runs, with a `Pace` for its
launches. `in_background`, launches raise `NotBuiltError` instead of waiting for their kernels.
For `solve_many`, which returns a `ManyResult`, a domain may answer a `ManyRequest` with a
`ManyFound`, and report `ManyProgress`.

Parts also use `TSP`, `CandidateLists`, `Setting`, `Backend`, `get_backend`, `Kernel`,
`parse_parameters`, `parse_struct`, `Budget`, `Progress`, `Result` and `Statistics`.
`check_tours`, `check_permutations` and `check_values` check rows.

A plugin marks its hooks with `hookimpl`, and registers each part under one of the `KINDS`. For
``gpu-ls compile-check``, it lists kernels with `metric_kernels`, `neighbourhood_kernels`,
`filter_kernels`, `resource_kernels` and `sequence_kernels`.

A plugin raises `InvalidProblemError` for unusable data, `UnsupportedProblemError` if a part cannot
work on a problem, `InvalidParameterError` and `InvalidTypeError` for wrong parameters,
`FileFormatError` for damaged files, and `MissingExtraError` for packages that are not installed.
All derive from `GpuLsError`, as does `FaultyPartError`, which the library raises if a part breaks
its contract.

C++ parts can include these headers: `tours/problem/metric.cuh`, `tours/moves/move.cuh`,
`tours/problem/objective.cuh`, `tours/filters/filter.cuh`, `tours/kicks/bridge_cuts.cuh`,
`routes/problem/resources/resource.cuh`, `runs/acceptance.cuh`,
`assignment/heuristics/heuristic.cuh`, `assignment/heuristics/masked.cuh`,
`assignment/problem/assignment.cuh`, `sequences/problem/objective.cuh`,
`sequences/problem/machines.cuh`. The functions of `gpu_ls_plugin.testing` check parts and
assignment problems.
"""

from gpu_ls_plugin.assignment.heuristics.base import Heuristic as Heuristic
from gpu_ls_plugin.assignment.heuristics.masked import Mask as Mask
from gpu_ls_plugin.assignment.problem.assignment import Assignment as Assignment
from gpu_ls_plugin.backends import get_backend as get_backend
from gpu_ls_plugin.backends.base import Backend as Backend
from gpu_ls_plugin.backends.builds import NotBuiltError as NotBuiltError
from gpu_ls_plugin.backends.builds import in_background as in_background
from gpu_ls_plugin.backends.composition import Kernel as Kernel
from gpu_ls_plugin.backends.composition import parse_parameters as parse_parameters
from gpu_ls_plugin.backends.structs import parse_struct as parse_struct
from gpu_ls_plugin.core.budget import Budget as Budget
from gpu_ls_plugin.core.budget import Stopwatch as Stopwatch
from gpu_ls_plugin.core.exceptions import FaultyPartError as FaultyPartError
from gpu_ls_plugin.core.exceptions import FileFormatError as FileFormatError
from gpu_ls_plugin.core.exceptions import GpuLsError as GpuLsError
from gpu_ls_plugin.core.exceptions import InvalidParameterError as InvalidParameterError
from gpu_ls_plugin.core.exceptions import InvalidProblemError as InvalidProblemError
from gpu_ls_plugin.core.exceptions import InvalidTypeError as InvalidTypeError
from gpu_ls_plugin.core.exceptions import MissingExtraError as MissingExtraError
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError as UnsupportedProblemError
from gpu_ls_plugin.core.many_result import ManyResult as ManyResult
from gpu_ls_plugin.core.problem import Problem as Problem
from gpu_ls_plugin.core.registry import KINDS as KINDS
from gpu_ls_plugin.core.result import Progress as Progress
from gpu_ls_plugin.core.result import Result as Result
from gpu_ls_plugin.core.result import Statistics as Statistics
from gpu_ls_plugin.core.rows import check_permutations as check_permutations
from gpu_ls_plugin.core.rows import check_tours as check_tours
from gpu_ls_plugin.core.rows import check_values as check_values
from gpu_ls_plugin.plugins.hookspecs import hookimpl as hookimpl
from gpu_ls_plugin.plugins.instantiations import filter_kernels as filter_kernels
from gpu_ls_plugin.plugins.instantiations import metric_kernels as metric_kernels
from gpu_ls_plugin.plugins.instantiations import neighbourhood_kernels as neighbourhood_kernels
from gpu_ls_plugin.plugins.instantiations import resource_kernels as resource_kernels
from gpu_ls_plugin.plugins.sequence_instantiations import sequence_kernels as sequence_kernels
from gpu_ls_plugin.routes.problem.resources.base import Resource as Resource
from gpu_ls_plugin.runs.acceptance import Acceptance as Acceptance
from gpu_ls_plugin.runs.domain import MAYBE as MAYBE
from gpu_ls_plugin.runs.domain import NO as NO
from gpu_ls_plugin.runs.domain import SURE as SURE
from gpu_ls_plugin.runs.domain import Content as Content
from gpu_ls_plugin.runs.domain import Domain as Domain
from gpu_ls_plugin.runs.domain import FileKind as FileKind
from gpu_ls_plugin.runs.domain import Output as Output
from gpu_ls_plugin.runs.many import ManyFound as ManyFound
from gpu_ls_plugin.runs.many import ManyProgress as ManyProgress
from gpu_ls_plugin.runs.many import ManyRequest as ManyRequest
from gpu_ls_plugin.runs.pace import Pace as Pace
from gpu_ls_plugin.runs.plan import Stage as Stage
from gpu_ls_plugin.runs.population import Population as Population
from gpu_ls_plugin.runs.search_population import search_population as search_population
from gpu_ls_plugin.sequences.problem.objective import SequenceObjective as SequenceObjective
from gpu_ls_plugin.sequences.problem.sequence import Sequence as Sequence
from gpu_ls_plugin.tours.candidates.base import Candidates as Candidates
from gpu_ls_plugin.tours.candidates.lists import CandidateLists as CandidateLists
from gpu_ls_plugin.tours.cooperation.base import Cooperation as Cooperation
from gpu_ls_plugin.tours.crossovers.base import Recombination as Recombination
from gpu_ls_plugin.tours.crossovers.workspace import Workspace as Workspace
from gpu_ls_plugin.tours.filters.base import Filter as Filter
from gpu_ls_plugin.tours.filters.base import Setting as Setting
from gpu_ls_plugin.tours.kicks.base import Perturbation as Perturbation
from gpu_ls_plugin.tours.moves.base import Neighbourhood as Neighbourhood
from gpu_ls_plugin.tours.problem.metrics import Metric as Metric
from gpu_ls_plugin.tours.problem.objective import Objective as Objective
from gpu_ls_plugin.tours.problem.tsp import TSP as TSP

__all__ = sorted(name for name in globals() if not name.startswith("_"))
