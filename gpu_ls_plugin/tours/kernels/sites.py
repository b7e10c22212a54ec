"""Sites: the data of cities from which kernels compute lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import tuning
from gpu_ls_plugin.tours.kernels import tour_layouts
from gpu_ls_plugin.tours.problem.device_data import search_data
from gpu_ls_plugin.tours.problem.metric_kernel import metric_kernel
from gpu_ls_plugin.tours.problem.metric_with_objective import search_metric

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.tours.problem.metrics import Metric
    from gpu_ls_plugin.tours.problem.tsp import TSP

MOST_EDGES = 8  # usual maximum number of edges that a move removes
NARROW = 2.0**27  # largest length for which the sums of a move fit into 32 bits
ROUNDED_BY_SHIFT = 2.0**22  # largest estimate that is rounded in a few instructions
ROOTS = 2.0**21  # largest float32 root whose error is below 1/2
GRID_METRICS = ("EUC_2D", "CEIL_2D", "FLOOR_2D")
GRID_BACKENDS = ("cuda",)  # on a CPU, vectors of float32 estimates are twice as fast
GRID_BYTES = {"fine": 4, "wide": 8}  # bytes per city
GRIDS = {"fine": "false", "wide": "true"}  # template argument `wide` of gls::OnGrid
TABLES = {"shorts": "gls::uint16", "integers": "int", "reals": "double"}  # types of entries
TABLE_BYTES = {"shorts": 2, "integers": 4, "reals": 8}  # bytes per entry
LARGEST_TABLE = 5 << 20  # bytes; larger tables exceed the cache, so computing lengths is faster
WIDTH_OF_GRID = 2**15  # largest extent of a fine grid
DTYPES = {"int": "int32", "gls::int64": "int64", "float": "float32", "double": "float64"}


def length_type(metric: Metric, longest: float) -> str:
    """Return the C++ type in which the lengths of a move are added up."""
    if not metric.integer:
        return "double"
    return "int" if longest < NARROW else "gls::int64"


def metric_type(metric: Metric, grid: str) -> str:
    """Return the C++ type of a metric, or of its variant on a grid or in a table."""
    if grid in TABLES:
        return f"gls::Tabled<{metric.functor}, {TABLES[grid]}>"
    return f"gls::OnGrid<{metric.functor}, {GRIDS[grid]}>" if grid else metric.functor


def grid_of(problem: TSP) -> str:
    """Return "fine" or "wide" if lengths follow from integer coordinates; otherwise ""."""
    points = problem.coordinates
    if problem.metric.name not in GRID_METRICS or points is None:
        return ""
    if not (points == np.floor(points)).all() or problem.metric.longest(problem.values) > ROOTS:
        return ""
    fine = np.ptp(points, axis=0).max() < WIDTH_OF_GRID and problem.n <= tuning.LARGEST_SHORT
    return "fine" if fine else "wide"


def table_of(problem: TSP, longest: float) -> str:
    """Return the key in `TABLES` for a table of all lengths; "" if a table does not pay."""
    if problem.metric.explicit or problem.rows is not None:
        return ""
    integer = problem.metric.integer
    kind = "reals" if not integer else "shorts" if longest < 2**16 else "integers"
    return kind if problem.n**2 * TABLE_BYTES[kind] <= LARGEST_TABLE else ""


def sites_kernel(metric: Metric, team: str, grid: str = "") -> Kernel:
    """Compose the kernel that makes the sites of all cities."""
    body = f"gls::MakeSites<{{team}}, {metric_type(metric, grid)}>"
    parameters = "const void* metric_data, int n, float left, float low, void* sites"
    header = "tours/kernels/make_sites.cuh"
    return metric_kernel("make_sites", metric, header, body, parameters, team)


class Sites:
    """The sites of a problem on a backend, as `arguments` of kernels.

    `length` and `dtype` are the C++ type and the dtype of sums of lengths. `grid` is "fine" or
    "wide" if kernels compute lengths from integer coordinates, a key of `TABLES` if kernels read
    lengths from a table, and "" otherwise.
    """

    @classmethod
    def of(cls, backend: Backend, problem: TSP, *, table: bool = False) -> Sites:
        """Return the sites of a problem (cached); `table` allows a table of lengths."""
        what = ("sites", table)
        made: Sites = backend.made_once(problem, what, lambda: cls(backend, problem, table=table))
        return made

    def __init__(self, backend: Backend, problem: TSP, *, table: bool = False) -> None:
        metric, n = search_metric(problem), problem.n
        objective = problem.objective
        longest = problem.metric.longest(problem.values)
        absolute, relative = _estimate_error(problem, longest)
        self.length = length_type(metric, longest + objective.most(problem) / MOST_EDGES)
        self.dtype = DTYPES[self.length]
        on_grid = objective.length_alone or objective.keeps
        self.grid = grid_of(problem) if backend.name in GRID_BACKENDS and on_grid else ""
        site_bytes = tour_layouts.SITE_BYTES
        if table and backend.name == "cpu" and objective.keeps:
            self.grid = table_of(problem, longest)
            site_bytes = n * TABLE_BYTES[self.grid] if self.grid else site_bytes
        self.arguments: dict[str, Any] = {
            "metric_data": search_data(backend, problem),
            "n": n,
            "sites": backend.xp.empty((n, site_bytes), "uint8"),
            "error_absolute": absolute,
            "error_relative": relative,
        }
        left = low = 0.0
        if self.grid == "fine":
            # Float32 coordinates are relative to this corner, so that none is negative.
            points = problem.coordinates
            assert points is not None
            left, low = points.min(axis=0) - points[0]
        kernel = sites_kernel(metric, backend.block(1024), self.grid)
        backend.launch(kernel, 1, {**self.arguments, "left": left, "low": low})


def _estimate_error(problem: TSP, longest: float) -> tuple[float, float]:
    """Return (absolute, relative) bounds on the error of the float32 estimates of lengths."""
    metric, values = problem.metric, problem.values
    if metric.integer:
        absolute, relative = metric.estimate_error(values)
        return (absolute if longest < ROUNDED_BY_SHIFT else 1.0), relative
    return float32_above(metric.slack(values)), 0.0


def float32_above(bound: float) -> float:
    """Return a bound that stays valid when a kernel reads it as a float32."""
    return float(np.nextafter(np.float32(bound), np.float32(np.inf)))
