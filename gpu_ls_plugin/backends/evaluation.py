"""Costs of tours from scratch, on a backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends.composition import Kernel, metric_kernel

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.problems.metrics import Metric
    from gpu_ls_plugin.problems.tsp import TSP


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
    arguments = {
        "metric_data": backend.metric_data(problem),
        "n": problem.n,
        "tours": tours,
        "costs": costs,
    }
    backend.launch(tour_cost_kernel(problem.metric, backend.warp()), len(tours), arguments)
    if not problem.objective.length_alone:  # which the host computes
        rows = backend.to_numpy(tours)
        costs += backend.xp.asarray(problem.objective.costs(problem, rows))
    return costs
