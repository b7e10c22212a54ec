"""The list of default calls: what users call without choosing parts, on problems of each kind.

`gpu-ls warm-up` makes these calls, and a wheel with ready-made programs contains their kernels. A
new default is added here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin import routes, tours
from gpu_ls_plugin.assignment import fewest_colours
from gpu_ls_plugin.assignment.plan.reassignment import StateReassignment
from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.defaults import problems
from gpu_ls_plugin.evolution.batches.crossing import Crossing
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.batches.starts import Starts
from gpu_ls_plugin.evolution.tour_search import TourSearch
from gpu_ls_plugin.runs.compiling import compile_search
from gpu_ls_plugin.runs.settings import Settings
from gpu_ls_plugin.solver.calls import solve
from gpu_ls_plugin.solver.many import solve_many
from gpu_ls_plugin.solver.plans import plan_of, plan_of_generations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gpu_ls_plugin.assignment import Assignment
    from gpu_ls_plugin.core.problem import Problem

SHORT = 0.2  # seconds of calls that are really made
LONGER = (3.0, 30.0)  # seconds of runs of which only the kernels are compiled
BATCH, TOURS_PER_PROCESSOR = 10, 16  # numbers of tours in a small and in a large batch
INSTANCES = (3, 64)  # so few have several chains each, and so many have one
CROSSOVERS = (
    tours.EdgeAssembly(),
    tours.PartitionRecombination(),
    tours.OrderRecombination(),
    tours.CycleRecombination(),
    tours.PartiallyMappedRecombination(),
    tours.EdgeRecombination(),
    tours.SegmentRecombination(),
)
ROUTE_CROSSOVERS = (routes.RouteEdgeAssembly(), routes.SplitRecombination())


@dataclass(frozen=True)
class DefaultCall:
    """A call: its name, and a function that makes it on the backend with a given name."""

    name: str
    run: Callable[[str], object]


def usual_calls() -> Iterator[DefaultCall]:
    """Yield the calls for the most common kinds of problems."""
    yield from _each("tours", problems.usual_tours(), _solve, _search, _evolve, _cross)
    yield from _each("routes", problems.usual_routes(), _solve, _evolve, _cross)
    yield from _each("assignment", problems.assignments(), _solve, _reassign)
    yield from _each("sequences", problems.sequences(), _solve, _evolve)
    yield from _each("many instances", dict.fromkeys(problems.USUAL_METRICS), _solve_many)


def other_calls() -> Iterator[DefaultCall]:
    """Yield the calls for all other kinds of problems."""
    yield from _each("tours", problems.other_tours(), _solve, _search, _evolve, _cross)
    yield from _each("routes", problems.other_routes(), _solve, _evolve, _cross)
    yield from _each("many instances", dict.fromkeys(problems.OTHER_METRICS), _solve_many)
    yield DefaultCall("fewest colours", _fewest_colours)
    for metric in problems.USUAL_METRICS:
        yield DefaultCall(f"sizes: tours, {metric}", partial(_each_size_of_tours, metric))
        yield DefaultCall(f"sizes: routes, {metric}", partial(_each_size_of_routes, metric))


def _each(
    kind: str, by_name: Mapping[str, Any], *calls: Callable[[Any, str], object]
) -> Iterator[DefaultCall]:
    """Yield each call on each problem; without a problem, the call gets its name."""
    for name, problem in by_name.items():
        for call in calls:
            task = call.__name__.strip("_").replace("_", " ")
            yield DefaultCall(f"{task}: {kind}, {name}", partial(call, problem or name))


def _solve(problem: Problem, backend: str) -> None:
    _compile_plans(problem, (SHORT, *LONGER), backend)
    solve(problem, SHORT, backend=backend)


def _compile_plans(problem: Problem, runs: Iterable[float], backend: str) -> None:
    """Compile the kernels of runs of some lengths, in seconds."""
    for seconds in runs:
        plan_of(problem, Settings(seconds, backend=backend)).prepare()


def _search(problem: tours.TSP, backend: str) -> None:
    if not problem.symmetric:  # the default search reverses paths
        return
    for size in (BATCH, TOURS_PER_PROCESSOR * get_backend(backend).processors):
        rows = tours.random_tours(problem, size=size, seed=1, backend=backend)
        for search in (tours.LocalSearch(), tours.IteratedLocalSearch()):
            compile_search(search, problem, rows, backend)


def _evolve(problem: Problem, backend: str) -> None:
    """Compile the kernels of operators and algorithms of frameworks."""
    search = TourSearch(problem, backend=backend)
    search.prepare(BATCH)
    Starts(None, Improver(backend=backend)).prepare(search.problem, BATCH)
    for seconds in (*LONGER, math.inf):
        plan_of_generations(problem, seconds=seconds, backend=backend).prepare()


def _cross(problem: Any, backend: str) -> None:
    if not problem.symmetric or problem.n > problems.IN_PARTS:
        return
    of_routes = isinstance(problem, routes.CVRP)
    for part in ROUTE_CROSSOVERS if of_routes else CROSSOVERS:
        Crossing(part, backend).prepare(problem.tsp if of_routes else problem, BATCH)


def _reassign(problem: Assignment, backend: str) -> None:
    StateReassignment(problem, backend=backend).prepare()


def _solve_many(metric: str, backend: str) -> None:
    for count in INSTANCES:
        sizes = np.linspace(20, 30, count).astype(int)
        solve_many([problems.planar(metric, n) for n in sizes], SHORT, backend=backend)


def _each_size_of_tours(metric: str, backend: str) -> None:
    if get_backend(backend).name == "cpu":  # one layout serves all sizes
        return
    for n in problems.SIZES:
        problem = problems.planar(metric, n)
        _compile_plans(problem, (SHORT, *LONGER), backend)
        _search(problem, backend)
        _evolve(problem, backend)


def _each_size_of_routes(metric: str, backend: str) -> None:
    if get_backend(backend).name == "cpu":
        return
    for n in problems.SIZES_OF_ROUTES:
        problem = problems.routing(metric, n)
        _compile_plans(problem, (SHORT, *LONGER), backend)
        _evolve(problem, backend)


def _fewest_colours(backend: str) -> None:
    fewest_colours(problems.colouring(), SHORT, backend=backend)
