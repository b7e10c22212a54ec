"""The wrappers of problems, a line for each."""

from __future__ import annotations

from typing import Any

from pymoo.problems.single.traveling_salesman import TravelingSalesman

from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_pymoo.assignment import AssignmentProblem
from gpu_ls_pymoo.domain_problem import DomainProblem
from gpu_ls_pymoo.multi_objective import MultiObjectiveTSPProblem
from gpu_ls_pymoo.tours import OfTravelingSalesman, TSPProblem
from gpu_ls_pymoo.vehicle_routing import CVRPProblem
from gpu_ls_pymoo.view import Bare, Unwrapped, View

Wrapper = type[DomainProblem] | type[MultiObjectiveTSPProblem]

# Wrappers of problems of gpu_ls_plugin; the last one is for all other problems.
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
    """Return the view of a problem, which is the problem itself if it is of this package.

    InvalidTypeError: it is a problem of gpu_ls_plugin that has to be wrapped.
    """
    if isinstance(problem, View):
        return problem
    wrapper = wrapper_of(problem)
    if wrapper is not None:
        if wrapper.bare:
            return Bare(problem)
        raise InvalidTypeError(f"problem: {problem!r} is not a problem of pymoo; {advice(problem)}")
    view = next((view for kind, view in KNOWN if isinstance(problem, kind)), Unwrapped)
    return view(problem)


def wrapper_of(problem: object) -> Wrapper | None:
    """Return the wrapper for a problem of gpu_ls_plugin; None for any other object."""
    return next((made for made in WRAPPERS if isinstance(problem, made.wraps)), None)


def advice(problem: object) -> str:
    """Return how to wrap a problem of gpu_ls_plugin; an empty text for any other object."""
    wrapper = wrapper_of(problem)
    return "" if wrapper is None else f"pass gpu_ls_pymoo.{wrapper.__name__}(problem)"
