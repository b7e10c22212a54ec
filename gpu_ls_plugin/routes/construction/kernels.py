"""Kernels of the constructions of routes, which ``gpu-ls compile-check`` compiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.routes.construction.batch import repair_kernel, write_kernel
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
    yield savings_kernel(main, team, "gls::int64", directed=False)
    yield savings_kernel(other, team, "double", directed=True)
    yield sweep_kernel(main, team, "gls::int64")
    for paid in (False, True):
        yield split_kernel(main, team, "gls::int64", timed=False, paid=paid)
        yield split_kernel(other, team, "double", timed=True, paid=paid)
    yield repair_kernel(other, team, "double")
    yield write_kernel(team)
    yield insertion_kernel(main, team, "gls::int64", "parallel")
    yield insertion_kernel(other, team, "double", "sequential")
