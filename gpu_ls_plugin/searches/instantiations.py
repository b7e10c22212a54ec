"""The supported combinations of parts, for the compile check; any other compiles on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.backends.evaluation import tour_cost_kernel
from gpu_ls_plugin.neighbourhoods import LinKernighan, OrOpt, ThreeOpt, TwoOpt
from gpu_ls_plugin.problems.metrics import BUILT_IN_METRICS
from gpu_ls_plugin.searches import random_k, three_opt_climb
from gpu_ls_plugin.searches.best_sweep import positions_kernel, sweep_kernels
from gpu_ls_plugin.searches.composed import Moves, sites_kernel
from gpu_ls_plugin.searches.descent import descent_kernel
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

WARP, BLOCK = "gls::Warp<4>", "gls::Block<256>"
CITIES = (50, 200, 400, 700, 1000, 1200, 1500, 1800, 2000, 5000, 100_000)
TOURS = (1, 64)  # per multiprocessor
USUAL = (TwoOpt(), OrOpt(3))
MOVES = (USUAL, (TwoOpt(),), (OrOpt(3),), (ThreeOpt(),), (LinKernighan(3),), (LinKernighan(),))


def instantiations() -> list[Kernel]:
    """Return the CUDA kernels that the compile check builds: every part at least once."""
    kernels = [
        greedy.greedy_edges_kernel(WARP),
        greedy.follow_links_kernel(WARP),
        random_tours.random_tours_kernel(WARP),
        double_bridge.double_bridge_kernel(WARP),
        positions_kernel(BLOCK),
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
    yield from _descents(metric, usual)


def _descents(metric: Metric, usual: bool) -> Iterator[Kernel]:
    """The default moves in every layout; with the usual metrics other moves, too."""
    yield sites_kernel(metric, "gls::Block<1024>")
    length = "int" if metric.integer else "double"
    for moves in MOVES if usual else MOVES[:1]:
        composed = Moves.of(moves, symmetric=True, length=length)
        for n, tours, layout in (
            (1000, 16, "warp"),
            (1000, 1, "block"),
            (100_000, 1, "global"),
            (1000, 16, "thread"),
        )[: 4 if moves == USUAL else 1]:
            shape = tuning.descent_shape(n, tours, tuning.SHARED_MEMORY[90], layout)
            yield descent_kernel(metric, composed, shape.team, shape.memory)
    if metric.name == "EUC_2D":
        for moves in (USUAL, (ThreeOpt(),)):
            yield from sweep_kernels(
                metric, Moves.of(moves, symmetric=True, length=length), WARP, BLOCK
            )
    if metric.name == "EXPLICIT":
        one_way = Moves.of([OrOpt(3), ThreeOpt()], symmetric=False, length=length)
        yield descent_kernel(metric, one_way, WARP, "gls::SharedMemory<false>")
        yield descent_kernel(
            metric, Moves.of(USUAL, symmetric=True, length="gls::int64"), WARP, "gls::GlobalMemory"
        )
