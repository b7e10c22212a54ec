"""The sweep construction: a ray turns around the depot and adds the customers that it meets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import get_backend
from gpu_ls_plugin.backends.base import batch_size
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import UnsupportedProblemError
from gpu_ls_plugin.routes.construction.batch import RouteBatch, VehiclesType, construction_kernel
from gpu_ls_plugin.routes.problem.cvrp import routing_problem
from gpu_ls_plugin.tours.construction.random_tours import philox

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.core.problem import Problem

BYTES_PER_CITY = 40  # bytes of device memory per city of a row


def sweep_kernel(vehicles: VehiclesType, team: str) -> Kernel:
    """Compose the kernel of sweeps."""
    body = "gls::Sweep<{team}, {vehicles}>"
    return construction_kernel("sweep", vehicles, "sweep.cuh", "SweepRays", body, team)


def sweep(
    problem: Problem,
    size: int = 1,
    *,
    seed: int | None = 0,
    backend: str | Backend = "auto",
    device: int | None = None,
) -> Any:
    """Construct giant tours by sweeps: a ray turns around the depot and adds customers it meets.

    Each customer is inserted into the current route at the shortest detour; if the vehicle cannot
    also serve this customer, the customer begins a new route (after Gillett and Miller 1974, who
    also search the tour of each route). Row 0 begins after the widest angle without customers; all
    other rows begin at a random customer and turn in a random direction. Row r depends only on
    `seed` and r.

    Parameters
    ----------
    problem : CVRP
        It must have coordinates. GEO coordinates are treated as points of a plane.
    size, seed, backend, device
        As in `random_tours`.

    Returns
    -------
    ndarray, shape (size, n), int32
        Rows may be infeasible under the same conditions as those of `savings`.

    Raises
    ------
    InsufficientMemoryError
        The tours do not fit into memory.
    UnsupportedProblemError
        The problem has a matrix instead of coordinates, or no routes.
    """
    problem = routing_problem(problem)
    key, chosen = checks.seed(seed), get_backend(backend, device)
    count = batch_size(chosen, problem.n, size, per_city=BYTES_PER_CITY)
    if problem.nodes.coordinates is None:
        raise UnsupportedProblemError(
            "problem: a sweep needs coordinates, not a matrix; use savings or cheapest_insertion"
        )
    with chosen.current():
        routes, xp = RouteBatch(chosen, problem, count), chosen.xp
        arguments = {
            "around": xp.asarray(customers_by_angle(problem.nodes.coordinates)),
            "starts": xp.asarray(_starts(philox(key), problem.customers, count)),
        }
        kernel = sweep_kernel(routes.type, chosen.warp())
        routes.launch(kernel, count, arguments)
        return chosen.to_numpy(routes.tours())


def customers_by_angle(coordinates: NDArray[Any]) -> NDArray[np.int32]:
    """Return the customers sorted by angle around the depot, beginning after the widest gap.

    Customers at the same angle are sorted by number.
    """
    x, y = (coordinates[1:] - coordinates[0]).T
    angles = np.arctan2(y, x)
    order = np.argsort(angles, kind="stable")
    gaps = np.diff(angles[order], prepend=angles[order[-1]] - 2 * np.pi)
    return np.roll(order, -int(gaps.argmax())).astype(np.int32) + np.int32(1)


def _starts(random: np.random.Generator, customers: int, count: int) -> NDArray[np.int32]:
    """Return the index at which each ray begins, or ~index if it turns backward; 0 for row 0."""
    drawn = random.integers(0, 2 * customers, count - 1)
    starts = np.where(drawn < customers, drawn, ~(drawn - customers))
    return np.concatenate([[0], starts]).astype(np.int32)
