"""The functions for rl4co: its dictionaries, parameters, demands and padding."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import gpu_ls_plugin as gls
from gpu_ls_plugin.core.exceptions import InvalidParameterError, UnsupportedProblemError
from tests.helpers.improving import costs_of, lengths
from tests.torch.samples import BATCH, N, points, routes, torch, tours

pytestmark = pytest.mark.usefixtures("calls")
CAPACITY = 12


def instances(capacity: float = CAPACITY, customers: int = 9) -> tuple[dict[str, Any], Any]:
    """Return what rl4co's CVRPEnv holds, with demands as float32 fractions, and actions."""
    demands, actions = routes(customers=customers)
    td = {
        "locs": points(BATCH, customers + 1),
        "demand": demands.float() / capacity,
        "vehicle_capacity": torch.ones(BATCH, 1),
    }
    return td, actions


def test_tours_become_shorter() -> None:
    td, given = {"locs": points()}, tours()
    found = gls.torch.local_search_tsp(td, given)
    assert found.dtype == given.dtype and found.shape == given.shape
    exact = lengths(td["locs"])
    assert (costs_of(exact, found) < costs_of(exact, given)).all()
    several = gls.torch.local_search_tsp(td, tours(BATCH, 4, N).int())
    assert several.shape == (BATCH, 4, N) and several.dtype == torch.int32


def test_iterations_are_moves(calls: list[dict[str, Any]]) -> None:
    gls.torch.local_search_tsp({"locs": points()}, tours())
    gls.torch.local_search_tsp({"locs": points()}, tours(), 5, seed=3, kicks=None)
    gls.torch.local_search_tsp({"locs": points()}, tours(), max_iterations=None)
    assert [call["moves"] for call in calls] == [1000, 5, None]
    assert calls[1]["seed"] == 3


def test_perturbed_distances_replace_locations(calls: list[dict[str, Any]]) -> None:
    matrices = torch.from_numpy(np.random.default_rng(5).random((BATCH, N, N), np.float32))
    td = {"locs": points(), "distances": matrices}
    given = tours()
    found = gls.torch.local_search_tsp(td, given)
    used = calls[-1]["distances"]
    assert calls[-1]["coordinates"] is None
    assert (used == used.transpose(1, 2)).all()
    mean = (matrices + matrices.transpose(1, 2)) / 2
    assert (costs_of(mean, found) < costs_of(mean, given)).all()


def test_symmetric_distances_stay_exact(calls: list[dict[str, Any]]) -> None:
    matrices = torch.cdist(points(), points())
    matrices = matrices.triu(1) + matrices.triu(1).transpose(1, 2)
    gls.torch.local_search_tsp({"distances": matrices}, tours())
    assert (calls[-1]["distances"] == matrices).all()


def test_other_parameters_are_ignored_aloud() -> None:
    with pytest.warns(UserWarning, match="local_search_tsp ignores depth, width"):
        gls.torch.local_search_tsp({"locs": points()}, tours(), width=3, depth=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gls.torch.local_search_tsp({"locs": points()}, tours(), num_threads=4)
        td, actions = instances()
        gls.torch.local_search_cvrp(td, actions, load_penalty=0.2, num_workers=2, max_trials=3)


@pytest.mark.parametrize("capacity", [12, 30, 50])
def test_fractions_become_whole_demands(capacity: int, calls: list[dict[str, Any]]) -> None:
    td, actions = instances(capacity)
    td["demand"][0, 0] = 1 / capacity  # so that no smaller capacity will do
    found = gls.torch.local_search_cvrp(td, actions)
    call = calls[-1]
    assert call["capacity"] == capacity and call["demands"].dtype == torch.int64
    assert (call["demands"][:, 0] == 0).all()
    assert (call["demands"][:, 1:].float() / capacity == td["demand"]).all()
    assert found.shape == actions.shape and found.dtype == actions.dtype


def test_routes_become_shorter_and_stay_feasible() -> None:
    td, actions = instances()
    found = gls.torch.local_search_cvrp(td, actions)
    exact = lengths(td["locs"])
    before, after = (costs_of(exact, rows, depot=True) for rows in (actions, found))
    assert (after <= before).all() and (after < before).any()
    for demand, row in zip(td["demand"].double() * CAPACITY, found.tolist(), strict=True):
        served, load = [], 0.0
        for customer in row:
            load = load + float(demand[customer - 1]) if customer else 0.0
            served += [customer] if customer else []
            assert load <= CAPACITY + 1e-4
        assert sorted(served) == list(range(1, 10))


def test_the_capacity_may_be_said_or_scaled(calls: list[dict[str, Any]]) -> None:
    td, actions = instances()
    gls.torch.local_search_cvrp(td, actions, capacity=3 * CAPACITY)
    assert (calls[-1]["demands"][:, 1:] / 36 - td["demand"]).abs().max() < 1e-6
    td["demand"], td["vehicle_capacity"] = td["demand"] * 24, torch.full((BATCH, 1), 24.0)
    gls.torch.local_search_cvrp(td, actions)
    assert CAPACITY % calls[-1]["capacity"] == 0
    del td["vehicle_capacity"]
    with pytest.raises(InvalidParameterError, match="between 0 and 1"):
        gls.torch.local_search_cvrp(td, actions)


def test_demands_that_are_not_whole_are_refused() -> None:
    td, actions = instances()
    td["demand"] = td["demand"] + 1e-3 * torch.rand(td["demand"].shape)
    with pytest.raises(InvalidParameterError, match="not whole multiples of 1/k"):
        gls.torch.local_search_cvrp(td, actions)
    with pytest.raises(InvalidParameterError, match="multiples of 1/12 "):
        gls.torch.local_search_cvrp(td, actions, capacity=12)
    td["demand"][1, 2] = float("nan")
    with pytest.raises(InvalidParameterError, match="between 0 and 1"):
        gls.torch.local_search_cvrp(td, actions)


@pytest.mark.parametrize("capacity", [1, 7, 20, 33, 150, 997, 2039, 2048])
def test_each_capacity_is_found(capacity: int) -> None:
    from gpu_ls_plugin.torch.whole_demands import whole_demands

    demands = torch.from_numpy(np.random.default_rng(1).integers(1, capacity + 1, (20, 60)))
    demands[0, 0] = 1
    found, unit = whole_demands(demands.float() / capacity)
    assert unit == capacity and (found == demands).all()


def test_other_kinds_of_instances_are_refused() -> None:
    td, actions = instances()
    with pytest.raises(UnsupportedProblemError, match="time windows"):
        gls.torch.local_search_cvrp({**td, "time_windows": actions}, actions)
    with pytest.raises(InvalidParameterError, match=r"6 rows for 3 instances; .*batchify"):
        gls.torch.local_search_tsp({"locs": points()}, tours(6, N))


def test_gradients_of_instances_do_not_matter() -> None:
    where = points().requires_grad_()
    assert not gls.torch.local_search_tsp({"locs": where}, tours()).requires_grad
