"""Vehicle routing instances made according to the published rules of the X set.

Uchoa, Pecin, Pessoa, Poggi, Vidal and Subramanian, *New benchmark instances for the capacitated
vehicle routing problem*, 2017. Nodes are distinct points of a grid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIDE = 1001  # points on each side of the grid, with coordinates 0 to 1,000
CENTRE = 500
DEPOTS = ("central", "eccentric", "random")
POSITIONING = ("random", "clustered", "random_clustered")
SEEDS = (3, 8)  # minimum and maximum number of clusters
REACH = 40.0  # distance over which the attraction of a seed falls to 1 / e
ROUTE_SIZES = (3.0, 6.0, 25.0)  # mean number of customers per route: minimum, mode, maximum
UNIFORM = {"unitary": (1, 1), "1-10": (1, 10), "5-10": (5, 10), "1-100": (1, 100),
           "50-100": (50, 100)}  # fmt: skip
SMALL, LARGE = (1, 10), (50, 100)  # ranges of demands of kind "many_small"
SMALL_SHARE = (0.7, 0.95)  # range of the share of small demands
EVEN_QUADRANTS, ODD_QUADRANTS = (1, 50), (51, 100)  # ranges of demands of kind "quadrant"
DEMANDS = (*UNIFORM, "quadrant", "many_small")
MOST_CUSTOMERS = SIDE * SIDE // 2  # with more customers, clusters would fill the grid


def depot_point(kind: str, rng: np.random.Generator) -> tuple[int, int]:
    """Return the point of the depot: the middle, a corner, or a random point."""
    if kind == "random":
        x, y = rng.integers(0, SIDE, 2)
        return int(x), int(y)
    place = CENTRE if kind == "central" else 0
    return place, place


def customer_points(
    customers: int, kind: str, depot: tuple[int, int], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the points of customers, shape (customers, 2); clustered ones come last."""
    free = np.ones(SIDE * SIDE, bool)
    free[depot[0] * SIDE + depot[1]] = False
    clustered = {"random": 0, "clustered": customers, "random_clustered": -(-customers // 2)}[kind]
    seeds = min(int(rng.integers(SEEDS[0], SEEDS[1] + 1)), clustered)
    scattered = _anywhere(free, customers - clustered + seeds, rng)
    attracted = attracted_cells(free, scattered[len(scattered) - seeds :], clustered - seeds, rng)
    return np.stack(np.divmod(np.concatenate([scattered, attracted]), SIDE), axis=1)


def _anywhere(free: NDArray[np.bool_], count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw `count` free cells of the grid, all equally likely, and mark them as taken."""
    cells = rng.choice(np.flatnonzero(free), count, replace=False)
    free[cells] = False
    return cells.astype(np.int64)


def attracted_cells(
    free: NDArray[np.bool_], seeds: NDArray[np.int64], count: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw free cells one by one, with probabilities proportional to their attraction by seeds.

    This uses the Gumbel trick: add a Gumbel number to the logarithm of each cell's attraction; the
    `count` cells with the largest sums are distributed like such draws. Drawn cells are marked as
    taken.
    """
    if count == 0:
        return np.zeros(0, np.int64)
    cells = np.flatnonzero(free)
    x, y = np.divmod(cells, SIDE)
    attraction = np.zeros(len(cells))
    for seed in seeds:
        attraction += np.exp(-np.hypot(x - seed // SIDE, y - seed % SIDE) / REACH)
    chances = np.log(attraction) + rng.gumbel(size=len(cells))
    order = np.argpartition(chances, -count)[-count:]
    chosen = cells[order[np.argsort(-chances[order], kind="stable")]]
    free[chosen] = False
    return chosen.astype(np.int64)


def customer_demands(
    points: NDArray[np.int64], kind: str, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the demands of customers at points (customers, 2) of the grid."""

    def drawn(limits: tuple[int, int]) -> NDArray[np.int64]:
        return rng.integers(limits[0], limits[1] + 1, len(points))

    if kind in UNIFORM:
        return drawn(UNIFORM[kind])
    if kind == "quadrant":  # the first and third quadrants around the middle are odd
        odd = (points[:, 0] >= CENTRE) == (points[:, 1] >= CENTRE)
        return np.where(odd, drawn(ODD_QUADRANTS), drawn(EVEN_QUADRANTS))
    few = rng.permutation(len(points)) >= round(rng.uniform(*SMALL_SHARE) * len(points))
    return np.where(few, drawn(LARGE), drawn(SMALL))


def capacity_for(demands: NDArray[np.int64], route_size: float) -> int:
    """Return the capacity of a vehicle that serves `route_size` customers on average."""
    mean = route_size * int(demands.sum()) / len(demands)
    return max(int(np.ceil(mean - 1e-9)), int(demands.max()))


def drawn_route_size(rng: np.random.Generator) -> float:
    """Draw the mean number of customers of a route from a triangular distribution."""
    return float(rng.triangular(*ROUTE_SIZES))
