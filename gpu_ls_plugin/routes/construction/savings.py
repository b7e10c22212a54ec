"""The savings construction (Clarke and Wright 1964), for batches of giant tours."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.base import batch_size
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.routes.construction.batch import RouteBatch, VehiclesType, construction_kernel
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.tours.candidates.nearest import nearest_lists

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.routes.problem.cvrp import CVRP

NEIGHBOURS = 100  # number of nearest customers that each customer is paired with
# Random rows read the pairs in blocks, each block twice. The number of pairs in a block is an
# eighth of the number of customers, but at least 16.
LEAST_BLOCK, BLOCK_SHARE = 16, 8
BYTES_PER_CITY = 64  # bytes of device memory per city of a row

_pairs: weakref.WeakKeyDictionary[CVRP, tuple[NDArray[Any], NDArray[Any]]] = (
    weakref.WeakKeyDictionary()
)


def savings_kernel(vehicles: VehiclesType, team: str, *, directed: bool) -> Kernel:
    """Compose the kernel that joins routes, `directed` if their directions matter."""
    links = "gls::DirectedLinks" if directed else "gls::UndirectedLinks"
    body = f"gls::Savings<{{team}}, {{vehicles}}, {links}>"
    return construction_kernel("savings", vehicles, "savings.cuh", "SavingsRows", body, team)


def savings(
    problem: Problem,
    size: int = 1,
    *,
    seed: int | None = 0,
    backend: str | Backend = "auto",
    device: int | None = None,
) -> Any:
    """Construct giant tours by savings: repeatedly join the two route ends that save the most.

    Row 0 goes through the pairs of customers from the largest saving to the smallest, and joins
    their routes if one vehicle can serve both (parallel version of Clarke and Wright 1964). Each
    customer is paired with its 100 nearest customers. All other rows at first skip a random half of
    the pairs, and return to them after pairs of about the same saving. Row r depends only on `seed`
    and r.

    If the fleet is unlimited, all rows are feasible. Otherwise, the smallest routes of a row with
    too many routes are dissolved; the row is infeasible if their customers fit nowhere else.

    Parameters
    ----------
    problem : CVRP
    size, seed, backend, device
        As in `random_tours`. The host sorts the pairs, once per problem.

    Returns
    -------
    ndarray, shape (size, n), int32

    Raises
    ------
    InsufficientMemoryError
        The tours do not fit into memory.
    UnsupportedProblemError
        The problem has no routes.
    """
    problem = routing_problem(problem)
    key, chosen = checks.seed(seed), get_backend(backend, device)
    count = batch_size(chosen, problem.n, size, per_city=BYTES_PER_CITY)
    with chosen.current():
        pairs, saved = pairs_in_order(problem)
        routes, nodes = RouteBatch(chosen, problem, count), problem.customers + 1
        arguments = {
            "pair_count": len(saved),
            "pairs": chosen.xp.asarray(pairs),
            "savings": chosen.xp.asarray(saved),
            "block": max(LEAST_BLOCK, problem.customers // BLOCK_SHARE),
            "seed": key,
            "mates": routes.numbers("int32", nodes),
            "loads": routes.numbers("int32", nodes),
            "durations": routes.numbers(routes.time_dtype, nodes),
            "links": routes.numbers("int32", nodes, 2),
        }
        kernel = savings_kernel(routes.type, chosen.warp(), directed=not problem.reversible)
        routes.launch(kernel, count, arguments)
        return chosen.to_numpy(routes.tours())


def pairs_in_order(problem: CVRP) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Return pairs of customers (m, 2) and their savings (m,), largest first; cached per problem.

    Pairs of equal savings are in the order of their customers. A route that ends at the first
    customer of a pair can be joined to one that begins at the second. If directions do
    not matter, the first customer has the smaller number. Pairs without a positive saving are left
    out.
    """
    if problem not in _pairs:
        _pairs[problem] = _pairs_of(problem)
    return _pairs[problem]


def _pairs_of(problem: CVRP) -> tuple[NDArray[np.int32], NDArray[Any]]:
    nodes, customers = problem.nodes, np.arange(1, problem.customers + 1)
    lists = nearest_lists(nodes, min(NEIGHBOURS, problem.customers - 1), customers)
    a = np.repeat(customers, lists.degree)
    b = lists.cities.ravel().astype(np.int64)
    ways = [(np.minimum(a, b), np.maximum(a, b))] if problem.reversible else [(a, b), (b, a)]
    keys = np.unique(np.concatenate([first * nodes.n + second for first, second in ways]))
    a, b = keys // nodes.n, keys % nodes.n
    depot = np.zeros(len(a), np.int64)
    saved = nodes.lengths(a, depot) + nodes.lengths(depot, b) - nodes.lengths(a, b)
    order = np.argsort(-saved, kind="stable")
    order = order[: np.count_nonzero(saved > 0)]
    return np.stack([a[order], b[order]], axis=1).astype(np.int32), saved[order]
