"""Candidates: the nearest cities in each quadrant around a city."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.tours.candidates.base import Candidates
from gpu_ls_plugin.tours.candidates.lists import CandidateLists
from gpu_ls_plugin.tours.candidates.near_cities import compile_ahead, near_lists
from gpu_ls_plugin.tours.candidates.nearest import NearestCities

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.problem.tsp import TSP

# Quadrants are filled from the 1.5 * m nearest cities or, if these are not enough, from 3 * m, then
# from 16 * m. The 3 * m nearest are enough for nearly all cities except those at a border.
LOOKS = (1.5, 3, 16)
BLOCK_ENTRIES = 1 << 22  # maximum number of near cities in memory at a time


@dataclass(frozen=True)
class Quadrant(Candidates):
    """The same number of nearest cities from each quadrant around a city, then the nearest others.

    A list has m // 4 cities from each quadrant and is filled up to m with the nearest others. It is
    sorted by exact length, then by city number (Fosin, Davidović and Carić 2013, section 2.1;
    Johnson and McGeoch 1997). Such lists lead from cluster to cluster even if all nearest cities
    lie on one side.

    Only the 16 * m nearest cities of a city are considered; for a city at the border, the whole
    plane would otherwise be searched. If a quadrant has fewer than m // 4 of these cities, the list
    has all of them.

    The differences of coordinates (dx, dy), for GEO those of latitude and longitude, define the
    quadrants: dx > 0 and dy >= 0; dx <= 0 and dy > 0; dx < 0 and dy <= 0; dx >= 0 and dy < 0. A
    city at the same place belongs to the first quadrant.

    Parameters
    ----------
    m : int
        Number of candidates per city, at least 4; capped at n - 1.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        m is not an integer of at least 4.
    UnsupportedProblemError
        `build` gets a problem without coordinates.
    """

    m: int = 40

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "m", least=4)

    def compile(self, problem: TSP) -> None:
        """Compile the search for near cities, so that `build` need not."""
        compile_ahead(problem)

    def build(self, problem: TSP) -> CandidateLists:
        if problem.coordinates is None:
            raise UnsupportedProblemError(
                f"candidates: {self!r} needs coordinates, but this problem is a matrix; use "
                f"Nearest(k){' or Alpha(k)' if problem.symmetric else ''}"
            )
        return quadrant_lists(problem, self.m)


def quadrant_lists(problem: TSP, m: int) -> CandidateLists:
    """Return the lists of `Quadrant(m)` for a problem with coordinates."""
    width = min(m, problem.n - 1)
    first, second, last = (min(int(look * m), problem.n - 1) for look in LOOKS)
    made = near_lists(problem, width, each=m // 4, looks=(first, second, last))
    return quadrant_lists_by_numpy(problem, m, width) if made is None else made


def quadrant_lists_by_numpy(problem: TSP, m: int, width: int) -> CandidateLists:
    """Return the lists of `Quadrant(m)`, `width` cities each, without a compiled program."""
    lists = CandidateLists(
        np.empty((problem.n, width), np.int32), np.empty((problem.n, width), problem.cost_dtype)
    )
    everyone, pending = NearestCities(problem), np.arange(problem.n)
    for look in LOOKS:
        count = min(int(look * m), problem.n - 1)
        step = max(1, BLOCK_ENTRIES // max(count, 1))
        incomplete = [pending[:0]]
        for begin in range(0, len(pending), step):
            cities = pending[begin : begin + step]
            near = everyone.lists(count, cities)
            chosen, complete = _choose(problem, cities, near.cities, m // 4, width)
            lists.cities[cities] = near.cities[chosen].reshape(len(cities), width)
            lists.lengths[cities] = near.lengths[chosen].reshape(len(cities), width)
            incomplete.append(cities[~complete])
        pending = np.concatenate(incomplete if count < problem.n - 1 else incomplete[:1])
    return lists


def _choose(
    problem: TSP, own: NDArray[Any], near: NDArray[Any], each: int, width: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return which `width` cities of each row to list, and which rows fill every quadrant."""
    numbers = quadrants(problem, own[:, None], near)
    chosen = np.zeros(near.shape, bool)
    complete = np.ones(len(own), bool)
    for number in range(4):
        inside = numbers == number
        rank = np.cumsum(inside, axis=1, dtype=np.int32)
        chosen |= inside & (rank <= each)
        complete &= inside.sum(axis=1) >= each
    others = ~chosen
    rank = np.cumsum(others, axis=1, dtype=np.int32)
    chosen |= others & (rank <= width - chosen.sum(axis=1)[:, None])
    return chosen, complete


def quadrants(problem: TSP, a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Return the quadrant of city b as seen from city a, 0 to 3, int8."""
    assert problem.coordinates is not None
    x, y = problem.coordinates.T
    dx, dy = x[b] - x[a], y[b] - y[a]
    upper = (dy > 0) | ((dy == 0) & (dx >= 0))
    numbers: NDArray[np.int8] = np.where(upper, (dx <= 0) & (dy > 0), 3 - (dx < 0)).astype(np.int8)
    return numbers
