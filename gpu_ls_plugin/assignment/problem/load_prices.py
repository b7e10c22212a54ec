"""What room is worth: Lagrange multipliers of capacities, and the values that they let expect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.structs import constant

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNIT = constant("assignment/problem/assignment.cuh", "kUnit")
ENTRIES = 2**24  # of tables that are read altogether: a second or so
MOST_STEPS, LEAST_STEPS = 1000, 50
PATIENCE = 20  # steps without a better bound after which steps become shorter
SHORTER = 0.7
HOPED = 0.02  # how far above the best bound the optimum is taken to be
SHARE_OF_SPREAD = 0.01  # of all that costs differ by: steps are no shorter where the bound is 0
MOST_LIKELY = 6  # values of a variable
HIGHEST = 2.0**16  # of a multiplier, unless costs differ by more
MOST_PRICED = 2.0**58  # of the price of all room, in 1/UNIT: kernels add up some in 64 bits


def load_prices(
    costs: NDArray[Any], resources: NDArray[Any], capacities: NDArray[Any]
) -> NDArray[np.float64]:
    """Return what a unit of each value's capacity is worth, by subgradient steps from 0 on.

    Where capacities are relaxed at these prices, each variable takes the value that is the cheapest
    with what it takes; the sum is a lower bound, and the prices those of the best one that was
    found (Held, Wolfe and Crowder 1974). Every operation is rounded alike on all machines.
    """
    rows, cost, taken = np.arange(len(costs)), costs.astype(float), resources.astype(float)
    prices = best_prices = np.zeros(costs.shape[1])
    best, length, idle = -np.inf, 1.0, 0
    spreads = np.ptp(cost, axis=1)
    room = max(1.0, taken.max(axis=1).sum(), float(capacities.max()))
    highest = min(max(HIGHEST, spreads.max()), MOST_PRICED / (UNIT * room))
    for _ in range(max(LEAST_STEPS, min(MOST_STEPS, ENTRIES // costs.size))):
        priced = cost + prices * taken
        values = priced.argmin(axis=1)
        over = -capacities.astype(float)
        np.add.at(over, values, taken[rows, values])  # one after the other
        bound = sum(priced[rows, values].tolist()) - sum((prices * capacities).tolist())
        if bound > best:
            best, best_prices, idle = bound, prices, 0
        elif (idle := idle + 1) >= PATIENCE:
            length, idle, prices = length * SHORTER, 0, best_prices
            continue
        square = sum((over * over).tolist())
        if square == 0:
            break
        hoped = HOPED * max(abs(best), SHARE_OF_SPREAD * spreads.sum())
        prices = np.clip(prices + length * max(hoped, 1.0) / square * over, 0.0, highest)
    return best_prices


def likely_values(
    priced: NDArray[np.float64], fits: NDArray[np.bool_], more: float | None
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return which values a search tries: pairs (variable, value), and where variables begin.

    Values that do not fit are left out, unless none of the variable's fits. Each variable's
    cheapest two values are tried, up to six; in all `more` x variables beside the cheapest ones.
    None: all values that fit.
    """
    m, most = priced.shape
    dearer = priced - priced.min(axis=1, keepdims=True)
    dearer[~fits & fits.any(axis=1, keepdims=True)] = np.inf
    order = dearer.argsort(axis=1, kind="stable")
    ranked = np.take_along_axis(dearer, order, axis=1)
    tried = np.isfinite(ranked)
    if more is not None:
        ranked -= ranked[:, :1]
        others = np.sort(ranked[:, 1:], axis=None)
        limit = others[min(len(others), max(1, round(more * m))) - 1] if len(others) else 0.0
        cheap = ranked <= limit
        cheap[:, : min(2, most)] = True
        cheap[:, MOST_LIKELY:] = False  # of many equally expensive values, some are enough
        tried &= cheap
    counts = tried.sum(axis=1)
    variables = np.repeat(np.arange(m), counts)
    likely = np.stack([variables, order[tried]], axis=1).astype(np.int32)
    return likely, np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
