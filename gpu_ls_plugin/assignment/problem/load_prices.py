"""Prices of capacity (Lagrange multipliers), and the values that are likely at these prices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.structs import constant

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNIT = constant("assignment/problem/assignment.cuh", "kUnit")
ENTRIES = 2**24  # number of table entries that all steps together read, in about a second
MOST_STEPS, LEAST_STEPS = 1000, 50  # limits of the number of subgradient steps
PATIENCE = 20  # steps are shortened after this many steps without a better bound
SHORTER = 0.7  # factor by which steps are shortened
HOPED = 0.02  # assumed gap between the best bound and the optimum, as a share of the bound
SHARE_OF_SPREAD = 0.01  # this share of the sum of spreads replaces a bound that is closer to 0
MOST_LIKELY = 6  # maximum number of likely values of a variable
HIGHEST = 2.0**16  # highest price of a unit, unless costs of a variable differ by more
MOST_PRICED = 2.0**58  # highest price of all capacity, in 1/UNIT; sums of a few fit into 64 bits


def load_prices(
    costs: NDArray[Any], resources: NDArray[Any], capacities: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the price of a unit of each value's capacity, found with subgradient steps from 0.

    A variable's priced cost of a value is its cost plus the price of the capacity that it takes.
    With capacities relaxed, each variable takes the value with the lowest priced cost. The sum of
    these costs, less the price of all capacity, is a lower bound on the optimum. The returned
    prices are those of the best bound (Held, Wolfe and Crowder 1974). Every operation rounds in the
    same way on all machines.
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
        np.add.at(over, values, taken[rows, values])  # sums in a fixed order
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
    """Return pairs (variable, likely value), and the index at which each variable's pairs begin.

    `priced` contains priced costs (`load_prices`), `fits` whether a value has the capacity for a
    variable, both of shape (variables, values). Values that do not fit are left out, unless no
    value of the variable fits. Each variable's two to six cheapest values are likely, or fewer if
    fewer fit: on average about `more` in addition to the cheapest. If `more` is None, all values
    that fit are likely.
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
        cheap[:, MOST_LIKELY:] = False  # a few of many equally expensive values are enough
        tried &= cheap
    counts = tried.sum(axis=1)
    variables = np.repeat(np.arange(m), counts)
    likely = np.stack([variables, order[tried]], axis=1).astype(np.int32)
    return likely, np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
