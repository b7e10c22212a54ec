"""The array operations of a generation on small arrays, so that a GPU compiles their kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.routes.kernels.route_totals import route_totals
from gpu_ls_plugin.routes.searches.genetic.fitness import biased_fitness, ranks, survivors
from gpu_ls_plugin.tours.engines.descent.city_descent import look_bits
from gpu_ls_plugin.tours.kernels.edge_keys import edge_numbers, nodes_of

if TYPE_CHECKING:
    from collections.abc import Callable

POPULATIONS, SIZE, PLACES = 2, 8, 40


def rehearsal(xp: Any) -> list[Callable[[], Any]]:
    """Return functions that perform the operations on small arrays, as `Backend.expect` needs."""
    rows, demands = (xp.asarray(np.zeros((SIZE, PLACES), kind)) for kind in ("int32", "int64"))
    lie = xp.asarray(np.zeros((SIZE, PLACES)))
    costs, real = (xp.asarray(np.ones((POPULATIONS, SIZE), kind)) for kind in ("int64", "float64"))
    feasible = xp.asarray(np.ones((POPULATIONS, SIZE), np.bool_))
    shared = xp.asarray(np.zeros((POPULATIONS, SIZE, SIZE), np.int32))
    awake = xp.asarray(np.ones((POPULATIONS, PLACES), np.bool_))
    return [
        lambda: look_bits(xp, awake[:1]),
        lambda: look_bits(xp, awake),
        lambda: rows + 1,
        lambda: nodes_of(xp, rows, 1),
        lambda: route_totals(xp, rows, 1, demands),
        lambda: route_totals(xp, rows, 1, lie),
        lambda: edge_numbers(xp, rows, customers=1),
        lambda: ranks(xp, costs, feasible),
        lambda: biased_fitness(xp, costs, shared.copy(), feasible, 4),
        lambda: survivors(xp, real, costs, feasible, 4, 4),
    ]
