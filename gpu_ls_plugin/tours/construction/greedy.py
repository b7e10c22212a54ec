"""Greedy edge tours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.base import batch_size
from gpu_ls_plugin.backends.composition import Kernel, parse_parameters
from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.tours.candidates.nearest import Nearest, nearest_lists
from gpu_ls_plugin.tours.construction.random_tours import philox
from gpu_ls_plugin.tours.construction.space_filling_curve import space_filling_curve
from gpu_ls_plugin.tours.problem.tsp import tour_problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.tours.candidates.lists import CandidateLists
    from gpu_ls_plugin.tours.problem.tsp import TSP

HEADER = "tours/construction/greedy.cuh"
CANDIDATES = 8  # number of candidates per city
BYTES_PER_CITY = 150  # memory for each city of a tour, mostly for about five sorted edges
# Edges of equal lengths may all lead to the same few cities, so that a round joins hardly any
# fragments. After this number of rounds (usual are 2 to 5), the rest are joined in a row.
ROUNDS = 12
NOISE = 0.1  # in all rows but the first, edges are lengthened by up to this share


def greedy_edges_kernel(team: str) -> Kernel:
    """Return the kernel that adds edges to tours in order of length."""
    body = f"gls::GreedyEdges<{team}>"
    parameters = (struct_of(HEADER, "GreedyBatch"),)
    return Kernel("greedy_edges", HEADER, body, parameters, team, parts=("greedy",))


def follow_links_kernel(team: str) -> Kernel:
    """Return the kernel that turns links into tours."""
    body = f"gls::FollowLinks<{team}>"
    parameters = parse_parameters("int n, const int* links, int* tours")
    return Kernel("follow_links", HEADER, body, parameters, team, parts=("greedy",))


def greedy(
    problem: Problem,
    size: int = 1,
    *,
    seed: int | None = 0,
    backend: str | Backend = "auto",
    device: int | None = None,
) -> Any:
    """Return greedy tours: repeatedly take the shortest edge that fits.

    Johnson and McGeoch (1997) describe the heuristic. Row 0 is the greedy tour of the complete
    graph; ties are broken by city numbers. For the other rows, edges are lengthened at random by up
    to 10 %. If very many edges have the same length, the last fragments are joined along a curve.

    Parameters
    ----------
    problem : Problem
        If it is asymmetric, an edge has the length from the smaller to the larger city number.
    size, seed, backend, device
        As in `random_tours`. Edges are sorted on the host.

    Returns
    -------
    ndarray, shape (size, n), int32

    Raises
    ------
    InsufficientMemoryError
        The tours do not fit into memory.
    """
    problem = tour_problem(problem)
    key, chosen = checks.seed(seed), get_backend(backend, device)
    count = batch_size(chosen, problem.n, size, per_city=BYTES_PER_CITY)
    n = problem.n
    if n < 4:
        return np.tile(np.arange(n, dtype=np.int32), (count, 1))
    with chosen.current():
        fragments = _Fragments(chosen, n, count)
        exact = _edges(problem, np.arange(n), Nearest(CANDIDATES).of(problem))
        random = philox(key)
        fragments.add([exact, *(exact.lengthened(random) for _ in range(count - 1))])
        for _ in range(ROUNDS):
            if not any(map(len, open_ends := fragments.open_ends())):
                break
            fragments.add([_edges_between(problem, ends) for ends in open_ends])
        else:
            fragments.add(fragments.in_a_row(_places(problem)))
        return fragments.tours()


@dataclass(frozen=True)
class _Edges:
    """Sorted edges. Up to edge number `horizon[c]`, all edges of city c are listed."""

    pairs: NDArray[Any]  # (m, 2) int32
    lengths: NDArray[Any]
    horizon: NDArray[Any]  # (n,) int32

    def lengthened(self, random: np.random.Generator) -> _Edges:
        """Return the edges sorted by randomly increased lengths."""
        longer = self.lengths * random.uniform(1.0, 1.0 + NOISE, len(self.lengths))
        order = np.argsort(longer, kind="stable")
        everything = np.full_like(self.horizon, len(order))
        return _Edges(self.pairs[order], self.lengths[order], everything)


def _edges(problem: TSP, cities: NDArray[Any], lists: CandidateLists) -> _Edges:
    """Return the edges of candidate lists; row r belongs to cities[r]."""
    n, degree = problem.n, lists.degree
    a = np.repeat(cities.astype(np.int64), degree)
    b = lists.cities.ravel().astype(np.int64)
    keys, listed = np.unique(np.minimum(a, b) * n + np.maximum(a, b), return_inverse=True)
    low, high = keys // n, keys % n
    lengths = problem.lengths(low, high)
    order = np.argsort(lengths, kind="stable")  # ties stay in the order of the cities
    horizon = np.full(n, len(order), np.int32)
    if degree < len(cities) - 1:
        ranks = np.empty_like(order)
        ranks[order] = np.arange(len(order))
        horizon[cities] = ranks[listed].reshape(-1, degree).max(axis=1)
    pairs = np.stack([low, high], axis=1).astype(np.int32)
    return _Edges(pairs[order], lengths[order], horizon)


def _edges_between(problem: TSP, ends: NDArray[Any]) -> _Edges:
    """Return candidate edges between the ends of fragments."""
    lists = nearest_lists(problem, max(0, min(CANDIDATES, len(ends) - 1)), ends)
    return _edges(problem, ends, lists)


def _places(problem: TSP) -> NDArray[Any]:
    """Return the place of each city in a tour that takes little time to make."""
    if problem.coordinates is None:
        return np.arange(problem.n)
    return np.argsort(space_filling_curve(problem, backend="cpu")[0])


class _Fragments:
    """The growing paths of a batch of tours, on a backend."""

    def __init__(self, backend: Backend, n: int, size: int) -> None:
        xp = backend.xp
        self.backend, self.n, self.size = backend, n, size
        self.mates = xp.tile(xp.arange(n, dtype="int32"), (size, 1))
        self.links = xp.full((size, n, 2), -1, "int32")
        self._waiting = xp.empty((size, n), "uint8")

    def add(self, edges: list[_Edges]) -> None:
        """Add the edges that fit, in their order; `edges` has one entry per tour."""
        asarray = self.backend.xp.asarray
        first = np.cumsum([0, *(len(e.lengths) for e in edges)])
        arguments = {
            "n": self.n,
            "first_edges": asarray(first.astype(np.int64)),
            "edges": asarray(np.concatenate([e.pairs for e in edges])),
            "horizons": asarray(np.stack([e.horizon for e in edges])),
            "mates": self.mates,
            "links": self.links,
            "waiting": self._waiting,
        }
        self.backend.launch(greedy_edges_kernel(self.backend.warp()), self.size, arguments)

    def open_ends(self) -> list[NDArray[Any]]:
        """Return the ends of each tour's fragments; empty if only one fragment is left."""
        mates = self.backend.to_numpy(self.mates)
        ends = [np.flatnonzero(row >= 0) for row in mates]
        return [e if len(e) > 2 else e[:0] for e in ends]

    def in_a_row(self, places: NDArray[Any]) -> list[_Edges]:
        """Return edges that join the fragments of each tour, in the order of their first places."""
        found = []
        for mates in self.backend.to_numpy(self.mates):
            ends = np.flatnonzero(mates >= 0)
            heads = ends[places[ends] <= places[mates[ends]]]
            heads = heads[np.argsort(places[heads])]
            pairs = np.stack([mates[heads[:-1]], heads[1:]], axis=1).astype(np.int32)
            horizon = np.full(self.n, len(pairs), np.int32)
            found.append(_Edges(pairs, np.zeros(len(pairs)), horizon))
        return found

    def tours(self) -> Any:
        """Close the last fragment of each tour; return the tours on the host, city 0 first."""
        xp, rows = self.backend.xp, self.backend.xp.arange(self.size)
        a = (self.mates >= 0).argmax(axis=1)
        b = self.mates[rows, a]
        self.links[rows, a, 1] = b
        self.links[rows, b, 1] = a
        tours = xp.empty((self.size, self.n), "int32")
        arguments = {"n": self.n, "links": self.links, "tours": tours}
        self.backend.launch(follow_links_kernel(self.backend.warp()), self.size, arguments)
        return self.backend.to_numpy(tours)
