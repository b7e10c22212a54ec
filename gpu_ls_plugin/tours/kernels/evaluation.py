"""Costs of tours, computed from scratch on a backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.tours.problem import referee
from gpu_ls_plugin.tours.problem.device_data import batch_data, metric_data
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric
from gpu_ls_plugin.tours.problem.tsp import TSP
from gpu_ls_plugin.tours.problem.weighted import WeightedTSP

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.problem.metrics import Metric

Costed = tuple[Any, Any]  # tours and their costs
MOST_KEPT = 1 << 28  # maximum size in bytes of an objective's data for the tours of a launch
# Bounds on the relative rounding error of real lengths. ROUNDING: of costs that chains update with
# the gains of moves. FROM_SCRATCH: of sums that are computed from scratch in the same order.
ROUNDING, FROM_SCRATCH = 1e-12, 1e-14


def tour_cost_kernel(metric: Metric, team: str) -> Kernel:
    """Compose the kernel that adds up the lengths of a tour's edges."""
    body = "gls::TourCost<{team}, {metric}>"
    parameters = "const void* metric_data, int n, const int* tours, void* costs"
    return metric_kernel("tour_cost", metric, "tours/kernels/tour_cost.cuh", body, parameters, team)


def add_up(
    backend: Backend,
    metric: Metric,
    data: dict[str, Any],
    tours: Any,
    costs: Any,
    team: str | None = None,
) -> None:
    """Write the costs of tours under a metric, which may include an objective, into `costs`.

    `team` adds up a tour, by default a warp. The result does not depend on it.
    """
    kernel = tour_cost_kernel(metric, team or backend.warp())
    arguments = {**data, "n": tours.shape[1], "tours": tours, "costs": costs}
    backend.launch(kernel, len(tours), arguments)


def lengths_of(backend: Backend, problem: TSP, tours: Any) -> Any:
    """Return the lengths (P,) of checked int32 tours (P, n), without the costs of an objective."""
    lengths = backend.xp.zeros(len(tours), problem.cost_dtype)
    if problem.n > 1 and len(tours) > 0:  # a single city has no edges
        data = {"metric_data": metric_data(backend, problem)}
        team = _team(backend, problem, len(tours))
        add_up(backend, problem.metric, data, tours, lengths, team)
    return lengths


def _team(backend: Backend, problem: TSP, rows: int) -> str | None:
    """Return the team that adds up the length of a row; None for the usual one."""
    if rows >= tuning.MANY_ROWS and problem.n <= tuning.FEW_CITIES:
        return tuning.ONE_THREAD[backend.name]
    if problem.integer and problem.n >= tuning.MANY_CITIES:
        return backend.block(1024)
    return None


def exact_costs(backend: Backend, problem: Problem, tours: Any) -> Any:
    """Return the costs of checked int32 tours (P, n), equal to `problem.cost` to the last bit.

    Kernels on the backend of the tours compute the costs if they are proven to agree with the
    referee. Otherwise the host computes the costs.
    """
    cost = type(problem).cost
    if isinstance(problem, WeightedTSP) and cost is WeightedTSP.cost:
        costs = problem.weighed([exact_costs(backend, part, tours) for part in problem.parts])
        return _with_objective(backend, problem, tours, costs)
    if isinstance(problem, TSP) and cost is TSP.cost:
        return added_up_costs(backend, problem, tours)
    return problem.costs_on(backend, tours)


def added_up_costs(backend: Backend, problem: TSP, tours: Any) -> Any:
    """Return costs equal to `TSP.cost` to the last bit, even if a subclass overrides `cost`."""
    if foreign(problem.metric):  # its kernel might add up lengths in a different way
        return backend.xp.asarray(referee.tour_costs(problem, backend.to_numpy(tours)))
    if problem.integer and problem.objective.proven:
        return tour_costs(backend, problem, tours)
    return _with_objective(backend, problem, tours, lengths_of(backend, problem, tours))


def _with_objective(backend: Backend, problem: TSP, tours: Any, costs: Any) -> Any:
    """Return `costs` plus the costs of the objective, which the host computes."""
    objective = problem.objective
    if objective.length_alone:
        return costs
    return costs + backend.xp.asarray(objective.costs(problem, backend.to_numpy(tours)))


def nothing_paid(costs: Any, lengths: Any, rounding: float = ROUNDING) -> Any:
    """Return which tours cost exactly their length and so violate no constraint, bool (P,).

    If lengths are real, differences up to the share `rounding` of a length count as rounding
    errors. If the price of a violation may be low, this share must be small, such as
    `FROM_SCRATCH`.
    """
    apart = abs(costs - lengths)
    return apart <= rounding * lengths if lengths.dtype.kind == "f" else apart == 0


def better(backend: Backend, problem: TSP, one: Costed, other: Costed) -> Any:
    """Return for each row whether `one` beats `other`, first by feasibility, then by cost."""
    cheaper, objective = one[1] < other[1], problem.objective
    if objective.length_alone:
        return cheaper
    now, before = (
        backend.xp.asarray(objective.feasible(problem, backend.to_numpy(tours)))
        for tours, _ in (one, other)
    )
    return backend.xp.where(now == before, cheaper, now)


def tour_costs(backend: Backend, problem: TSP, tours: Any) -> Any:
    """Return the costs (P,) of checked int32 tours (P, n), on the backend of the tours.

    Searches compare tours by these costs. Integer costs, and lengths without an objective, are
    equal to those of the referee. Other costs may differ from them by rounding, since kernels add
    in a different order, so results of searches contain `exact_costs`.
    """
    problem.require_rows(len(tours))
    objective = problem.objective
    if problem.n == 1 or not (objective.keeps and objective.proven):
        lengths = lengths_of(backend, problem, tours)
        return lengths if problem.n == 1 else _with_objective(backend, problem, tours, lengths)
    return kernel_costs(backend, problem, tours)


def kernel_costs(backend: Backend, problem: TSP, tours: Any, free: Any = None) -> Any:
    """Return the costs (P,) of tours by a kernel, with an objective that keeps data of tours.

    The words of the objective's data at the indices `free` count as 0, such as prices.
    """
    costs = backend.xp.zeros(len(tours), problem.cost_dtype)
    at_once = max(1, MOST_KEPT // problem.objective.kept_bytes(problem))
    for begin in range(0, len(tours), at_once):
        rows = slice(begin, begin + at_once)
        data = batch_data(backend, problem, len(tours[rows]))
        if free is not None:
            data["metric_data"][backend.xp.asarray(free)] = 0
        add_up(backend, search_metric(problem), data, tours[rows], costs[rows])
    return costs
