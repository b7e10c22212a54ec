"""A construction with a separate route for each customer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.base import batch_size
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.routes.problem.giant_tours import written

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.core.problem import Problem


def one_route_each(
    problem: Problem,
    size: int = 1,
    *,
    seed: int | None = 0,
    backend: str | Backend = "auto",
    device: int | None = None,
) -> Any:
    """Return identical giant tours with a separate route for each customer (Schulz 2013, 4.1).

    They satisfy all constraints except, possibly, a limit on the fleet.

    Parameters
    ----------
    problem : CVRP
    seed : int or None
        Checked, but not used: nothing is random.
    size, backend, device
        As in `random_tours`.

    Returns
    -------
    ndarray, shape (size, n), int32

    Raises
    ------
    InvalidParameterError
        Giant tours have fewer copies of the depot than there are customers.
    InsufficientMemoryError
        The tours do not fit into memory.
    """
    problem = routing_problem(problem)
    checks.seed(seed)
    count = batch_size(get_backend(backend, device), problem.n, size)
    if problem.copies < problem.customers:
        raise InvalidParameterError(
            f"problem: giant tours have {problem.copies} copies of the depot, too few for "
            f"{problem.customers} routes; make the problem with copies={problem.customers}"
            + ("" if problem.fleet is None else f" (or vehicles={problem.customers})")
        )
    routes = [[customer] for customer in range(1, problem.customers + 1)]
    return np.tile(written(routes, problem.customers, problem.copies), (count, 1))
