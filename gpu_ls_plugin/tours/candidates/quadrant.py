"""Nearest cities in each quadrant."""

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

# So many times m cities are looked at to fill the quadrants of a city, more where these do not do.
# Three is enough for nearly all but those at a border, and these are not helped by a little more.
LOOKS = (1.5, 3, 16)
BLOCK_ENTRIES = 1 << 22  # cities looked at at once


@dataclass(frozen=True)
class Quadrant(Candidates):
    """Equally many nearest cities from each quadrant around a city, then the nearest others.

    m // 4 cities come from each quadrant, and the nearest not yet listed fill the list up to m;
    all ordered by exact length, ties by city number (Fosin, Davidović and Carić 2013, section
    2.1; Johnson and McGeoch 1997). They keep a way from cluster to cluster where all nearest
    cities lie on one side.

    Only the 16 m nearest cities of a city (as `Nearest` lists them) are looked at, so that cities
    at the border do not search the whole plane: of each quadrant, the m // 4 nearest of those in
    it are listed, or all where there are fewer.

    The quadrants are those of the coordinates' differences (dx, dy), of latitude and longitude
    for GEO: dx > 0 <= dy, dx <= 0 < dy, dx < 0 >= dy and dx >= 0 > dy, so that each half-axis
    belongs to one; a city at the same place counts to the first.

    Parameters
    ----------
    m : int
        Number of candidates in total, at least 4; where a problem has fewer other cities, all of
        them.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        m is not an integer of at least 4.
    UnsupportedProblemError
        When used for a problem that has no coordinates.
    """

    m: int = 40

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "m", least=4)

    def compile(self, problem: TSP) -> None:
        """Compile what makes lists in the plane."""
        compile_ahead(problem)

    def build(self, problem: TSP) -> CandidateLists:
        """Make the lists for a problem, on the host."""
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
    return _by_numpy(problem, m, width) if made is None else made


def _by_numpy(problem: TSP, m: int, width: int) -> CandidateLists:
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
    """Mark `width` of the nearest cities in each row; say which rows filled every quadrant."""
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
    """Return the quadrant, 0 to 3, in which city b lies as seen from city a, int8."""
    assert problem.coordinates is not None
    x, y = problem.coordinates.T
    dx, dy = x[b] - x[a], y[b] - y[a]
    upper = (dy > 0) | ((dy == 0) & (dx >= 0))
    numbers: NDArray[np.int8] = np.where(upper, (dx <= 0) & (dy > 0), 3 - (dx < 0)).astype(np.int8)
    return numbers
