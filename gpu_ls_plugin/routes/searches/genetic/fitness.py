"""Biased fitness of individuals, based on their cost and their distance to the others.

Arrays are on the host or on a GPU. Their first axis counts independent populations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from gpu_ls_plugin.backends.arrays import reversed_rows
from gpu_ls_plugin.tours.kernels.edge_keys import edge_numbers

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.problem.tsp import Writing

BUCKETS = 4096  # number of buckets for hashes of edges; few edges of a tour share a bucket
CHUNK_BYTES = 1 << 28  # maximum size of the sets of buckets that are in memory at a time
CLOSEST = 5  # number of nearest individuals whose distances count
FAR = 1 << 30  # larger than any distance and any fitness
_GOLDEN = 0x9E3779B97F4A7C15  # odd multiplier that spreads hashes over 64 bits


def shared_buckets(xp: Any, tours: Any, **writing: Unpack[Writing]) -> Any:
    """Return the approximate number of edges that each pair of individuals shares, (S, M, M).

    `tours` (S, M, n) are M individuals of each of S populations. The edges of each individual are
    hashed into buckets, and a few matrix products count the buckets that pairs share. The diagonal
    has the number of buckets of each individual.
    """
    populations, size, n = tours.shape
    numbers = edge_numbers(xp, tours.reshape(-1, n), **writing).astype(xp.uint64)
    shift = 65 - BUCKETS.bit_length()
    buckets = (numbers * xp.uint64(_GOLDEN) >> xp.uint64(shift)).reshape(populations, size, n)
    shared = xp.empty((populations, size, size), xp.int32)
    step = max(1, CHUNK_BYTES // (4 * BUCKETS * size))
    for begin in range(0, populations, step):
        some = buckets[begin : begin + step].astype(xp.int64)
        has = xp.zeros((*some.shape[:2], BUCKETS), xp.float32)
        rows, columns = xp.ogrid[: some.shape[0], :size]
        has[rows[..., None], columns[..., None], some] = 1
        shared[begin : begin + step] = has @ has.swapaxes(1, 2)
    return shared


def biased_fitness(xp: Any, by_cost: Any, shared: Any, feasible: Any, elite: int) -> Any:
    """Return the float64 fitness (S, M) of each individual in its population; less is better.

    Feasible and infeasible individuals are ranked separately (Vidal 2022): by cost (`by_cost` has
    these ranks), and by distance to the closest individuals of the same kind, which follows from
    `shared` (S, M, M). The larger the `elite`, the less the rank by distance weighs. Fitness is
    divided by the size of the kind, so that both kinds can compete. Copies of cheaper individuals
    come last and do not count as neighbours.
    """
    count = reversed_rows(feasible).sum(axis=1, keepdims=True)
    alike = xp.where(feasible, count, feasible.shape[1] - count)
    own = xp.diagonal(shared, axis1=1, axis2=2)
    distance = xp.maximum(own[:, :, None], own[:, None, :]) - shared
    apart = feasible[:, :, None] != feasible[:, None, :]
    copied = (distance == 0) & (by_cost[:, :, None] > by_cost[:, None, :])
    copies = reversed_rows(copied).any(axis=2)
    everyone = xp.arange(by_cost.shape[1])
    distance[:, everyone, everyone] = FAR
    distance = xp.where(apart | copies[:, None, :], FAR, distance)
    closest = xp.sort(distance, axis=2)[:, :, :CLOSEST].sum(axis=2, dtype=xp.int64)
    by_distance = ranks(xp, -closest, feasible)
    fitness = (by_cost + (1 - xp.minimum(elite / alike, 1)) * by_distance) / alike
    return xp.where(copies, fitness + FAR, fitness)


def survivors(xp: Any, fitness: Any, by_cost: Any, feasible: Any, elite: int, size: int) -> Any:
    """Return which `size` of the M individuals of each population survive: indices (S, size).

    Half of them are the fittest feasible ones, the others the fittest infeasible ones; if a kind
    has too few individuals, the other kind fills its places. The `elite` cheapest of each kind
    survive in any case, unless they are copies.
    """
    rows = xp.arange(len(fitness))[:, None]
    fitness = xp.where((by_cost < elite) & (fitness < FAR), by_cost - elite, fitness)
    first = xp.where(feasible, fitness, fitness + 2 * FAR)
    half = _order(xp, first)[:, : size // 2]
    second = xp.where(feasible, fitness + 2 * FAR, fitness)
    second[rows, half] = xp.inf
    others = _order(xp, second)[:, : size - size // 2]
    return xp.concatenate([half, others], axis=1)


def _order(xp: Any, keys: Any) -> Any:
    return xp.argsort(keys, axis=1, kind="stable")


def ranks(xp: Any, keys: Any, feasible: Any) -> Any:
    """Return the rank of each key among those of its kind; equal keys keep their order."""
    rows, order = xp.arange(len(keys))[:, None], _order(xp, keys)
    kinds = xp.take_along_axis(feasible, order, axis=1)
    up_to = kinds.cumsum(axis=1)  # number of feasible ones up to each place
    places = xp.empty(keys.shape, xp.int64)
    places[rows, order] = xp.where(kinds, up_to - 1, xp.arange(keys.shape[1]) - up_to)
    return places
