"""Estimates of the ideal and nadir points, before there is a front."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.construction.random_tours import random_tours
from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighan
from gpu_ls_plugin.tours.moves.reconnections import ThreeOpt
from gpu_ls_plugin.tours.moves.segment_moves import OrOpt
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.problem.multi_objective import MultiObjectiveTSP

SEARCH = LocalSearch([LinKernighan(3)], candidates=Nearest(8))
DIRECTED = LocalSearch([ThreeOpt(), OrOpt(3)], candidates=Nearest(10))  # reverses no path
OTHERS = 0.05  # total weight of the other objectives, so that tours are not arbitrarily bad in them

_cache: weakref.WeakKeyDictionary[MultiObjectiveTSP, Any] = weakref.WeakKeyDictionary()


def payoffs(
    problem: MultiObjectiveTSP, backend: str = "auto"
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return estimates of the ideal and nadir points of a problem, both of shape (M,) (cached).

    They come from a payoff table: one tour is searched for each objective, with little weight on
    the others. They are the same in each process and on each backend.
    """
    if problem not in _cache:
        size = problem.n_objectives
        weights = np.where(np.eye(size) > 0, 1.0 - OTHERS, OTHERS / (size - 1)) / problem.scales
        tours = random_tours(problem.objectives[0], size, seed=0, backend=backend)
        search = SEARCH if problem.symmetric else DIRECTED
        found = search(problem.weighted(weights), tours, backend=backend).tours
        table = problem.cost(found).astype(np.float64)
        _cache[problem] = table.min(axis=0), table.max(axis=0)
    ideal, nadir = _cache[problem]
    return ideal, nadir
