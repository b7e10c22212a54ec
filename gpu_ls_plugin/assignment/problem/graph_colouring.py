"""Graph colouring: colour a graph with as few conflicts as possible."""

from __future__ import annotations

import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from gpu_ls_plugin.assignment.problem import assignment_files, assignment_instances
from gpu_ls_plugin.assignment.problem.assignment import Assignment, neighbour_lists
from gpu_ls_plugin.backends.structs import in_order
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidProblemError
from gpu_ls_plugin.core.integer_files import made_of
from gpu_ls_plugin.core.problem_data import array_of, integers_of, labels
from gpu_ls_plugin.core.rows import blocks

if TYPE_CHECKING:
    import os

    from numpy.typing import ArrayLike, NDArray

# If at least this share of all pairs is joined, short rounds are best (docs/lab/assignment.md,
# "Between rounds").
DENSE, STEPS_IF_DENSE = 0.4, 10
MOST_QUICK = 4096  # maximum number of vertices to colour greedily, which takes about 40 ms


class GraphColouring(Assignment):
    """Colour the vertices of a graph so that few edges join vertices of the same colour.

    The cost of a colouring is the number of such edges (conflicts); a legal colouring has cost 0.

    Parameters
    ----------
    n : int
        Number of vertices, which are numbered from 0.
    edges : array_like of integers, shape (E, 2)
        In any order and direction; duplicates count once.
    colours : int
        Number of colours.
    name : str
    optimum : int, optional
        The minimum number of conflicts, at which a search ends; by default 0.

    Attributes
    ----------
    edges : int32 array, shape (E, 2), read-only
        Sorted; each edge occurs once, with its smaller vertex first.
    colours : int

    Raises
    ------
    InvalidProblemError
        An edge leads to a vertex that does not exist, or from a vertex to itself.
    InvalidParameterError, InvalidTypeError
        A number is out of range or of another type.
    """

    integer = True
    interchangeable = True
    moves: ClassVar[tuple[str, ...]] = ("assign",)
    header = "assignment/problem/graph_colouring.cuh"

    def __init__(
        self, n: int, edges: ArrayLike, colours: int, *, name: str = "", optimum: float | None = 0
    ) -> None:
        self.colours = _number_of_colours(colours)
        vertices = checks.integer("n", n, least=1, most=2**30)
        super().__init__(np.full(vertices, self.colours))
        self.edges = _edges_of(edges, vertices)
        if len(self.edges) >= DENSE * (vertices * (vertices - 1) / 2):
            self.steps = STEPS_IF_DENSE
        self.name, _, self.optimum = labels(name, "", optimum)

    def with_colours(self, colours: int) -> Self:
        """Return the problem of colouring the same graph with another number of colours.

        Its optimum is 0.

        Parameters
        ----------
        colours : int
            Number of colours.

        Raises
        ------
        InvalidParameterError, InvalidTypeError
            `colours` is out of range or not a number.
        """
        made = copy.copy(self)
        made.colours, made.optimum = _number_of_colours(colours), 0
        Assignment.__init__(made, np.full(self.n, made.colours))
        return made

    @classmethod
    def read(cls, path: str | os.PathLike[str], colours: int, *, optimum: float | None = 0) -> Self:
        """Read a DIMACS graph in the text format (.col).

        Parameters
        ----------
        path : path
        colours : int
            Number of colours.
        optimum : int, optional
            As in the class.

        Raises
        ------
        FileNotFoundError
            No such file.
        FileFormatError
            The file is invalid; the message names the file and the line.
        """
        read = assignment_files.read_graph
        return made_of(path, read, cls, colours, optimum=optimum)

    @classmethod
    def random(cls, n: int, density: float, colours: int, seed: int | None = 0) -> Self:
        """Make G(n, p): each pair of vertices is an edge with probability `density`.

        Parameters
        ----------
        n : int
            Number of vertices, at most 2**16.
        density : float
            Probability of an edge, 0 to 1.
        colours : int
            Number of colours.
        seed : int or None
            Seed of the random numbers; None draws one.

        Raises
        ------
        InvalidParameterError, InvalidTypeError
            A parameter is out of range or of another type.
        """
        n = checks.integer("n", n, least=1, most=2**16)
        density = checks.number("density", density, least=0.0, most=1.0)
        rng = np.random.default_rng(checks.seed(seed))
        return cls(n, assignment_instances.random_edges(n, density, rng), colours,
                   name=f"G({n},{density:g})")  # fmt: skip

    @classmethod
    def queen(cls, rows: int, columns: int, colours: int) -> Self:
        """Make the queen graph, which joins two squares if a queen can move between them.

        Parameters
        ----------
        rows, columns : int
            Size of the board, 1 to 128 each.
        colours : int
            Number of colours.

        Raises
        ------
        InvalidParameterError, InvalidTypeError
            A parameter is out of range or of another type.
        """
        rows = checks.integer("rows", rows, least=1, most=2**7)
        columns = checks.integer("columns", columns, least=1, most=2**7)
        edges = assignment_instances.queen_edges(rows, columns)
        return cls(rows * columns, edges, colours, name=f"queen{rows}_{columns}")

    @classmethod
    def mycielski(cls, k: int, colours: int) -> Self:
        """Make the triangle-free Mycielski graph that needs k colours (Mycielski 1955).

        It has 3 * 2**(k - 2) - 1 vertices. DIMACS calls it myciel<k - 1>.

        Parameters
        ----------
        k : int
            Minimum number of colours of a legal colouring, 2 to 16.
        colours : int
            Number of colours.

        Raises
        ------
        InvalidParameterError, InvalidTypeError
            A parameter is out of range or of another type.
        """
        k = checks.integer("k", k, least=2, most=16)
        n, edges = assignment_instances.mycielski_graph(k)
        optimum = 0 if colours >= k else None
        return cls(n, edges, colours, name=f"mycielski{k}", optimum=optimum)

    @classmethod
    def leighton(cls, n: int, colours: int, edges: int, seed: int | None = 0) -> Self:
        """Make a graph that needs exactly `colours` colours and hides a legal colouring.

        Cliques of 2 to `colours` vertices, at least one of the largest size, are laid over a hidden
        partition of the vertices until there are `edges` edges (Leighton 1979).

        Parameters
        ----------
        n : int
            Number of vertices, at least `colours` and at most 2**14.
        colours : int
            Number of colours, 2 to 4,096.
        edges : int
            Number of edges.
        seed : int or None
            Seed of the random numbers; None draws one.

        Raises
        ------
        InvalidParameterError, InvalidTypeError
            A parameter is out of range or of another type. For `edges`, the message gives the
            limits.
        """
        colours = checks.integer("colours", colours, least=2, most=2**12)
        n = checks.integer("n", n, least=colours, most=2**14)
        least, most = assignment_instances.leighton_limits(n, colours)
        edges = checks.integer("edges", edges, least=least, most=most)
        rng = np.random.default_rng(checks.seed(seed))
        found = assignment_instances.leighton_edges(n, colours, edges, rng)
        return cls(n, found, colours, name=f"leighton{n}_{colours}")

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        return f"<GraphColouring{name}: {self.n} vertices, {len(self.edges)} edges, " + (
            f"{self.colours} colours>"
        )

    def cost(self, rows: Any, /) -> NDArray[np.int64]:
        """Return the number of conflicts, shape (P,); vertices without a colour have none."""
        states = self.check(rows)
        costs = np.zeros(len(states), np.int64)
        first, second = self.edges.T.astype(np.intp)
        for block in blocks(len(states), max(1, len(self.edges))):
            ends = states[block].take(first, axis=1)
            same = (ends == states[block].take(second, axis=1)) & (ends >= 0)
            costs[block] = np.count_nonzero(same, axis=1)
        return costs

    def canonical(self, rows: Any, /) -> NDArray[np.int32]:
        """Return colourings with their colours renumbered in order of appearance."""
        states = self.check(rows)
        written = np.empty_like(states)
        for row, state in zip(written, states, strict=True):
            colours, first, place = np.unique(state, return_index=True, return_inverse=True)
            numbers = np.empty(len(colours), np.int32)
            numbers[np.where(colours < 0, -1, first).argsort()] = np.arange(len(colours))
            row[:] = numbers[place.ravel()] - (colours[0] < 0)
        return written

    def quick_state(self) -> NDArray[np.int32] | None:
        """Return a greedy colouring; None for more than 4,096 vertices."""
        return greedy_colouring(self, self.colours) if self.n <= MOST_QUICK else None

    def functor(self) -> str:
        """Return the C++ type; neighbours are counted in 16 bits if that is enough."""
        return f"gls::GraphColouring<{'int' if self._count_bytes == 4 else 'gls::uint16'}>"

    def words(self) -> list[Any]:
        """Return the neighbours of each vertex, and the number of colours."""
        begins, neighbours = self.neighbours
        data = {"begins": begins, "neighbours": neighbours, "colours": self.colours}
        return in_order(GraphColouring.header, "GraphColouringData", data)

    @cached_property
    def neighbours(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The neighbours of all vertices, as `neighbour_lists` returns them."""
        return neighbour_lists(self.edges, self.n)

    def kept_bytes(self) -> int:
        """Return the size in bytes of one count per vertex and colour."""
        return self._count_bytes * self.n * self.colours

    @property
    def _count_bytes(self) -> int:
        degrees = np.bincount(self.edges.ravel(), minlength=1)
        return 2 if degrees.max() < 2**16 else 4


def greedy_colouring(graph: GraphColouring, colours: int | None = None) -> NDArray[np.int32]:
    """Return a greedy colouring: vertices of largest degree first, each with the first free colour.

    The method is that of Welsh and Powell (1967). Without `colours` the colouring is legal, and the
    problem's number of colours is ignored. With `colours`, a vertex without a free colour
    gets the one that the fewest neighbours have.
    """
    begins, neighbours = graph.neighbours
    colouring = np.full(graph.n, -1, np.int32)
    for vertex in np.argsort(-np.diff(begins), kind="stable"):
        taken = colouring[neighbours[begins[vertex] : begins[vertex + 1]]]
        most = colours or len(taken) + 1
        colouring[vertex] = np.bincount(taken[taken >= 0], minlength=most)[:most].argmin()
    return colouring


def greedy_clique(graph: GraphColouring) -> list[int]:
    """Return vertices that are all neighbours of each other, so that their colours must differ.

    Vertices join the clique one by one. The next one is always the vertex with the most neighbours
    among those that can still join.
    """
    begins, neighbours = graph.neighbours
    clique: list[int] = []
    joined = np.ones(graph.n, np.bool_)  # vertices next to every vertex of the clique
    while joined.any():
        sums = np.concatenate([[0], np.cumsum(joined[neighbours])])
        within = sums[begins[1:]] - sums[begins[:-1]]
        vertex = int(np.where(joined, within, -1).argmax())
        clique.append(vertex)
        mine = np.zeros(graph.n, np.bool_)
        mine[neighbours[begins[vertex] : begins[vertex + 1]]] = True
        joined &= mine
    return clique


def _number_of_colours(colours: int) -> int:
    return checks.integer("colours", colours, least=1, most=2**20)


def _edges_of(given: ArrayLike, n: int) -> NDArray[np.int32]:
    """Return checked edges without duplicates."""
    if not array_of(given, "edges").size:
        return np.zeros((0, 2), np.int32)
    edges = integers_of(given, "edges", "E", "2")
    if edges.shape[1] != 2:
        raise InvalidProblemError(f"edges: shape {edges.shape} is not (E, 2)")
    outside = ((edges < 0) | (edges >= n)).any(axis=1)
    if outside.any():
        edge = int(outside.argmax())
        raise InvalidProblemError(
            f"edges: edge {edge} joins {edges[edge, 0]} and {edges[edge, 1]}, but vertices are "
            f"0..{n - 1}"
        )
    loops = edges[:, 0] == edges[:, 1]
    if loops.any():
        edge = int(loops.argmax())
        raise InvalidProblemError(
            f"edges: edge {edge} joins vertex {edges[edge, 0]} to itself, which no colouring "
            "allows; leave it out"
        )
    keys = np.unique(edges.min(axis=1) * n + edges.max(axis=1))
    if len(keys) >= 2**30:
        raise InvalidProblemError(f"edges: {len(keys):,} are more than 2**30 - 1")
    found = np.stack([keys // n, keys % n], axis=1).astype(np.int32)
    found.flags.writeable = False
    return found
