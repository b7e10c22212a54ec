"""Quadratic assignment: place facilities with flows between them at locations."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from gpu_ls_plugin.assignment.problem import assignment_files, assignment_instances
from gpu_ls_plugin.assignment.problem.assignment import Assignment
from gpu_ls_plugin.backends.structs import in_order
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import FileFormatError, InvalidProblemError, InvalidTourError
from gpu_ls_plugin.core.integer_files import made_of
from gpu_ls_plugin.core.permutation_files import read_permutation, write_permutation
from gpu_ls_plugin.core.problem_data import integers_of, labels, largest
from gpu_ls_plugin.core.rows import blocks

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

MOST = 2**63  # sums stay below this
SMALL = 2**31  # kernels compute with 32-bit integers if all numbers are below this
MOST_COMPARED = 2048  # maximum number of facilities whose kinds are found
MOST_QUICK = 512  # maximum number of facilities to place greedily, which takes about 60 ms
TYPES = {np.int16: "short", np.int32: "int", np.int64: "gls::int64"}


class QuadraticAssignment(Assignment):
    """Place each facility at a different location, so that large flows have short distances.

    A row is a permutation: facility i is at location ``row[i]``. Its cost is the sum of
    ``flows[i][j] * distances[row[i]][row[j]]`` over all i and j.

    Parameters
    ----------
    flows, distances : array_like of integers, shape (n, n)
        Symmetric or not, with any diagonal; entries may be negative.
    name : str
    optimum : int, optional
        The lowest possible cost.

    Attributes
    ----------
    flows, distances : int64 arrays (n, n), read-only

    Raises
    ------
    InvalidProblemError
        Shapes are wrong, entries are not integers, or costs may exceed 64 bits.
    InvalidParameterError, InvalidTypeError
        Another parameter is out of range, or of another type.
    """

    integer = True
    distinct = True
    moves: ClassVar[tuple[str, ...]] = ("swap",)
    header = "assignment/problem/quadratic_assignment.cuh"

    def __init__(
        self,
        flows: ArrayLike,
        distances: ArrayLike,
        *,
        name: str = "",
        optimum: float | None = None,
    ) -> None:
        self.flows = _square(flows, "flows")
        self.distances = _square(distances, "distances")
        n = len(self.flows)
        if len(self.distances) != n:
            raise InvalidProblemError(
                f"distances: {len(self.distances)} locations, but flows are of {n} facilities"
            )
        if 32 * n * n * max(1, largest(self.flows)) * max(1, largest(self.distances)) >= MOST:
            raise InvalidProblemError(
                "flows: sums of products with distances may exceed 64 bits; use larger units"
            )
        super().__init__(np.full(n, n))
        self.name, _, self.optimum = labels(name, "", optimum, least=-MOST)

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, optimum: float | None = None) -> Self:
        """Read a file of QAPLIB (.dat): the first matrix has the flows, the second the distances.

        Parameters
        ----------
        path : path
        optimum : int, optional
            The lowest possible cost.

        Raises
        ------
        FileNotFoundError
            No such file.
        FileFormatError
            The file is invalid; the message names the file and the line.
        """
        read = assignment_files.read_quadratic_assignment
        return made_of(path, read, cls, optimum=optimum)

    @classmethod
    def generated(cls, n: int, seed: int | None = 0) -> Self:
        """Make an instance by the rules of Taillard (1991) for tai*a.

        Flows and distances are symmetric and have integers from 0 to 99, drawn uniformly.

        Parameters
        ----------
        n : int
            Number of facilities and locations, at most 2**14.
        seed : int or None
            Seed of the random numbers; None draws one.

        Raises
        ------
        InvalidParameterError, InvalidTypeError
            A parameter is out of range or of another type.
        """
        n = checks.integer("n", n, least=1, most=2**14)
        rng = np.random.default_rng(checks.seed(seed))
        return cls(*assignment_instances.uniform_matrices(n, rng), name=f"uniform{n}")

    def write_solution(self, state: Any, path: str | os.PathLike[str]) -> None:
        """Write the location of each facility, and the cost, as a QAPLIB solution (.sln).

        The file is written completely or not at all.

        Raises
        ------
        InvalidTourError, InvalidTypeError
            As in `check`, or the state is not a permutation.
        OSError
            The file cannot be written.
        """
        row = self._one(state)
        if not self.feasible(row)[0]:
            raise InvalidTourError("state: not a permutation, but a QAPLIB solution must be one")
        write_permutation(path, self.cost(row)[0].item(), row)

    def read_solution(self, path: str | os.PathLike[str]) -> NDArray[np.int32]:
        """Read a QAPLIB solution (.sln) as a row.

        Some files list the location of each facility, others the facility at each location. The
        cost in the file shows which it is.

        Raises
        ------
        FileNotFoundError
            No such file.
        FileFormatError
            The file is not a solution of this problem, or its cost is wrong.
        """
        cost, places = read_permutation(path, self.n, "facilities")
        both = np.array([places, places.argsort()], np.int32)
        costs = self.cost(both)
        if cost not in costs:
            raise FileFormatError(f"{path}: the solution costs {costs[0]}, not {cost} as stated")
        return np.asarray(both[costs.tolist().index(cost)])

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        return f"<QuadraticAssignment{name}: {self.n} facilities>"

    def cost(self, rows: Any, /) -> NDArray[np.int64]:
        """Return flows times distances, summed over all facilities that have a location."""
        states = self.check(rows)
        costs = np.zeros(len(states), np.int64)
        distances = np.pad(self.distances, (0, 1))  # the last row and column: for -1, no location
        for block in blocks(len(states), self.n**2):
            own = states[block]
            between = distances[own[:, :, None], own[:, None, :]]
            costs[block] = np.einsum("ij,rij->r", self.flows, between)
        return costs

    def quick_state(self) -> NDArray[np.int32]:
        """Return a greedy permutation: the facilities with the largest flows come first.

        Each is placed at its cheapest free location. If there are more than 512 facilities, the
        locations are used in order of their total distances to all others.
        """
        flows, distances = self.flows.astype(float), self.distances.astype(float)
        busiest = (flows.sum(axis=0) + flows.sum(axis=1)).argsort(kind="stable")[::-1]
        state = np.empty(self.n, np.int32)
        if self.n > MOST_QUICK:
            state[busiest] = (distances.sum(axis=0) + distances.sum(axis=1)).argsort(kind="stable")
            return state
        flows = flows[busiest][:, busiest]
        own = np.outer(flows.diagonal(), distances.diagonal())
        to, back = np.empty_like(distances), np.empty_like(distances)  # row per facility
        for number, facility in enumerate(busiest):
            ways = ((flows[number, :number], to), (flows[:number, number], back))
            costs = own[number]
            for flow, lengths in ways:  # not BLAS, whose threads might wait for each other
                costs = costs + np.einsum("i,ij->j", flow, lengths[:number])
            costs[state[busiest[:number]]] = np.inf
            state[facility] = place = int(costs.argmin())
            to[number], back[number] = distances[:, place], distances[place]
        return state

    def functor(self) -> str:
        """Return the C++ type, with number types that are large enough."""
        number, entry = (TYPES[kind] for kind in (self._number, self._entry))
        return f"gls::QuadraticAssignment<{number}, {entry}, {len(self._terms)}>"

    def words(self) -> list[Any]:
        """Return the diagonals of flows and distances, and the functor's tables."""
        data = {
            "n": self.n,
            "stride": self._stride,
            "own_flows": self.flows.diagonal().astype(self._number),
            "own_distances": self.distances.diagonal().astype(self._number),
            "tables": self._tables.astype(self._entry),
            "kinds": self.kinds,
        }
        return in_order(QuadraticAssignment.header, "QuadraticAssignmentData", data)

    def kept_bytes(self) -> int:
        """Return the bytes stored with a state: costs of moves, and vectors that update them."""
        numbers = self.n * (self._stride + 2 * len(self._terms))
        return int(np.dtype(self._number).itemsize * numbers)

    @cached_property
    def kinds(self) -> NDArray[np.int32]:
        """For each facility, the first one that has the same flows, shape (n,), int32.

        Facilities have the same flows if they could change places in any state at no cost. Those of
        more than 2,048 facilities are not compared.
        """
        kinds = np.arange(self.n, dtype=np.int32)
        if self.n > MOST_COMPARED:
            return kinds
        drawn = np.sin(self.flows.astype(float))  # sums do not depend on the order of flows
        sums = [self.flows.diagonal(), *(drawn.sum(axis=axis).round(6) for axis in (0, 1))]
        _, groups, sizes = np.unique(
            np.stack(sums), axis=1, return_inverse=True, return_counts=True
        )
        groups = groups.ravel()
        for facility in np.flatnonzero(sizes[groups] > 1).tolist():
            earlier = np.flatnonzero(groups[:facility] == groups[facility])
            firsts = np.unique(kinds[earlier]).tolist()
            kinds[facility] = next((f for f in firsts if self._same_flows(facility, f)), facility)
        kinds.flags.writeable = False
        return kinds

    def _same_flows(self, first: int, second: int) -> bool:
        """Return whether the flows stay the same if two facilities change places."""
        order = np.arange(self.n)
        order[[first, second]] = second, first
        ways = self.flows, self.flows.T
        return all(np.array_equal(flows[first], flows[second, order]) for flows in ways)

    @property
    def _stride(self) -> int:
        """Length of a row of kept costs: odd, so that a column spreads over a GPU's banks."""
        return (self.n + 1) | 1

    @cached_property
    def _terms(self) -> Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Distances and flows of each term of a pair's cost (quadratic_assignment.cuh)."""
        flows = self.flows - np.diag(self.flows.diagonal())
        distances = self.distances
        if np.array_equal(distances, distances.T):
            return [(distances, flows + flows.T)]
        if np.array_equal(flows, flows.T):
            return [(distances + distances.T, flows)]
        return [(distances.T, flows.T), (distances, flows)]

    @cached_property
    def _tables(self) -> NDArray[np.int64]:
        """The functor's tables, each with a first row and a first column of zeros, for -1."""
        padded = [np.pad(table, (1, 0)) for term in self._terms for table in term]
        one_way = padded[-2]
        alone = one_way.diagonal()
        detours = one_way + one_way.T - alone - alone[:, None]
        pairs = np.sum(padded[1::2], axis=0)
        return np.stack([detours, pairs, *(padded if len(padded) > 2 else padded[:1])])

    @cached_property
    def _number(self) -> type[np.signedinteger[Any]]:
        """The integer type that holds all numbers that kernels compute."""
        own = largest(self.flows.diagonal()) * largest(self.distances.diagonal())
        most = own + sum(
            int(np.abs(flows).sum(axis=0).max()) * largest(distances)
            for distances, flows in self._terms
        )
        change = sum(4 * largest(distances) * largest(flows) for distances, flows in self._terms)
        product = largest(self._tables[0]) * largest(self._tables[1])
        return np.int32 if 4 * most + max(change, product) < SMALL else np.int64

    @cached_property
    def _entry(self) -> type[np.signedinteger[Any]]:
        """The integer type of the tables: 16 bits if possible, to save space in the L1 cache."""
        return np.int16 if largest(self._tables) < 2**15 else self._number


def _square(given: ArrayLike, parameter: str) -> NDArray[np.int64]:
    matrix = integers_of(given, parameter, "n", "n")
    if matrix.shape[0] != matrix.shape[1]:
        raise InvalidProblemError(f"{parameter}: shape {matrix.shape} is not (n, n)")
    if len(matrix) > 2**14:
        raise InvalidProblemError(f"{parameter}: {len(matrix)} are more than {2**14}")
    matrix.flags.writeable = False
    return matrix
