"""The nodes near each customer in length and, if resources depend on the order, in these."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.routes.problem.cvrp import CVRP

BLOCK_ENTRIES = 1 << 22  # maximum number of pairs of nodes in memory at a time

_lists: weakref.WeakKeyDictionary[CVRP, dict[int, NDArray[np.int32]]] = weakref.WeakKeyDictionary()


def near_nodes(problem: CVRP, each: int) -> NDArray[np.int32]:
    """Return the `each` nearest other nodes of each node, int32 (customers + 1, each).

    Two nodes are as near as the shorter way between them: its length, plus what resources add to it
    (`Resource.apart`). The lists are kept with the problem.
    """
    kept = _lists.setdefault(problem, {})
    if each not in kept:
        kept[each] = _near_nodes(problem, each)
    return kept[each]


def _near_nodes(problem: CVRP, each: int) -> NDArray[np.int32]:
    nodes = np.arange(problem.customers + 1)
    found = np.empty((len(nodes), each), np.int32)
    step = max(1, BLOCK_ENTRIES // len(nodes))
    for begin in range(0, len(nodes), step):
        own = nodes[begin : begin + step, np.newaxis]
        apart = np.minimum(_apart(problem, own, nodes), _apart(problem, nodes, own))
        apart[np.arange(len(own)), own[:, 0]] = np.inf
        found[own[:, 0]] = _least(apart, each)
    return found


def _least(keys: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    """Return the first `count` columns of ``np.argsort(keys, axis=1, kind="stable")``, sooner."""
    last = np.partition(keys, count - 1, axis=1)[:, count - 1 : count]
    less, equal = keys < last, keys == last
    equal &= equal.cumsum(axis=1) <= count - less.sum(axis=1, keepdims=True)
    some = np.nonzero(less | equal)[1].reshape(-1, count)
    order = np.take_along_axis(keys, some, axis=1).argsort(axis=1, kind="stable")
    return np.take_along_axis(some, order, axis=1)


def _apart(problem: CVRP, a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
    a, b = np.broadcast_arrays(a, b)
    total = problem.nodes.lengths(a, b).astype(float)
    for part in problem.resources:
        total += part.apart(problem, a, b)
    return total
