"""The supported combinations of parts, for the compile check; any other compiles on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.evaluation import tour_cost_kernel
from gpu_ls_plugin.problems.metrics import BUILT_IN_METRICS
from gpu_ls_plugin.searches.two_opt_climb import block_kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.problems.metrics import Metric

# The functions of these modules share their names, so the package's attributes are no modules.
greedy = import_module("gpu_ls_plugin.construction.greedy")
nearest_neighbour = import_module("gpu_ls_plugin.construction.nearest_neighbour")
random_tours = import_module("gpu_ls_plugin.construction.random_tours")
double_bridge = import_module("gpu_ls_plugin.perturbations.double_bridge")

WARP = "gls::Warp<4>"
CITIES = (50, 200, 400, 700, 1000, 1200, 1500, 1800, 2000, 5000, 100_000)
TOURS = (1, 64)  # per multiprocessor


def instantiations() -> list[Kernel]:
    """Return the CUDA kernels that the compile check builds: every part at least once."""
    kernels = [
        greedy.greedy_edges_kernel(WARP),
        greedy.follow_links_kernel(WARP),
        random_tours.random_tours_kernel(WARP),
        double_bridge.double_bridge_kernel(WARP),
    ]
    for metric in (make() for make in BUILT_IN_METRICS.values()):
        kernels += metric_kernels(metric)
    return list(dict.fromkeys(kernels))


def metric_kernels(metric: Metric) -> Iterator[Kernel]:
    """Compose everything that a metric takes part in; plugins list their own metrics with it."""
    block = f"gls::Block<{nearest_neighbour.BLOCK_THREADS}>"
    yield tour_cost_kernel(metric, WARP)
    yield nearest_neighbour.nearest_neighbour_kernel(metric, WARP)
    yield nearest_neighbour.nearest_neighbour_kernel(metric, block)
    usual = metric.name in ("EUC_2D", "EUC")
    for n in CITIES if usual else (50, 1000, 100_000):
        for tours in TOURS:
            shared = tuning.SHARED_MEMORY[90]
            shape = tuning.climb_shape(n, tours, shared, metric.fast_estimate)
            yield block_kernel(metric, shape)
