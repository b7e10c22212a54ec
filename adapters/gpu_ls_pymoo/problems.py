"""Problems on both sides: ours as a pymoo problem, and pymoo's as one of ours."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from pymoo.core.problem import Problem
from pymoo.problems.single.traveling_salesman import TravelingSalesman
from scipy.spatial.distance import cdist

from gpu_ls_plugin.core.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.core.feasibility import violation
from gpu_ls_plugin.evolution.batches.rows import as_tours, checked, checked_rows
from gpu_ls_plugin.evolution.bound.recognition import sample_tours
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.plugins.loader import plugins
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_plugin.tours.problem.tsp import TSP
from gpu_ls_pymoo.multi_objective import MultiObjectiveTSP
from gpu_ls_pymoo.recognition import require_own_evaluation, require_tour_lengths
from gpu_ls_pymoo.remedies import kind_of, remedy, wrapper_of
from gpu_ls_pymoo.remembered import Remembered
from gpu_ls_pymoo.vehicle_routing import CVRPProblem

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core import problem as problems
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_plugin.tours.problem import multi_objective

    Fitness = NDArray[np.float64]

_BLOCK = 2**20  # distances compared at once


class TSPProblem(ShownParameters, Problem):
    """A TSP as a pymoo problem: tours are rows of integers, evaluated all at once.

    Parameters
    ----------
    tsp : gpu_ls_plugin.TSP
        The instance, kept as it is in `tsp`. If it knows its optimum, pymoo shows the gap. If it is
        under an objective that says which tours may be results, that is a constraint ``G``.

    Raises
    ------
    InvalidTypeError
        `tsp` is not a TSP.
    """

    def __init__(self, tsp: TSP) -> None:
        if not isinstance(tsp, TSP):
            raise InvalidTypeError(
                f"tsp: {type(tsp).__name__} is not a gpu_ls_plugin.TSP; {wrapper_of(tsp)}"
            )
        constraints = int(tsp.constrained)
        super().__init__(
            n_var=tsp.n, n_obj=1, n_ieq_constr=constraints, xl=0, xu=tsp.n - 1, vtype=int
        )
        self.tsp = tsp

    def _evaluate(self, rows: Any, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        tours = as_tours(rows)
        out["F"] = self.tsp.cost(tours)
        if self.n_ieq_constr:
            out["G"] = violation(self.tsp, tours)

    def _calc_pareto_front(self, *args: Any, **kwargs: Any) -> Any:
        return None if self.tsp.optimum is None else np.array([[self.tsp.optimum]], dtype=float)

    def name(self) -> str:
        """Return the instance's name."""
        return self.tsp.name or super().name()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # immutable: a saved history of a thousand generations holds one problem


def as_tsp(problem: object) -> problems.Problem:
    """Return the TSP behind a pymoo problem, or what other problem a plugin answers with.

    Parameters
    ----------
    problem : object
        A `TSPProblem`, pymoo's `TravelingSalesman`, a TSP, or anything that a plugin answers for
        by the hook `gpu_ls_problem_from`. The answer is kept until the problem is destroyed. Of a
        `CVRPProblem`, the TSP of its giant tours, under its constraints. A subclass must evaluate
        tours as its base does: a few are compared.

    Returns
    -------
    TSP

    Raises
    ------
    InvalidTypeError
        No plugin knows the type, or it is a problem of gpu_ls_plugin that has to be wrapped.
    UnsupportedProblemError
        The answer has another number of cities than the problem has variables, or the problem
        evaluates something else than lengths.
    """
    if isinstance(problem, TSP):
        return problem
    if isinstance(problem, TSPProblem | CVRPProblem):
        return _wrapped(problem)
    if isinstance(problem, MultiObjectiveTSP):
        raise UnsupportedProblemError(
            "problem: a MultiObjectiveTSP has several lengths, and this operator takes one; use "
            "LocalSearchMutation, MemeticNSGA2, SegmentCrossover or operators of pymoo"
        )
    if advice := wrapper_of(problem, ""):
        raise InvalidTypeError(f"problem: {problem!r} is not a problem of pymoo; {advice}")
    known = _answers.get(problem)
    if known is None:
        known = _recognised(problem)
        _check_size(problem, known)
        _answers.keep(problem, known)
    return known


def tsp_of_pymoo(problem: object) -> TSP | None:
    """Return the TSP of pymoo's own problem types, None for any other object.

    A `TravelingSalesman` in the plane becomes real Euclidean distances between its cities; where
    its matrix `D` holds anything else (three dimensions, changed entries), the matrix is taken.

    Raises
    ------
    UnsupportedProblemError
        It is of a subclass that evaluates something else than these lengths.
    """
    if isinstance(problem, TSPProblem | CVRPProblem):
        return _wrapped(problem)
    if not isinstance(problem, TravelingSalesman):
        return None
    if np.shape(problem.cities)[1] == 2 and _euclidean(problem):
        tsp = TSP(problem.cities, "EUC", name=problem.name())
    else:
        tsp = TSP.from_matrix(np.asanyarray(problem.D, dtype=np.float64), name=problem.name())
    require_tour_lengths(problem, tsp)
    return tsp


def tours_of(problem: object) -> problems.Problem | multi_objective.MultiObjectiveTSP:
    """Return that of which a pymoo problem's rows are tours: it knows n and `writing`.

    Raises
    ------
    InvalidTypeError, UnsupportedProblemError
        As `as_tsp`.
    """
    return lengths_of(problem) if isinstance(problem, MultiObjectiveTSP) else as_tsp(problem)


