"""The domains that this package has a file for, a line for each."""

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

# What makes pymoo problems of ours; the last one takes what has none of its own.
WRAPPERS: tuple[Wrapper, ...] = (
    CVRPProblem,
    AssignmentProblem,
    MultiObjectiveTSPProblem,
    TSPProblem,
    DomainProblem,
)
# Pymoo's own problems that are known here.
KNOWN: tuple[tuple[type, type[Unwrapped]], ...] = ((TravelingSalesman, OfTravelingSalesman),)


def view_of(problem: Any) -> View:
    """Return what answers for a problem: itself, if it is of this package.

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
    """Return the class that makes a problem of ours one of pymoo's; None of any other object."""
    return next((made for made in WRAPPERS if isinstance(problem, made.wraps)), None)


def advice(problem: object) -> str:
    """Return how to wrap a problem of ours; nothing of any other object."""
    wrapper = wrapper_of(problem)
    return "" if wrapper is None else f"pass gpu_ls_pymoo.{wrapper.__name__}(problem)"
