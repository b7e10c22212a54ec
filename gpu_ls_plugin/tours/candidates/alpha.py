"""Alpha-nearest cities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import compiling
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.tours.candidates.base import Candidates
from gpu_ls_plugin.tours.candidates.lists import CandidateLists, lists_of
from gpu_ls_plugin.tours.candidates.near_cities import compile_ahead
from gpu_ls_plugin.tours.candidates.nearest import nearest_lists
from gpu_ls_plugin.tours.candidates.one_trees import CompleteGraph, ascend
from gpu_ls_plugin.tours.candidates.sparse_graph import neighbour_graph

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.candidates.one_trees import Graph
    from gpu_ls_plugin.tours.problem.tsp import TSP

LEAST_NEIGHBOURS = 8  # minimum number of quadrant neighbours per city in the sparse graph


@dataclass(frozen=True)
class Alpha(Candidates):
    """The k alpha-nearest cities of each city, best first (Helsgaun 2000, section 4).

    The alpha of an edge is how much longer the minimum 1-tree becomes if it must contain the edge.
    Before alphas are computed, cities get penalties that make the minimum 1-tree similar to a tour.
    Ties go to the shorter edge, then to the smaller city number. Five such candidates per city
    contain about as many edges of an optimal tour as the ten nearest cities do.

    For a matrix, all edges are considered: the time is proportional to steps * n^2, and arrays of n
    x n numbers are needed. For coordinates, only the edges of a sparse graph are considered: the
    Delaunay triangulation and max(8, k) quadrant neighbours of every city. The time is proportional
    to n log n. Each list is then filled first with the two cities of least alpha and the city of
    least alpha in each quadrant; otherwise, no candidate might lead out of a cluster.

    Parameters
    ----------
    k : int
        Number of candidates per city, at least 1; capped at n - 1.
    steps : int
        Number of steps of the subgradient ascent that sets the penalties, at least 0. More than 30
        steps raise the lower bound, but hardly add optimal edges to the lists.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        k is not a positive integer, or steps is not an integer of at least 0.
    UnsupportedProblemError
        `build` gets an asymmetric problem.
    """

    k: int = 5
    steps: int = 30

    def __post_init__(self) -> None:
        checks.fields(self, checks.integer, "k", least=1)
        checks.fields(self, checks.integer, "steps", least=0)

    def compile(self, problem: TSP) -> None:
        """Compile the search for near cities, and import SciPy, so that `build` need not."""
        compile_ahead(problem)
        with compiling():
            import scipy.sparse.csgraph
            import scipy.spatial  # noqa: F401

    def build(self, problem: TSP) -> CandidateLists:
        if not problem.symmetric:
            raise UnsupportedProblemError(
                f"candidates: {self!r} needs symmetric lengths, but this matrix is asymmetric; "
                "use Nearest(k)"
            )
        k = min(self.k, problem.n - 1)
        if problem.n < 3:  # there are no 1-trees
            return nearest_lists(problem, k)
        graph = self._graph(problem, k)
        penalties, tree = ascend(graph, self.steps)
        return lists_of(problem, graph.least_alpha(k, penalties, tree))

    def _graph(self, problem: TSP, k: int) -> Graph:
        if problem.matrix is not None:
            return CompleteGraph(problem.matrix)
        return neighbour_graph(problem, max(LEAST_NEIGHBOURS, k))