def lengths_of(problem: MultiObjectiveTSP) -> multi_objective.MultiObjectiveTSP:
    """Return the several lengths by which tours are searched.

    Raises
    ------
    UnsupportedProblemError
        A subclass evaluates something else.
    """
    tours = problem.tours
    require_own_evaluation(problem, MultiObjectiveTSP, lambda: sample_tours(tours.objectives[0]))
    return tours


def cities_of(problem: Any) -> problems.Problem:
    """Return a TSP of as many cities, for what does not ask for lengths.

    Of permutations that are not recognised as tours, one whose cities are all at one place.
    """
    if isinstance(problem, MultiObjectiveTSP):
        return problem.tours.objectives[0]
    try:
        return as_tsp(problem)
    except (InvalidTypeError, UnsupportedProblemError):
        if isinstance(problem, Problem) and kind_of(problem) == "i":
            return unmeasured(problem.n_var)
        raise


@lru_cache(maxsize=4)
def unmeasured(n: int) -> TSP:
    """Return a problem of n cities for parts that do not look at lengths."""
    return TSP(np.zeros((n, 2)))


def canonical_tours(problem: object, rows: ArrayLike) -> Tours:
    """Return pymoo's rows as tours in canonical form, reversed only where that costs the same.

    Raises
    ------
    InvalidTourError, InvalidTypeError
        A row is not a tour of the problem; it is named.
    """
    written: Tours = tours_of(problem).canonical(rows_of(problem, rows, "tours"))
    return written


def rows_of(problem: Any, rows: ArrayLike, parameter: str) -> Tours:
    """Return pymoo's rows as solutions of `tours_of`; a row that is none is named."""
    if isinstance(problem, MultiObjectiveTSP):
        return checked(rows, lengths_of(problem).n, parameter)
    return checked_rows(as_tsp(problem), rows, parameter)


def fitness(problem: Any, tours: NDArray[np.int32], costs: Any = None) -> Fitness | None:
    """Return what the problem itself would compute as F, if `knows_fitness` says that it is known.

    Parameters
    ----------
    problem : pymoo problem
    tours : int32 array, shape (P, n)
        Valid tours.
    costs : int64 array, shape (P,), optional
        Exact integer costs of the tours, where a search has computed them already.

    Returns
    -------
    float64 array, shape (P,), or (P, M) of a MultiObjectiveTSP, or None
        None where only the problem can tell, as `knows_fitness` says. pymoo then evaluates the
        tours.
    """
    if type(problem) is MultiObjectiveTSP and problem.callback is None:
        return np.asarray(problem.tours.cost(tours), dtype=np.float64)
    if not knows_fitness(problem):
        return None
    if type(problem) in (TSPProblem, CVRPProblem):
        tsp = as_tsp(problem)
        exact = costs if costs is not None and tsp.integer else tsp.cost(tours)
        return np.asarray(exact, dtype=np.float64)
    edges = problem.D[tours, np.roll(tours, -1, axis=1)]
    total: Fitness = np.cumsum(edges, axis=1, dtype=np.float64)[:, -1]  # in pymoo's own order
    return total


def knows_fitness(problem: Any) -> bool:
    """Return whether F is what tours cost in a search, and nothing else.

    It may not be with several objectives, constraints, or an objective of the problem's own.
    """
    plain = problem.n_obj == 1 and not problem.n_constr and problem.callback is None
    return plain and type(problem) in (TSPProblem, CVRPProblem, TravelingSalesman)


def searched_by_fitness(problem: Any) -> bool:
    """Return whether what is better to a search is better to pymoo, constraints included."""
    if knows_fitness(problem):
        return True
    if problem.callback is not None:
        return False
    if type(problem) is CVRPProblem:  # with constraints, which may have prices, too
        return problem.cvrp.penalties is None
    return type(problem) is TSPProblem


def _wrapped(problem: Any) -> TSP:
    """Return the TSP behind one of our problems, whose subclasses evaluate the same."""
    kind = TSPProblem if isinstance(problem, TSPProblem) else CVRPProblem
    tsp: TSP = problem.tsp if kind is TSPProblem else problem.cvrp.tsp
    require_own_evaluation(problem, kind, lambda: sample_tours(tsp))
    return tsp


def _recognised(problem: object) -> problems.Problem:
    """Return the TSP of pymoo's problem types, or what a plugin makes of a problem.

    A plugin may also answer for a problem that is one of pymoo's types and evaluates something
    else. For other problems of pymoo, errors say what fits them.
    """
    try:
        known = tsp_of_pymoo(problem)
    except UnsupportedProblemError:
        known = None  # the plugins below raise it again, unless one of them answers
    if known is not None:
        return known
    try:
        found = plugins.problem_from(problem)
        return domain_of(found).for_operators(found)
    except InvalidTypeError as error:
        if not isinstance(problem, Problem):
            raise
        raise InvalidTypeError(f"{error}. {remedy(problem)}") from error


def _euclidean(problem: Any) -> bool:
    cities, matrix = np.asarray(problem.cities), np.asarray(problem.D)
    step = max(1, _BLOCK // len(cities))
    blocks = (slice(row, row + step) for row in range(0, len(cities), step))
    return all(
        np.allclose(matrix[block], cdist(cities[block], cities), rtol=1e-12, atol=0)
        for block in blocks
    )


def _check_size(problem: Any, tsp: problems.Problem) -> None:
    if problem.n_var != tsp.n:
        raise UnsupportedProblemError(
            f"problem: {type(problem).__name__} has {problem.n_var} variables, but the plugin's "
            f"answer has {tsp.n} cities; each variable must be one city of the tour"
        )


_answers: Remembered[problems.Problem] = Remembered()
