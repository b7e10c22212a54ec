"""Costs of tours from scratch, on a backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

Costed = tuple[Any, Any]  # tours, and what they cost
MOST_KEPT = 1 << 28  # bytes of what an objective keeps of tours whose costs are added up together
# Shares of a length by which real ones differ less: if chains add up their changes, and if both
# are added up from scratch in the same order.
ROUNDING, FROM_SCRATCH = 1e-12, 1e-14


def tour_cost_kernel(metric: Metric, team: str) -> Kernel:
    """Compose the kernel that adds up a tour's lengths."""
    return metric_kernel(
        "tour_cost",
        metric,
        header="tours/kernels/tour_cost.cuh",
        body="gls::TourCost<{team}, {metric}>",
        parameters="const void* metric_data, int n, const int* tours, void* costs",
        team=team,
    )


def add_up(backend: Backend, metric: Metric, data: dict[str, Any], tours: Any, costs: Any) -> None:
    """Write what tours cost by a metric, and by an objective perhaps, whose `data` are given."""
    kernel = tour_cost_kernel(metric, backend.warp())
    arguments = {**data, "n": tours.shape[1], "tours": tours, "costs": costs}
    backend.launch(kernel, len(tours), arguments)


def lengths_of(backend: Backend, problem: TSP, tours: Any) -> Any:
    """Return the lengths of checked int32 tours (P, n), shape (P,), whatever else they pay for."""
    lengths = backend.xp.zeros(len(tours), problem.cost_dtype)
    if problem.n > 1:  # one city alone has no edges
        data = {"metric_data": metric_data(backend, problem)}
        add_up(backend, problem.metric, data, tours, lengths)
    return lengths


def exact_costs(backend: Backend, problem: Problem, tours: Any) -> Any:
    """Return what `problem.cost` says of checked int32 tours (P, n), to the last bit.

    Tours stay on their backend, and kernels add up lengths, if these are proven to be the
    referee's; whatever else tours cost is computed on the host.
    """
    cost = type(problem).cost
    if isinstance(problem, WeightedTSP) and cost is WeightedTSP.cost:
        costs = problem.weighed([exact_costs(backend, part, tours) for part in problem.parts])
        return _with_objective(backend, problem, tours, costs)
    if isinstance(problem, TSP) and cost is TSP.cost:
        return added_up_costs(backend, problem, tours)
    return problem.costs_on(backend, tours)


def added_up_costs(backend: Backend, problem: TSP, tours: Any) -> Any:
    """Return what `TSP.cost` itself says of tours, which a subclass may override; as above."""
    if foreign(problem.metric):  # is not believed to add up lengths alike
        return backend.xp.asarray(referee.tour_costs(problem, backend.to_numpy(tours)))
    if problem.integer and problem.objective.proven:
        return tour_costs(backend, problem, tours)
    return _with_objective(backend, problem, tours, lengths_of(backend, problem, tours))


def _with_objective(backend: Backend, problem: TSP, tours: Any, costs: Any) -> Any:
    """Return the costs of tours with what the host adds to them."""
    objective = problem.objective
    if objective.length_alone:
        return costs
    return costs + backend.xp.asarray(objective.costs(problem, backend.to_numpy(tours)))


def nothing_paid(costs: Any, lengths: Any, rounding: float = ROUNDING) -> Any:
    """Return which tours cost their lengths alone, that is, violate nothing, shape (P,).

    `rounding` is the share of a real length that is no payment. A low price of a small violation is
    little more than `FROM_SCRATCH`.
    """
    apart = abs(costs - lengths)
    return apart <= rounding * lengths if lengths.dtype.kind == "f" else apart == 0


def better(backend: Backend, problem: TSP, one: Costed, other: Costed) -> Any:
    """Return which tours may be a result where the other may not, or else are cheaper, (P,)."""
    cheaper, objective = one[1] < other[1], problem.objective
    if objective.length_alone:
        return cheaper
    now, before = (
        backend.xp.asarray(objective.feasible(problem, backend.to_numpy(tours)))
        for tours, _ in (one, other)
    )
    return backend.xp.where(now == before, cheaper, now)


def tour_costs(backend: Backend, problem: TSP, tours: Any) -> Any:
    """Return the costs of checked int32 tours (P, n), shape (P,), on the backend they are on.

    By these, searches compare tours. They are the referee's if they are integers, or lengths
    alone; what tours pay in addition, kernels add up in another order. `exact_costs` are for
    results.
    """
    problem.require_rows(len(tours))
    costs = backend.xp.zeros(len(tours), problem.cost_dtype)
    if problem.n == 1:  # a tour without edges
        return costs
    objective = problem.objective
    pays = objective.keeps and objective.proven  # by what is kept of a tour
    metric = search_metric(problem) if pays else problem.metric
    at_once = max(1, MOST_KEPT // objective.kept_bytes(problem)) if pays else max(1, len(tours))
    for begin in range(0, len(tours), at_once):
        rows = slice(begin, begin + at_once)
        data = (
            batch_data(backend, problem, len(tours[rows]))
            if pays
            else {"metric_data": metric_data(backend, problem)}
        )
        add_up(backend, metric, data, tours[rows], costs[rows])
    if not (objective.length_alone or pays):  # which the host computes
        costs += backend.xp.asarray(objective.costs(problem, backend.to_numpy(tours)))
    return costs
