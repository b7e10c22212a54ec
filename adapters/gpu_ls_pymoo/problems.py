"""What problem of ours is behind a pymoo problem, and its rows as operators want them."""

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
        A `TSPProblem`, pymoo's `TravelingSalesman`, a `DomainProblem`, a TSP, or anything that a
        plugin answers for by the hook `gpu_ls_problem_from`. The answer is kept until the problem
        is destroyed. Of a `CVRPProblem`, the TSP of its giant tours, under its constraints. A
        subclass must evaluate rows as its base does: a few are compared.

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
    return view_of(problem).varied()


def canonical_tours(problem: Any, rows: ArrayLike) -> Tours:
    """Return pymoo's rows as tours in canonical form, reversed only where that costs the same.

    Raises
    ------
    InvalidTourError, InvalidTypeError
        A row is not a tour of the problem; it is named.
    """
    view = view_of(problem)
    return view.written().canonical(view.checked(rows, "tours"))


def fitness(problem: Any, rows: NDArray[np.int32], costs: Any = None) -> Fitness | None:
    """Return F of rows where it is known without evaluating them, as `View.fitness`."""
    return view_of(problem).fitness(rows, costs)
