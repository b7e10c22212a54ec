"""What room is worth: Lagrange multipliers of capacities, and the values that they let expect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNIT = 4096  # gls::kUnit
ENTRIES = 2**24  # of tables that are read altogether: a second or so
MOST_STEPS, LEAST_STEPS = 1000, 50
PATIENCE = 20  # steps without a better bound after which steps become shorter
SHORTER = 0.7
HOPED = 0.02  # how far above the best bound the optimum is taken to be
MOST_LIKELY = 6  # values of a variable
HIGHEST = 2.0**16  # of a multiplier: what is worth more is never short


def load_prices(
    costs: NDArray[Any], resources: NDArray[Any], capacities: NDArray[Any]
) -> NDArray[np.float64]:
    """Return what a unit of each value's capacity is worth, by subgradient steps from 0 on.

    Where capacities are relaxed at these prices, each variable takes the value that is the cheapest
    with what it takes; the sum is a lower bound, and the prices those of the best one that was
    found (Held, Wolfe and Crowder 1974). Every operation is rounded alike on all machines.

    Parameters
    ----------
    costs, resources : arrays of integers, shape (variables, values)
    capacities : array of integers, shape (values,)
    """
    rows, cost, taken = np.arange(len(costs)), costs.astype(float), resources.astype(float)
    prices = best_prices = np.zeros(costs.shape[1])
    best, length, idle = -np.inf, 1.0, 0
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
        step = length * max(abs(best) * HOPED, 1.0) / square
        prices = np.clip(prices + step * over, 0.0, HIGHEST)
    return best_prices


def likely_values(
    priced: NDArray[np.float64], more: float
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return which values are worth a try: pairs (variable, value), and where variables begin.

    Those are each variable's cheapest two, and whatever else is among the `more` x variables that
    are the least dearer than their variable's cheapest.
    """
    m, most = priced.shape
    dearer = priced - priced.min(axis=1, keepdims=True)
    order = dearer.argsort(axis=1, kind="stable")
    ranked = np.take_along_axis(dearer, order, axis=1)
    others = np.sort(ranked[:, 1:], axis=None)
    limit = others[min(len(others), max(1, round(more * m))) - 1] if len(others) else 0.0
    tried = ranked <= limit
    tried[:, : min(2, most)] = True
    tried[:, MOST_LIKELY:] = False  # of many that are as dear as that, some are enough
    counts = tried.sum(axis=1)
    variables = np.repeat(np.arange(m), counts)
    likely = np.stack([variables, order[tried]], axis=1).astype(np.int32)
    return likely, np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
