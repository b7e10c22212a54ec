"""A TSP as a pymoo problem, and the conversion of pymoo's own TSP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pymoo.problems.single.traveling_salesman import TravelingSalesman
from scipy.spatial.distance import cdist

from gpu_ls_plugin.core.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.core.problem import Problem as OurProblem
from gpu_ls_plugin.core.text import OWN_OBJECTIVE
from gpu_ls_plugin.evolution.recognition import sample_tours
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_plugin.tours.problem.known_optima import known_optimum
from gpu_ls_plugin.tours.problem.multi_objective import MultiObjectiveTSP
from gpu_ls_plugin.tours.problem.tsp import TSP
from gpu_ls_pymoo.domain_problem import DomainProblem
from gpu_ls_pymoo.recognition import require_tour_lengths
from gpu_ls_pymoo.view import Unwrapped, plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_pymoo.view import Fitness, Rows

_BLOCK = 2**20  # maximum number of distances that are compared at once


class TSPProblem(DomainProblem):
    """A TSP as a pymoo problem: tours are rows of integers, evaluated in batches.

    Parameters
    ----------
    tsp : gpu_ls_plugin.TSP
        It becomes the attribute `tsp`. If it knows its optimum, pymoo shows the gap. If its
        objective makes some tours infeasible, the violation becomes a constraint ``G``.

    Raises
    ------
    InvalidTypeError
        `tsp` is not a TSP.
    """

    wraps: ClassVar[tuple[type, ...]] = (TSP,)

    def __init__(self, tsp: TSP) -> None:
        if not isinstance(tsp, TSP):
            advice = self._other_wrapper(tsp) or "pymoo's TravelingSalesman needs no wrapper"
            raise InvalidTypeError(
                f"tsp: {type(tsp).__name__} is not a gpu_ls_plugin.TSP; {advice}. {OWN_OBJECTIVE}"
            )
        self.tsp = tsp
        self._shape(0, tsp.n - 1, constraints=int(tsp.constrained))

    @staticmethod
    def _other_wrapper(problem: object) -> str:
        """Return how to wrap a problem of gpu_ls_plugin; an empty string for any other object."""
        if isinstance(problem, MultiObjectiveTSP):
            return "pass gpu_ls_pymoo.MultiObjectiveTSPProblem(problem)"
        if not isinstance(problem, OurProblem):
            return ""
        name = {"routes": "CVRPProblem", "assignment": "AssignmentProblem"}
        wrapper = name.get(domain_of(problem).name, "DomainProblem")
        return f"pass gpu_ls_pymoo.{wrapper}(problem)"

    @property
    def wrapped(self) -> TSP:
        """The TSP."""
        return self.tsp

    def searched_by_fitness(self) -> bool:
        """Return whether pymoo and a search rank tours alike; both respect constraints."""
        return self._own and self.callback is None

    def least_cost(self) -> float | None:
        """Return the published optimum of a TSPLIB instance; None for other problems."""
        return known_optimum(self.tsp) if self._own else None

    def _some_rows(self) -> NDArray[Any]:
        return sample_tours(self.tsp)


class OfTravelingSalesman(Unwrapped):
    """A view of pymoo's own `TravelingSalesman`."""

    def known_problem(self) -> TSP:
        """Return a TSP with the lengths of the problem.

        The TSP has real Euclidean lengths if the cities are in the plane and the matrix `D`
        contains their distances; otherwise it has the matrix.

        Raises
        ------
        UnsupportedProblemError
            A subclass evaluates something other than these lengths.
        """
        problem = self.pymoo_problem
        if np.shape(problem.cities)[1] == 2 and _euclidean(problem):
            tsp = TSP(problem.cities, "EUC", name=problem.name())
        else:
            tsp = TSP.from_matrix(np.asanyarray(problem.D, dtype=np.float64), name=problem.name())
        require_tour_lengths(problem, tsp)
        return tsp

    def knows_fitness(self) -> bool:
        """Return whether F is the length: subclasses may evaluate more."""
        return plain(self.pymoo_problem) and type(self.pymoo_problem) is TravelingSalesman

    def fitness(self, rows: Rows, costs: NDArray[Any] | None = None) -> Fitness | None:
        """Return F of tours, bit for bit as pymoo computes it."""
        if not self.knows_fitness():
            return None
        edges = self.pymoo_problem.D[rows, np.roll(rows, -1, axis=1)]
        total: Fitness = np.cumsum(edges, axis=1, dtype=np.float64)[:, -1]  # adds in pymoo's order
        return total

    def _recognised(self) -> Problem:
        """Return the TSP; if the problem does not evaluate lengths, ask the plugins."""
        try:
            return self.known_problem()
        except UnsupportedProblemError:
            return super()._recognised()  # raises an error, unless a plugin converts the problem


def _euclidean(problem: Any) -> bool:
    cities, matrix = np.asarray(problem.cities), np.asarray(problem.D)
    step = max(1, _BLOCK // len(cities))
    blocks = (slice(row, row + step) for row in range(0, len(cities), step))
    return all(
        np.allclose(matrix[block], cdist(cities[block], cities), rtol=1e-12, atol=0)
        for block in blocks
    )
