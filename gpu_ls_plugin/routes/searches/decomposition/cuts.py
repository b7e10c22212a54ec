"""Cuts: groups of routes near each other, with about equal numbers of customers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.routes.problem.cvrp import CVRP

    Groups = list[NDArray[np.int64]]  # numbers of routes


def grouped(
    problem: CVRP,
    routes: Sequence[Sequence[int]],
    count: int,
    turn: int,
    random: np.random.Generator,
) -> Groups:
    """Return at most `count` groups of routes. Each route is in one group; no route may be empty.

    `turn` is the number of the cut. If it is even and nodes have coordinates, the groups are
    sectors around the depot, beginning at a random angle. Otherwise, the routes are halved
    repeatedly: each half is near one of two routes that are far apart.
    """
    middles = np.array([_middle(problem, np.asarray(route)) for route in routes])
    sizes = np.array([len(route) for route in routes])
    if turn % 2 or problem.nodes.coordinates is None:
        return _halved(problem, np.arange(len(routes)), middles, sizes, count, random)
    return _sectors(problem, routes, sizes, count, random)


def _middle(problem: CVRP, route: NDArray[np.int64]) -> int:
    """Return the customer in the middle of a route."""
    nodes = problem.nodes
    if nodes.coordinates is not None:
        points = nodes.coordinates[route]
        return int(route[((points - points.mean(axis=0)) ** 2).sum(axis=1).argmin()])
    lengths = nodes.lengths(*np.broadcast_arrays(route[:, None], route))
    return int(route[lengths.sum(axis=0).argmin()])


def _sectors(
    problem: CVRP,
    routes: Sequence[Sequence[int]],
    sizes: NDArray[np.int64],
    count: int,
    random: np.random.Generator,
) -> Groups:
    """Return sectors around the depot as groups; a route has the angle of its barycentre."""
    points = problem.nodes.coordinates
    assert points is not None
    barycentres = np.array([points[np.asarray(route)].mean(axis=0) for route in routes])
    east, north = (barycentres - points[0]).T
    angles = (np.arctan2(north, east) - random.uniform(0, 2 * np.pi)) % (2 * np.pi)
    order = np.argsort(angles, kind="stable")
    shares = (np.cumsum(sizes[order]) - sizes[order] / 2) * count / sizes.sum()
    numbers = np.minimum(shares.astype(int), count - 1)
    return [order[numbers == number] for number in range(count) if (numbers == number).any()]


def _halved(
    problem: CVRP,
    mine: NDArray[np.int64],
    middles: NDArray[np.int64],
    sizes: NDArray[np.int64],
    count: int,
    random: np.random.Generator,
) -> Groups:
    """Halve the routes `mine` repeatedly, each half near one of two distant routes."""
    count = min(count, len(mine))
    if count < 2:
        return [mine]
    first = _farthest(problem, middles[random.choice(mine)], mine, middles)
    second = _farthest(problem, middles[first], mine, middles)
    nearer = _lengths(problem, middles[first], middles[mine]) - _lengths(
        problem, middles[second], middles[mine]
    )
    order = mine[np.argsort(nearer, kind="stable")]
    left = count // 2
    reached = np.cumsum(sizes[order])
    place = int(np.abs(reached - reached[-1] * left / count).argmin()) + 1
    place = min(max(place, left), len(order) - (count - left))  # each group needs a route
    return [
        group
        for half, groups in ((order[:place], left), (order[place:], count - left))
        for group in _halved(problem, half, middles, sizes, groups, random)
    ]


def _farthest(
    problem: CVRP, middle: int, mine: NDArray[np.int64], middles: NDArray[np.int64]
) -> int:
    return int(mine[_lengths(problem, middle, middles[mine]).argmax()])


def _lengths(problem: CVRP, node: int, others: NDArray[np.int64]) -> NDArray[np.float64]:
    lengths = problem.nodes.lengths(np.full_like(others, node), others)
    return np.asarray(lengths, np.float64)
