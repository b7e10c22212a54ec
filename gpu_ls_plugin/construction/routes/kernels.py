"""All kernels of the constructions of routes, for the compile check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.construction.routes.batch import repair_kernel
from gpu_ls_plugin.construction.routes.cheapest_insertion import TAKING, insertion_kernel
from gpu_ls_plugin.construction.routes.savings import savings_kernel
from gpu_ls_plugin.construction.routes.split import split_kernel
from gpu_ls_plugin.construction.routes.sweep import sweep_kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.problems.metrics import Metric


def kernels(metric: Metric, team: str, time: str, *, timed: bool) -> Iterator[Kernel]:
    """Compose the kernels for durations of a C++ type, with directions where these are limited."""
    yield savings_kernel(metric, team, time, directed=timed)
    yield sweep_kernel(metric, team, time)
    yield split_kernel(metric, team, time, timed=timed)
    yield repair_kernel(metric, team, time)
    for order in TAKING:
        yield insertion_kernel(metric, team, time, order)
