"""Composes kernels that take a metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.backends.composition import Kernel, Parameter, parse_parameters
from gpu_ls_plugin.core.origins import sources_of

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.problem.metrics import Metric

METRIC = "tours/problem/metric.cuh"  # included first, so functors of all parts may use it


def metric_kernel(
    name: str,
    metric: Metric,
    header: str,
    body: str,
    parameters: str | tuple[Parameter, ...],
    team: str,
) -> Kernel:
    """Return a kernel with a metric as its only part.

    In `body`, ``{metric}`` and ``{team}`` stand for the metric's functor and the team. `parameters`
    may be a string with a C parameter list.
    """
    if isinstance(parameters, str):
        parameters = parse_parameters(parameters)
    return Kernel(
        name=name,
        header=header,
        body=body.format(metric=metric.functor, team=team),
        parameters=parameters,
        team=team,
        functors=sources_of(metric),
        headers=(METRIC, metric.header),
        parts=(metric.name, name),
    )
