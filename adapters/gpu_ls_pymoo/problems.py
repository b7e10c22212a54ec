"""The wrappers of problems, and the conversion of problems and their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pymoo.problems.single.traveling_salesman import TravelingSalesman

from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_pymoo.assignment import AssignmentProblem
from gpu_ls_pymoo.domain_problem import DomainProblem
from gpu_ls_pymoo.multi_objective import MultiObjectiveTSPProblem
from gpu_ls_pymoo.sequences import OfPermutations, of_permutations
from gpu_ls_pymoo.tours import OfTravelingSalesman, TSPProblem
from gpu_ls_pymoo.vehicle_routing import CVRPProblem
from gpu_ls_pymoo.view import Bare, Unwrapped, View

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core import problem as problems
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_pymoo.view import Fitness

Wrapper = type[DomainProblem] | type[MultiObjectiveTSPProblem]

# Wrappers for problems of gpu_ls_plugin; the last one is for problems of all other domains.
WRAPPERS: tuple[Wrapper, ...] = (
    CVRPProblem,
    AssignmentProblem,
    MultiObjectiveTSPProblem,
    TSPProblem,
    DomainProblem,
)
# pymoo's own problems that this package supports.
KNOWN: tuple[tuple[type, type[Unwrapped]], ...] = ((TravelingSalesman, OfTravelingSalesman),)


def view_of(problem: Any) -> View:
    """Return the view of a problem; a problem of this package is itself a view.

    A problem of gpu_ls_plugin that has to be wrapped raises InvalidTypeError.
    """
    if isinstance(problem, View):
        return problem
    wrapper = wrapper_of(problem)
    if wrapper is not None:
        if wrapper.bare:
            return Bare(problem)
        raise InvalidTypeError(
            f"problem: {problem!r} is not a problem of pymoo; pass "
            f"gpu_ls_pymoo.{wrapper.__name__}(problem)"
        )
    usual = OfPermutations if of_permutations(problem) else Unwrapped
    return next((view for kind, view in KNOWN if isinstance(problem, kind)), usual)(problem)


def wrapper_of(problem: object) -> Wrapper | None:
    """Return the wrapper for a problem of gpu_ls_plugin; None for any other object."""
    return next((made for made in WRAPPERS if isinstance(problem, made.wraps)), None)


def as_tsp(problem: Any) -> problems.Problem:
    """Return the TSP of a pymoo problem, or its gpu_ls_plugin problem if rows are not tours.

    Parameters
    ----------
    problem : object
        A `TSPProblem`, pymoo's `TravelingSalesman`, a `DomainProblem`, a TSP, or an object that a
        plugin converts through the hook `gpu_ls_problem_from`; the result is cached until the
        object is destroyed. For a `CVRPProblem`, the result is the TSP of its giant tours, under
        its constraints. A subclass must evaluate rows as its base does; a few rows are checked.

    Returns
    -------
    TSP

    Raises
    ------
    InvalidTypeError
        No plugin knows the type, or it is a problem of gpu_ls_plugin that has to be wrapped.
    UnsupportedProblemError
        The numbers of cities and of variables differ, or the problem evaluates something other
        than lengths.
    """
    return view_of(problem).for_operators()


def canonical_tours(problem: Any, rows: ArrayLike) -> Tours:
    """Return pymoo's rows as tours in canonical form; if a row is not a tour, the error names it.

    Tours are reversed only if lengths are symmetric.
    """
    view = view_of(problem)
    return view.writer().canonical(view.check_rows(rows, "tours"))


def fitness(problem: Any, rows: NDArray[np.int32], costs: Any = None) -> Fitness | None:
    """Return F of rows; None if pymoo has to evaluate the problem instead (`View.fitness`)."""
    return view_of(problem).fitness(rows, costs)
