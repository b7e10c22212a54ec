"""Metrics with an objective, for the kernels of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.origins import sources_of
from gpu_ls_plugin.tours.problem.metrics import Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.problem.metrics import Cities, Lengths
    from gpu_ls_plugin.tours.problem.objective import Objective
    from gpu_ls_plugin.tours.problem.tsp import TSP

COPIED = ("name", "integer", "explicit", "fast_estimate", "site_bytes", "tree_p")


class Under(Metric):
    """A metric with an objective, which computes the gains of moves."""

    def __init__(self, metric: Metric, objective: Objective) -> None:
        self.metric, self.objective = metric, objective
        vars(self).update({name: getattr(metric, name) for name in COPIED})
        vars(self)["functor"] = f"gls::Under<{metric.functor}, {objective.functor}>"
        vars(self)["header"] = objective.header

    def source(self) -> str:
        return "\n".join(sources_of(self.metric, self.objective))

    def lengths(self, values: NDArray[Any], a: Cities, b: Cities) -> Lengths:
        return self.metric.lengths(values, a, b)

    def slack(self, values: NDArray[Any]) -> float:
        return self.metric.slack(values)

    def __eq__(self, other: object) -> bool:
        both = self.metric, self.objective
        return isinstance(other, Under) and both == (other.metric, other.objective)

    def __hash__(self) -> int:
        return hash((self.metric, self.objective))


class RowsUnder(Under):
    """`Under` for rows with separate data: first the metric's, then the objective's."""

    def __init__(self, metric: Metric, objective: Objective) -> None:
        super().__init__(metric, objective)
        vars(self)["functor"] = f"gls::RowsUnder<{metric.functor}, {objective.functor}>"


def keeps(metric: Metric) -> bool:
    """Return whether the metric has an objective that keeps data of tours."""
    return isinstance(metric, Under) and metric.objective.keeps


def search_metric(problem: TSP) -> Metric:
    """Return the metric for kernels of a search, with the problem's objective if there is one."""
    if problem.objective.length_alone:
        return problem.metric
    under = Under if problem.rows is None else RowsUnder
    return under(problem.metric, problem.objective)
