"""Small routing problems with all kinds of constraints, and the enumeration of their routes.

The code is plain NumPy and shares none with the library.
"""

from __future__ import annotations

import itertools
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

# Options of a problem; those that are arguments of `VRP` have its names.
IN_KERNELS = ("real", "directed", "loads", "goods", "soft", "durations", "windows", "route_limit")
FURTHER = ("fixed_cost", "open_routes", "vehicles", "service_times", "release_times")
FURTHER += ("start_window", "copies")
PRICES = {"load": 3, "load 2": 2, "goods": 4, "times": 5, "vehicles": 11}
ROOM = 20  # of a vehicle, for goods
ENDLESS, ROUNDING = 10**6, 1e-7


def drawn(options: set[str], seed: int) -> SimpleNamespace:
    """Return the data of a random problem, and the arguments of `VRP` as `given`.

    Without an option, numbers are 0 or endless.
    """
    random, n, real = np.random.default_rng(seed), 2 + seed % 7, "real" in options

    def numbers(low: int, high: int, *shape: int) -> Any:
        draw = random.uniform if real else random.integers
        return np.asarray(draw(low, high, shape))[()]

    points = random.integers(0, 20, (n, 2))
    lengths = np.hypot(*(points[:, None] - points).T)
    if "directed" in options:
        lengths = lengths * random.uniform(0.7, 1.3, (n, n))
    lengths = lengths if real else np.floor(lengths + 0.5).astype(int)
    given = {"locations": points, "metric": "EUC" if real else "EUC_2D"}
    if "directed" in options:
        given = {"locations": None, "distances": lengths}
    data = SimpleNamespace(options=options, n=n, lengths=lengths, given=given)
    early, nothing, is_customer = numbers(0, 60, n), np.zeros(n, int), np.arange(n) > 0
    windows = np.c_[early, early + numbers(0, 80, n)]
    windows[0] = numbers(0, 9), numbers(70, 150)
    for name, value, without in (
        ("durations", numbers(1, 25, n, n) * (1 - np.eye(n, dtype=int)), lengths),
        ("service_times", numbers(0, 6, n) * is_customer, nothing),
        ("release_times", numbers(0, 40, n) * (random.random(n) < 0.4), nothing),
        ("windows", windows, np.tile([0, ENDLESS], (n, 1))),
        ("start_window", np.sort(numbers(0, 60, 2)), (0, ENDLESS)),
        ("route_limit", numbers(45, 120), ENDLESS),
        ("fixed_cost", numbers(0, 20), 0),
        ("vehicles", int(random.integers(1, n)), n),
        ("open_routes", True, False),
    ):
        setattr(data, name, value if name in options else without)
        given |= {name: value} if name in options else {}
    data.demands = random.integers(0, 9, (n, 2)) * is_customer[:, None]
    data.capacity = random.integers(8, 30, 2)
    data.goods = random.integers(0, 9, (2, n)) * is_customer
    return data


def judged(data: SimpleNamespace, routes: np.ndarray) -> dict[str, np.ndarray]:
    """Return the cost and the excesses of routes, which are filled up with 0, shape (R, stops)."""
    stops = np.c_[routes, np.zeros(len(routes), int)]
    before = np.c_[stops[:, -1], routes]
    lengths, travel = data.lengths.copy(), data.durations.copy()
    if data.open_routes:
        lengths[:, 0] = travel[:, 0] = 0
    found = {"cost": lengths[before, stops].sum(axis=1) + data.fixed_cost}
    loads = data.demands[routes].sum(axis=1)
    found["load"], second = np.maximum(loads - data.capacity, 0).T
    found["load 2"] = second * ("loads" in data.options)
    deliveries, pickups = data.goods[:, stops]
    aboard = deliveries.sum(axis=1)[:, None] + (pickups - deliveries).cumsum(axis=1)
    most = np.maximum(deliveries.sum(axis=1), aboard.max(axis=1))
    found["goods"] = np.maximum(most - ROOM, 0) * ("goods" in data.options)
    found["times"] = in_time(data, stops, travel[before, stops] + data.service_times[before])
    return found


def in_time(data: SimpleNamespace, stops: np.ndarray, spent: np.ndarray) -> np.ndarray:
    """Return the time warp and the excess duration of routes that start at the best time.

    At a useful start, a vehicle that has waited for nothing arrives when a window begins or ends.
    """
    early, late = data.windows.T
    opens, last = max(early[0], data.start_window[0]), min(late[0], data.start_window[1])
    first = np.maximum(data.release_times[stops].max(axis=1, keepdims=True), opens)
    useful = (data.windows[stops] - spent.cumsum(axis=1)[:, :, None]).reshape(len(stops), -1)
    start = np.maximum(np.minimum(np.c_[first, useful], last), first)
    time, warp = np.minimum(start, last), np.maximum(start - last, 0)  # too late a start goes back
    for to, took in zip(stops.T[:, :, None], spent.T[:, :, None], strict=True):
        time = np.maximum(time + took, early[to])
        warp, time = warp + np.maximum(time - late[to], 0), np.minimum(time, late[to])
    least = warp.min(axis=1)
    duration = np.where(warp <= least[:, None] + ROUNDING, time - start, ENDLESS).min(axis=1)
    return least + np.maximum(duration - data.route_limit, 0)


@cache
def every_route(customers: int) -> tuple[np.ndarray, np.ndarray]:
    """Return each order of each set of customers, filled up with 0, and the bit masks of sets."""
    orders = [
        order + (0,) * (customers - size)
        for size in range(1, customers + 1)
        for order in itertools.permutations(range(1, customers + 1), size)
    ]
    routes = np.array(orders)
    return routes, (1 << routes >> 1).sum(axis=1)


@cache
def parts_of(served: int) -> np.ndarray:
    """Return the parts of a set that contain its first customer, as bit masks."""
    parts = np.arange(served + 1)
    return parts[(parts & ~served == 0) & (parts & served & -served > 0)]


def optimum(data: SimpleNamespace, copies: int, *, soft: bool) -> float:
    """Return the least cost of all sets of routes, with penalties if soft; inf if none is."""
    routes, sets = every_route(data.n - 1)
    found = judged(data, routes)
    costs = found.pop("cost").astype(float)
    for name, excess in found.items():
        costs += excess * PRICES[name] if soft else np.where(excess > ROUNDING, np.inf, 0)
    alone, used = np.full(1 << data.n - 1, np.inf), np.arange(data.n)
    np.minimum.at(alone, sets, costs)
    least = np.full((data.n, len(alone)), np.inf)  # by the number of routes and the set
    least[0, 0] = 0
    for served in range(1, len(alone)):
        parts = parts_of(served)
        least[1:, served] = (alone[parts] + least[:-1, served ^ parts]).min(axis=1)
    surplus = np.maximum(used - data.vehicles, 0)
    paid = surplus * PRICES["vehicles"] if soft else np.where(surplus > 0, np.inf, 0)
    return float((least[:, -1] + paid)[used <= copies].min())
