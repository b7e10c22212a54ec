"""Instances of assignment problems, generated according to published rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

KINDS = ("A", "B", "C", "D", "E")  # types of generalised assignment


def random_edges(n: int, density: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the edges of a random graph with n vertices.

    Each pair of vertices is joined with probability `density`.
    """
    rows = [i + 1 + np.flatnonzero(rng.random(n - 1 - i) < density) for i in range(n)]
    return np.stack([np.repeat(np.arange(n), [len(row) for row in rows]), np.concatenate(rows)], 1)


def queen_edges(rows: int, columns: int) -> NDArray[np.int64]:
    """Return the pairs of squares of a board between which a queen can move."""
    row, column = np.divmod(np.arange(rows * columns), columns)
    down = np.abs(row[:, None] - row)
    right = np.abs(column[:, None] - column)
    return np.argwhere(np.triu((down == 0) | (right == 0) | (down == right), 1))


def mycielski_graph(k: int) -> tuple[int, NDArray[np.int64]]:
    """Return the number of vertices and the edges of the Mycielski graph that needs k >= 2 colours.

    In each step, every vertex gets a twin, joined to the vertex's neighbours, and all twins are
    joined to one more vertex (Mycielski 1955). This adds no triangle, but requires one more colour.
    """
    n, edges = 2, np.array([(0, 1)])
    for _ in range(k - 2):
        twins = np.arange(n, 2 * n)
        hub = np.stack([twins, np.full(n, 2 * n)], 1)
        there, back = edges + np.array([0, n]), edges + np.array([n, 0])
        edges = np.concatenate([edges, there, back, hub])
        n = 2 * n + 1
    return n, edges


def leighton_limits(n: int, colours: int) -> tuple[int, int]:
    """Return the minimum and maximum number of edges that `leighton_edges` can make."""
    classes = np.bincount(np.arange(n) % colours)
    within = int((classes * (classes - 1)).sum()) // 2
    return colours * (colours - 1) // 2, n * (n - 1) // 2 - within


def leighton_edges(n: int, colours: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return `count` random edges of a graph that needs exactly `colours` colours (Leighton 1979).

    Vertices are divided into one class per colour. The first clique has a vertex of each class, the
    other cliques have one vertex of each of a random number of classes. Single edges between
    classes make up the rest of `count`. Finally, vertices are shuffled, which hides the classes.
    """
    classes = np.arange(n) % colours
    chosen = np.zeros((n, n), bool)
    missing, size = count, colours
    for _ in range(count):  # more cliques than are ever needed
        drawn = rng.permutation(colours)[:size]
        clique = np.sort([rng.choice(np.flatnonzero(classes == own)) for own in drawn])
        first, second = clique[np.triu_indices(size, 1)[0]], clique[np.triu_indices(size, 1)[1]]
        new = ~chosen[first, second]
        if new.sum() > missing:
            break
        chosen[first, second] = True
        missing -= int(new.sum())
        size = int(rng.integers(2, colours + 1))
    free = np.argwhere(np.triu(~chosen & (classes[:, None] != classes), 1))
    edges = [np.argwhere(chosen), free[rng.choice(len(free), missing, replace=False)]]
    return rng.permutation(n)[np.concatenate(edges)]


def generalised_assignment(
    kind: str, jobs: int, agents: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return costs and resources, shape (jobs, agents), and capacities of an instance.

    A to D: Chu and Beasley, *A genetic algorithm for the generalised assignment problem*, 1997,
    after Martello and Toth. E: Laguna, Kelly, González-Velarde and Glover, *Tabu search for the
    multilevel generalized assignment problem*, 1995, rounded to integers. Capacities are rounded
    down.
    """
    shape = jobs, agents
    if kind == "E":
        resources = np.rint(1 - 10 * np.log(1 - rng.random(shape))).astype(np.int64)
        costs = np.rint(1000 / resources - 10 * rng.random(shape)).astype(np.int64)
    elif kind == "D":
        resources = rng.integers(1, 101, shape)
        costs = 111 - resources + rng.integers(-10, 11, shape)
    else:
        resources = rng.integers(5, 26, shape)
        costs = rng.integers(10, 51, shape)
    if kind not in ("A", "B"):
        return costs, resources, resources.sum(axis=0) * 8 // (10 * agents)
    cheapest = costs.argmin(axis=1)
    loads = np.bincount(cheapest, resources[np.arange(jobs), cheapest], agents).astype(np.int64)
    room = 90 * jobs + 4 * agents * int(loads.max())  # 0.6 * 15 * jobs / agents + 0.4 * load
    share = 10 if kind == "A" else 7
    return costs, resources, np.full(agents, share * room // (100 * agents))


def uniform_matrices(n: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Return two symmetric matrices of integers from 0 to 99, with zero diagonals.

    See tai*a in Taillard, *Robust taboo search for the quadratic assignment problem*, 1991.
    """
    halves = [np.triu(rng.integers(0, 100, (n, n)), 1) for _ in range(2)]
    return [half + half.T for half in halves]
