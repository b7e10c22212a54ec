"""Replacements of rl4co's local searches, which leave tensors on their device.

rl4co itself is not imported; a TensorDict or any mapping of tensors will do.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Protocol

from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from gpu_ls_plugin.torch.custom_operator import improve
from gpu_ls_plugin.torch.whole_demands import whole_demands

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch

# Parameters of rl4co's functions that have no meaning here.
_OF_TSP = {"num_threads"}
_OF_CVRP = {
    *("allow_infeasible_solution", "load_penalty", "max_trials", "neighbourhood_params"),
    "num_workers",
}


class Instances(Protocol):
    """Tensors by name, such as a TensorDict."""

    def __getitem__(self, name: str, /) -> Any: ...

    def get(self, name: str, default: Any, /) -> Any: ...


def local_search_tsp(
    td: Instances,
    actions: torch.Tensor,
    max_iterations: int | None = 1000,
    *,
    search: Callable[..., Any] | str | None = None,
    kicks: int | None = None,
    seconds: float | None = None,
    seed: int = 1,
    **others: Any,
) -> torch.Tensor:
    """Improve tours, in place of ``rl4co.envs.routing.tsp.local_search.local_search``.

    Write ``TSPEnv.local_search = staticmethod(local_search_tsp)``. The search runs on the device of
    `actions`, in one batch.

    Parameters
    ----------
    td : TensorDict or mapping
        ``td["distances"]``, shape (B, n, n), if there are any; otherwise ``td["locs"]``, shape
        (B, n, 2). An asymmetric matrix, such as that of DeepACO's perturbations, is replaced with
        the mean of both directions, because rl4co applies the moves of a symmetric search to every
        matrix.
    actions : Tensor of integers, shape (B, n) or (B, P, n)
        Tours. They are not changed.
    max_iterations : int, optional
        Maximum number of improving moves per tour; None: no limit.
    search, kicks, seconds, seed
        As in `improve`.
    **others
        ``num_threads`` has no effect: the environment variable GPU_LS_THREADS sets the number of
        threads. All other parameters are ignored with a warning.

    Returns
    -------
    Tensor
        Improved tours: the shape, type and device of `actions`. A row that is not a tour is
        returned unchanged.
    """
    _warn_of("local_search_tsp", others, _OF_TSP)
    return _improved(
        td, actions, search=search, moves=max_iterations, kicks=kicks, seconds=seconds, seed=seed
    )


def local_search_cvrp(
    td: Instances,
    actions: torch.Tensor,
    max_iterations: int | None = 1000,
    *,
    capacity: int | None = None,
    search: Callable[..., Any] | str | None = None,
    kicks: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    **others: Any,
) -> torch.Tensor:
    """Improve routes, in place of ``rl4co.envs.routing.cvrp.local_search.local_search``.

    Write ``CVRPEnv.local_search = staticmethod(local_search_cvrp)``. The search runs on the device
    of `actions`, in one batch. It waits for the device, to convert demands.

    Parameters
    ----------
    td : TensorDict or mapping
        ``td["distances"]``, shape (B, N + 1, N + 1), if there are any; otherwise ``td["locs"]``,
        shape (B, N + 1, 2); in both, the depot comes first. Matrices are made symmetric, as in
        `local_search_tsp`. ``td["demand"]``, shape (B, N), in the unit of
        ``td["vehicle_capacity"]``, shape (B, 1), which is 1 if it is missing.
    actions : Tensor of integers, shape (B, L) or (B, P, L)
        Sequences of customers 1..N, with 0 for the depot between routes and at the end. They are
        not changed.
    max_iterations : int, optional
        Maximum number of improving moves per row; None: no limit.
    capacity : int, optional
        Capacity of a vehicle in whole units of demand. None: the smallest one that makes all
        demands whole numbers, since loads are added exactly.
    search, kicks, seconds, seed
        As in `improve`.
    **others
        ``allow_infeasible_solution``, ``load_penalty``, ``max_trials``, ``neighbourhood_params``
        and ``num_workers``, parameters of some versions of rl4co, have no effect: routes always
        remain feasible. All other parameters are ignored with a warning.

    Returns
    -------
    Tensor
        Improved routes: the shape, type and device of `actions`, padded with 0. A row that is not
        feasible is returned unchanged.

    Raises
    ------
    InvalidParameterError
        Demands are not whole multiples of a fraction of the capacity.
    UnsupportedProblemError
        The instances have time windows.
    """
    _warn_of("local_search_cvrp", others, _OF_CVRP)
    if td.get("time_windows", None) is not None:
        raise UnsupportedProblemError(
            "td: it has time windows, which this search would break; search a gls.VRP instead"
        )
    fractions = td["demand"].detach().to(actions.device)
    capacities = td.get("vehicle_capacity", None)
    if capacities is not None:
        fractions = fractions / capacities.detach().to(actions.device).reshape(-1, 1)
    customers, capacity = whole_demands(fractions, capacity)
    demands = customers.new_zeros((len(customers), customers.shape[1] + 1))
    demands[:, 1:] = customers
    return _improved(
        td,
        actions,
        demands=demands,
        capacity=capacity,
        search=search,
        moves=max_iterations,
        kicks=kicks,
        seconds=seconds,
        seed=seed,
    )


def _improved(td: Instances, actions: torch.Tensor, **options: Any) -> torch.Tensor:
    """Return improved actions on their device."""
    coordinates: Any = None
    distances: Any = td.get("distances", None)
    if distances is None:
        coordinates = td["locs"].detach().to(actions.device)
    else:
        distances = distances.detach().to(actions.device)
        distances = (distances + distances.transpose(-1, -2)) / 2
    given = coordinates if distances is None else distances
    if len(given) != len(actions):
        raise InvalidParameterError(
            f"actions: {len(actions)} rows for {len(given)} instances; repeat the instances, as "
            "rl4co.utils.ops.batchify does, or pass actions of shape (instances, rows, length)"
        )
    found = improve(coordinates, actions.detach(), distances=distances, **options)
    return found.rows


def _warn_of(function: str, given: dict[str, Any], known: set[str]) -> None:
    """Warn of parameters that have no effect and that rl4co's function does not have, either."""
    if unknown := sorted(given.keys() - known):
        warnings.warn(f"{function} ignores {', '.join(unknown)}", UserWarning, stacklevel=3)
