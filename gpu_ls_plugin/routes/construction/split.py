"""Split: the cheapest way to cut orders of customers into routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.base import batch_size
from gpu_ls_plugin.core.rows import check_permutations, check_values
from gpu_ls_plugin.routes.construction.batch import (
    RouteBatch,
    VehiclesType,
    bytes_of_a_segment,
    construction_kernel,
)
from gpu_ls_plugin.routes.problem.cvrp import routing_problem

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.core.problem import Problem

BYTES_PER_CITY = 96  # bytes of device memory per city of a row
# Memory in bytes for the array `last` (see split.cuh) in a launch that limits the number of routes.
LAYER_BYTES = 1 << 28


def split_kernel(vehicles: VehiclesType, team: str, *, timed: bool, paid: bool) -> Kernel:
    """Compose the kernel of Split; durations are limited if `timed`, constraints soft if `paid`."""
    if timed or vehicles.resources:
        limits = f"gls::ByEverything<{{vehicles}}, gls::{'Paid' if paid else 'Kept'}>"
    else:
        limits = f"gls::{'PaidByLoad' if paid else 'ByLoad'}<{{vehicles}}>"
    body = f"gls::Split<{{team}}, {{vehicles}}, {limits}>"
    return construction_kernel("split", vehicles, "split.cuh", "SplitRows", body, team)


def split(
    problem: Problem,
    orders: ArrayLike,
    *,
    backend: str | Backend = "auto",
    device: int | None = None,
) -> Any:
    """Return giant tours with the cheapest routes that visit the customers in the given orders.

    Bellman's recursion considers all ways to cut an order into routes that a vehicle can serve
    (Beasley 1983). If constraints are soft, routes may break them and pay for it. If only loads are
    limited, the time is linear in the number of customers (Vidal 2016).

    Parameters
    ----------
    problem : CVRP
    orders : array_like of any integer type, shape (P, customers) or (customers,)
        Permutations of 1..customers, without copies of the depot; not changed.
    backend, device
        The device that makes the tours; see `get_backend`.

    Returns
    -------
    ndarray, shape (P, n), int32
        Each row has at most as many routes as the fleet has vehicles; if the fleet is unlimited,
        the limit is the number of copies of the depot. If an order cannot be cut into so few
        routes, the smallest ones are dissolved as in `savings`.

    Raises
    ------
    InvalidTourError, InvalidTypeError
        A row is not a permutation of 1..customers.
    InsufficientMemoryError, UnsupportedProblemError
        As in `savings`.
    """
    problem = routing_problem(problem)
    given = _customers(orders, problem.customers)
    chosen = get_backend(backend, device)
    per_city = BYTES_PER_CITY + bytes_of_a_segment(problem)
    count = batch_size(chosen, problem.n, len(given), per_city=per_city, name="orders")
    with chosen.current():
        routes = RouteBatch(chosen, problem, count)
        routes.orders[...] = chosen.xp.asarray(given)
        cut(routes)
        return chosen.to_numpy(routes.tours())


def _customers(orders: ArrayLike, customers: int) -> NDArray[np.int32]:
    """Return orders as int32 (P, customers); raise unless they are permutations of 1..customers."""
    words = ("orders", "customers", "customer")
    rows = check_values(orders, customers, customers + 1, parameter="orders", words=words)
    depot = np.zeros((len(rows), 1), np.int32)
    whole = check_permutations(
        np.concatenate([depot, rows], axis=1), customers + 1, parameter="orders"
    )
    return whole[:, 1:]


def cut(routes: RouteBatch, most: Any = None) -> None:
    """Cut the order of each row into routes: set `routes.begins`.

    `most`, int32 (size,), limits the number of routes of each row, and must not exceed
    `routes.most`, its default. Rows with more routes are cut again within the limit. A row that
    cannot be cut into so few routes keeps its cheapest cut.
    """
    xp = routes.backend.xp
    if most is None:
        most = xp.full(routes.size, routes.most, "int32")
    _launch(routes, most, xp.arange(routes.size, dtype="int32"), 0)
    rows = routes.too_many(most)
    per_row = 4 * routes.most * (routes.problem.customers + 1)
    step = max(1, LAYER_BYTES // per_row)
    for begin in range(0, len(rows), step):
        _launch(routes, most, rows[begin : begin + step], routes.most)


def _launch(routes: RouteBatch, most: Any, rows: Any, layers: int) -> None:
    problem, xp, count = routes.problem, routes.backend.xp, len(rows)
    shape = (count, problem.customers + 1)
    length = problem.nodes.cost_dtype
    arguments = {
        "layers": layers,
        "most": most,
        "rows": rows,
        "costs": xp.empty((2, *shape), length),
        "ahead": xp.empty(shape, length),
        "carried": xp.empty(shape, "int64"),
        "served": xp.empty(shape, routes.time_dtype),
        "paths": xp.empty((*shape, bytes_of_a_segment(problem)), "uint8"),
        "last": xp.empty((max(1, layers), *shape), "int32"),
        "queues": xp.empty(shape, "int32"),
    }
    limits = {"timed": problem.route_limit is not None, "paid": problem.penalties is not None}
    kernel = split_kernel(routes.type, routes.backend.warp(), **limits)
    routes.launch(kernel, count, arguments)
