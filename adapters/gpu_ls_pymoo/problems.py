"""Conversion of pymoo problems and their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_pymoo.domains import view_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core import problem as problems
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_pymoo.view import Fitness


def as_tsp(problem: Any) -> problems.Problem:
    """Return the TSP behind a pymoo problem, or the problem of another domain.

    Parameters
    ----------
    problem : object
        A `TSPProblem`, pymoo's `TravelingSalesman`, a `DomainProblem`, a TSP, or an object that a
        plugin converts by the hook `gpu_ls_problem_from`; the result is cached until the object is
        destroyed. A `CVRPProblem` gives the TSP of its giant tours, under its constraints. A
        subclass must evaluate rows as its base does: a few rows are compared.

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
    return view_of(problem).varied()


def canonical_tours(problem: Any, rows: ArrayLike) -> Tours:
    """Return pymoo's rows as tours in canonical form, reversed only where that costs the same.

    Raises
    ------
    InvalidTourError, InvalidTypeError
        A row is not a tour of the problem; the message names the row.
    """
    view = view_of(problem)
    return view.written().canonical(view.checked(rows, "tours"))


def fitness(problem: Any, rows: NDArray[np.int32], costs: Any = None) -> Fitness | None:
    """Return F of rows, or None if only the problem can evaluate them (`View.fitness`)."""
    return view_of(problem).fitness(rows, costs)
