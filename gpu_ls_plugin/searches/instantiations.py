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
CITIES = (50, 400, 1000, 2000, 5000, 100_000)
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
    usual = metric.name in ("EUC_2D", "EUC")
    if usual:
        yield nearest_neighbour.nearest_neighbour_kernel(metric, block)
    for n in CITIES if usual else (1000, 100_000):
        for tours in TOURS if usual else TOURS[1:]:
            shared = tuning.SHARED_MEMORY[90]
            shape = tuning.climb_shape(n, tours, shared, metric.fast_estimate)
            yield block_kernel(metric, shape)
    yield from _descents(metric, usual)


LAYOUTS = (
    ("warp", 1000, 16),
    ("block", 1000, 1),
    ("global", 100_000, 1),
    ("thread", 1000, 16),
)  # with cities, and tours per multiprocessor


def _descents(metric: Metric, usual: bool) -> Iterator[Kernel]:
    """The default moves; with EUC_2D in every layout, and all other moves."""
    length, main = "int" if metric.integer else "double", metric.name == "EUC_2D"
    yield sites_kernel(metric, "gls::Block<1024>")
    for moves in MOVES if main else MOVES[:1]:
        composed = Moves.of(moves, symmetric=True, length=length)
        for layout, n, tours in LAYOUTS if main and moves == USUAL else LAYOUTS[:1]:
            shape = tuning.descent_shape(n, tours, tuning.SHARED_MEMORY[90], layout)
            yield descent_kernel(metric, composed, shape.team, shape.memory)
    if main:
        for moves in (USUAL, (ThreeOpt(),)):
            composed = Moves.of(moves, symmetric=True, length=length)
            yield from sweep_kernels(metric, composed, "gls::Block<128>", BLOCK)
        for in_shared in (True, False):
            yield random_k.evaluation_kernel(metric, 0, in_shared)
        yield random_k.replacement_kernel(metric)
    if usual:
        for bar in three_opt_climb.BARS[:: 1 if main else 3]:
            yield three_opt_climb.tiles_kernel(metric, length, *bar)
            yield three_opt_climb.moves_kernel(metric, length, *bar)
    if metric.name == "EXPLICIT":
        one_way = Moves.of([OrOpt(3), ThreeOpt()], symmetric=False, length=length)
        yield descent_kernel(metric, one_way, WARP, "gls::SharedMemory<false>")
        wide = Moves.of(USUAL, symmetric=True, length="gls::int64")
        yield descent_kernel(metric, wide, WARP, "gls::GlobalMemory")
