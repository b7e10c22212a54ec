"""Savings (Clarke and Wright 1964), for whole batches."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.batch_size import batch_size
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.routes.construction.batch import RouteBatch, routes_kernel
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.tours.candidates.nearest import nearest_lists

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.routes.problem.cvrp import CVRP
    from gpu_ls_plugin.tours.problem.metrics import Metric

NEIGHBOURS = 100  # whose pairs are looked at
LEAST_BLOCK, BLOCK_SHARE = 16, 8  # pairs, or customers to a pair, of which half come first
BYTES_PER_CITY = 64  # of a row

_pairs: weakref.WeakKeyDictionary[CVRP, tuple[NDArray[Any], NDArray[Any]]] = (
    weakref.WeakKeyDictionary()
)


def savings_kernel(metric: Metric, team: str, time: str, *, directed: bool) -> Kernel:
    """Compose the kernel that joins routes."""
    links = "gls::DirectedLinks" if directed else "gls::UndirectedLinks"
    return routes_kernel(
        "savings",
        metric,
        header="savings.cuh",
        body=f"gls::Savings<{{team}}, {{vehicles}}, {links}>",
        parameters="int pair_count, const int* pairs, const void* savings, int block, "
        "gls::uint64 seed, int* mates, int* loads, void* durations, int* links, int* orders, "
        "unsigned char* begins",
        team=team,
        time=time,
    )


def savings(
    problem: Problem,
    size: int = 1,
    *,
    seed: int | None = 0,
    backend: str | Backend = "auto",
    device: int | None = None,
) -> Any:
    """Return giant tours by savings: routes are joined at their ends where that saves most.

    Row 0 takes the pairs of ends in order of what they save, if a vehicle can serve both routes
    (Clarke and Wright's parallel version); pairs of the 100 nearest neighbours of each customer
    are looked at. Further rows leave half of the pairs, drawn at random, until those have been
    looked at that save about as much. Row r depends on `seed` and r alone.

    Rows are feasible where the fleet is not limited. Where it is, too many routes are repaired by
    dissolving the smallest ones, and a row may break a constraint where nothing fits.

    Parameters
    ----------
    problem : CVRP
    size : int
        Number of tours, up to 2**31 - 1.
    seed : int or None
        Key of the random numbers. The same seed gives the same tours: pass another one for each
        call, or None to draw one.
    backend, device
        Where the tours are made; see `get_backend`. Pairs are sorted on the host, once.

    Returns
    -------
    ndarray, shape (size, n), int32

    Raises
    ------
    InsufficientMemoryError
        So many tours do not fit the memory.
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
        directed = not problem.symmetric
        kernel = savings_kernel(problem.nodes.metric, chosen.warp(), routes.time, directed=directed)
        routes.launch(kernel, count, arguments)
        return chosen.to_numpy(routes.tours())


def pairs_in_order(problem: CVRP) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Return pairs of customers (m, 2), and what joining them saves, most first; made once.

    Equal savings stay in the order of the customers. A route that ends at the first customer of a
    pair is joined to one that begins at the second; without directions, the first is smaller.
    """
    if problem not in _pairs:
        _pairs[problem] = _pairs_of(problem)
    return _pairs[problem]


def _pairs_of(problem: CVRP) -> tuple[NDArray[np.int32], NDArray[Any]]:
    nodes, customers = problem.nodes, np.arange(1, problem.customers + 1)
    lists = nearest_lists(nodes, min(NEIGHBOURS, problem.customers - 1), customers)
    a = np.repeat(customers, lists.degree)
    b = lists.cities.ravel().astype(np.int64)
    ways = [(np.minimum(a, b), np.maximum(a, b))] if problem.symmetric else [(a, b), (b, a)]
    keys = np.unique(np.concatenate([first * nodes.n + second for first, second in ways]))
    a, b = keys // nodes.n, keys % nodes.n
    depot = np.zeros(len(a), np.int64)
    saved = nodes.lengths(a, depot) + nodes.lengths(depot, b) - nodes.lengths(a, b)
    order = np.argsort(-saved, kind="stable")
    order = order[: np.count_nonzero(saved > 0)]
    return np.stack([a[order], b[order]], axis=1).astype(np.int32), saved[order]
