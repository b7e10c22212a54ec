"""Costs of tours from scratch, on a backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.composition import Kernel, metric_kernel
from gpu_ls_plugin.objectives.under import searched

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.problems.metrics import Metric
    from gpu_ls_plugin.problems.tsp import TSP


MOST_KEPT = 1 << 28  # bytes of what an objective keeps of tours whose costs are added up together


def tour_cost_kernel(metric: Metric, team: str) -> Kernel:
    """Compose the kernel that adds up a tour's lengths."""
    return metric_kernel(
        "tour_cost",
        metric,
        header="tours/tour_cost.cuh",
        body="gls::TourCost<{team}, {metric}>",
        parameters="const void* metric_data, int n, const int* tours, void* costs",
        team=team,
    )


def tour_costs(backend: Backend, problem: TSP, tours: Any) -> Any:
    """Return the costs of checked int32 tours (P, n), shape (P,), on the backend they are on.

    Integer costs are the referee's; float64 sums may differ from it in the last digits, because
    they are added up in another order, which is the same on all backends.
    """
    problem.require_rows(len(tours))
    costs = backend.xp.zeros(len(tours), problem.cost_dtype)
    if problem.n == 1:  # a tour without edges
        return costs
    objective = problem.objective
    kept = objective.kept_bytes(problem) if objective.proven else 0
    kernel = tour_cost_kernel(searched(problem) if kept else problem.metric, backend.warp())
    at_once = max(1, MOST_KEPT // kept) if kept else max(1, len(tours))
    for begin in range(0, len(tours), at_once):
        rows = slice(begin, begin + at_once)
        data = {"metric_data": backend.metric_data(problem)}
        if kept:
            data = backend.batch_data(problem, len(tours[rows]))
        arguments = {**data, "n": problem.n, "tours": tours[rows], "costs": costs[rows]}
        backend.launch(kernel, len(tours[rows]), arguments)
    if not (objective.length_alone or kept):  # which the host computes
        rows = backend.to_numpy(tours)
        costs += backend.xp.asarray(problem.objective.costs(problem, rows))
    return costs
