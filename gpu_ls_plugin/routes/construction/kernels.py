"""Kernels of the constructions of routes, which ``gpu-ls compile-check`` compiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.routes.construction.batch import VehiclesType, repair_kernel, write_kernel
from gpu_ls_plugin.routes.construction.cheapest_insertion import insertion_kernel
from gpu_ls_plugin.routes.construction.savings import savings_kernel
from gpu_ls_plugin.routes.construction.split import split_kernel
from gpu_ls_plugin.routes.construction.sweep import sweep_kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.tours.problem.metrics import Metric


def kernels(main: Metric, other: Metric, team: str) -> Iterator[Kernel]:
    """Compose the kernels for an integer metric `main` and a real one `other`."""
    whole, real = VehiclesType(main), VehiclesType(other, "double")
    yield savings_kernel(whole, team, directed=False)
    yield savings_kernel(real, team, directed=True)
    yield sweep_kernel(whole, team)
    for paid in (False, True):
        yield split_kernel(whole, team, timed=False, paid=paid)
        yield split_kernel(real, team, timed=True, paid=paid)
    yield repair_kernel(real, team)
    yield write_kernel(team)
    yield insertion_kernel(whole, team, "parallel")
    yield insertion_kernel(real, team, "sequential")
    yield insertion_kernel(whole, team, "solomon")
