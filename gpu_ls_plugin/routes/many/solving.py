"""The answers of the domain of routes to `solve_many` and `improve`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.budget import NO_LIMIT, Stopwatch
from gpu_ls_plugin.core.exceptions import (
    InvalidProblemError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.routes.many.actions import improve_actions
from gpu_ls_plugin.routes.many.batches import why_alone
from gpu_ls_plugin.routes.many.side_by_side import solve_side_by_side
from gpu_ls_plugin.runs.many import ManyFound, ManyProgress, joint_reason, solve_in_lanes
from gpu_ls_plugin.runs.tensors import ImprovedRows

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.runs.many import ManyRequest
    from gpu_ls_plugin.runs.tensors import RowLimits, Tensors

# Fewer problems are solved by their own plans, some at a time. So are, on a CPU, problems that have
# at least so many seconds of a core each.
LEAST_TOGETHER = {"cpu": 2, "cuda": 16}
SECONDS_ALONE = 1.0


def solve_many(domain: Any, request: ManyRequest) -> ManyFound:
    """Solve many routing problems: plain ones side by side, others by their own plans."""
    problems = request.problems
    together = np.array([why_alone(problem) is None for problem in problems])
    if not together.any() or not _side_by_side(request, int(together.sum())):
        return solve_in_lanes(domain, request)
    if together.all():
        return _solved(request)
    watch = Stopwatch(request.settings.budget(request.settings.seconds))
    plain, others = np.flatnonzero(together), np.flatnonzero(~together)
    first = _solved(_part(request, plain, watch.left * len(plain) / len(problems)))
    second = solve_in_lanes(domain, _part(request, others, watch.left))
    return _joined(len(problems), [(plain, first), (others, second)])


def _side_by_side(request: ManyRequest, count: int) -> bool:
    """Return whether `count` plain problems are worth a search side by side."""
    backend, settings = request.backend, request.settings
    own_plan = settings.search is not None or settings.start is not None
    if count < LEAST_TOGETHER[backend.name] or own_plan:
        return False
    if backend.name == "cpu" and settings.kicks is None:
        return settings.seconds * backend.processors < SECONDS_ALONE * count
    return True


def _part(request: ManyRequest, places: Any, seconds: float) -> ManyRequest:
    """Return a request for some of the problems."""
    starts = request.starts
    return replace(
        request,
        problems=[request.problems[place] for place in places],
        indices=request.indices[places],
        starts=None if starts is None else [starts[place] for place in places],
        settings=replace(request.settings, seconds=seconds),
    )


def _solved(request: ManyRequest) -> ManyFound:
    """Solve plain problems side by side."""
    settings, problems = request.settings, list(request.problems)
    watch = Stopwatch(settings.budget(settings.seconds))
    starts = [request.start_of(k) for k in range(len(problems))]
    usable = [
        None if rows is None or not problem.feasible(rows[:1])[0] else rows[0]
        for problem, rows in zip(problems, starts, strict=True)
    ]

    def report(costs: Any, statistics: Statistics) -> None:
        finite = costs[np.isfinite(costs)]
        statistics.seconds = watch.elapsed
        request.report(statistics, ManyProgress(finite.sum().item(), len(finite), 0))

    replicas = request.replicas
    if request.backend.name == "cpu" and settings.kicks is not None:
        replicas = replicas or 1  # the same on any number of cores
    rows, costs, statistics = solve_side_by_side(
        problems,
        watch,
        settings.seed or 0,
        request.backend,
        starts=usable if all(row is not None for row in usable) else None,
        replicas=replicas,
        kicks=settings.kicks,
        memory_limit=request.memory_limit,
        report=report,
    )
    for k, start in enumerate(usable):
        if start is not None and (own := problems[k].cost(start[None])[0].item()) < costs[k]:
            rows[k], costs[k] = start, own
    statistics.seconds = watch.elapsed
    real = any(not problem.integer for problem in problems)
    exact = np.array(costs, np.float64 if real else np.int64)
    return ManyFound(rows, exact, np.ones(len(rows), np.bool_), statistics)


def _joined(count: int, parts: list[tuple[Any, ManyFound]]) -> ManyFound:
    """Return solutions of disjoint parts as those of all `count` problems."""
    rows: list[Any] = [None] * count
    integer = all(found.costs.dtype.kind == "i" for _, found in parts)
    costs = np.zeros(count, np.int64 if integer else np.float64)
    feasible, statistics = np.ones(count, np.bool_), Statistics(backend="")
    for places, found in parts:
        for place, row in zip(places.tolist(), found.rows, strict=True):
            rows[place] = row
        costs[places], feasible[places] = found.costs, found.feasible
        statistics.backend = found.statistics.backend
        statistics.add(found.statistics)
    statistics.seconds = sum(found.statistics.seconds for _, found in parts)
    statistics.stopped_by = joint_reason([found.statistics.stopped_by for _, found in parts])
    return ManyFound(rows, costs, feasible, statistics)


def improve_routes(
    backend: Backend, tensors: Tensors, search: Any, limits: RowLimits
) -> ImprovedRows:
    """Improve action sequences of many instances; see `Domain.improver`."""
    if search is not None:
        raise UnsupportedProblemError(
            "search: routes in tensors are always searched by moves on linked lists and string "
            "removals; leave the parameter out"
        )
    xp, rows = backend.xp, tensors.rows
    for name, array in (("demands", tensors.demands), ("capacity", tensors.capacity)):
        if array.dtype.kind not in "iu":
            raise InvalidTypeError(
                f"{name}: {array.dtype} is not an integer type; convert whole numbers by "
                "astype(int), and multiply fractions by a number that makes them whole"
            )
    customers = tensors.demands.shape[1] - 1
    if customers < 1 or rows.shape[1] < customers:
        raise InvalidProblemError(
            f"rows: {rows.shape[1]} columns have no room for {customers} customers"
        )
    narrow = rows
    if rows.dtype != "int32":  # other numbers must not wrap around to customers
        narrow = xp.clip(rows, -1, customers + 1).astype("int32")
    found = improve_actions(
        backend,
        None if tensors.coordinates is None else tensors.coordinates.astype("float64", copy=False),
        xp.ascontiguousarray(tensors.demands, dtype="int64"),
        xp.ascontiguousarray(tensors.capacity, dtype="int64"),
        narrow,
        replicas=len(rows) // len(tensors.demands),
        moves=limits.moves,
        kicks=NO_LIMIT if limits.kicks is None and limits.seconds is not None else limits.kicks,
        seconds=limits.seconds,
        seed=limits.seed,
        distances=(
            None if tensors.distances is None else tensors.distances.astype("float64", copy=False)
        ),
    )
    better = found.rows
    if rows.dtype != "int32":
        better = xp.where(found.valid[:, None], better.astype(rows.dtype), rows)
    return ImprovedRows(better, found.costs, found.valid)
