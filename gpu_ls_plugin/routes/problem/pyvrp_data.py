"""Problems of PyVRP (Wouda, Lan and Kool 2024) as arguments of `VRP`; PyVRP is not imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.routes.problem.resources.time_windows import FAR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

MEMBERS = ("clients", "depots", "groups", "shipments", "vehicle_types")
UNLIMITED = 2**63 - 1  # how PyVRP writes that there is no limit
NO_EDGE = 2**44  # length of an edge that a pyvrp.Model lacks
LONG = 2**31  # lengths are shorter
MOST = 2**31 - 1  # largest capacity


def arguments_of(given: Any) -> dict[str, Any]:
    """Return the arguments of `VRP` for a pyvrp.Model or pyvrp.ProblemData."""
    data = given.data() if callable(getattr(given, "data", None)) else given
    if not all(callable(getattr(data, name, None)) for name in MEMBERS):
        raise InvalidTypeError(
            f"model_or_data: {given!r:.80} is neither a pyvrp.Model nor a pyvrp.ProblemData of "
            "PyVRP 0.14"
        )
    for reason in _unsupported(data):
        raise UnsupportedProblemError(f"model_or_data: {reason}, which a VRP cannot express")
    (depot,), (vehicle,), clients = data.depots(), data.vehicle_types(), data.clients()
    places = np.array([depot.location, *(client.location for client in clients)])
    lengths, durations = (
        np.array(matrix(vehicle.profile))[np.ix_(places, places)]
        for matrix in (data.distance_matrix, data.duration_matrix)
    )
    _check_edges(lengths, vehicle.unit_distance_cost)
    lengths *= vehicle.unit_distance_cost
    durations[0, 1:] += depot.service_duration
    first, last = max(depot.tw_early, vehicle.tw_early), min(depot.tw_late, vehicle.tw_late)
    windows = np.array([(first, last), *((client.tw_early, client.tw_late) for client in clients)])
    windows[windows == UNLIMITED] = FAR
    found = {
        "windows": windows,
        "release_times": [0, *(client.release_time for client in clients)],
        "durations": durations,
        "route_limit": None if vehicle.shift_duration == UNLIMITED else vehicle.shift_duration,
        "start_window": (0, vehicle.start_late) if vehicle.start_late < vehicle.tw_late else None,
    }
    return {
        **_needed(found, lengths),
        **_loads(clients, vehicle),
        "locations": None,
        "distances": lengths,
        "service_times": [0, *(client.service_duration for client in clients)],
        "vehicles": vehicle.num_available,
        "fixed_cost": vehicle.fixed_cost,
        "names": _names([depot, *clients]),
    }


def _unsupported(data: Any) -> Iterator[str]:
    """Yield what a `VRP` cannot express."""
    for name in ("depots", "vehicle_types"):
        if (number := len(getattr(data, name)())) != 1:
            yield f"it has {number} {name}"
    for name in ("groups", "shipments"):
        if getattr(data, name)():
            yield f"it has {name}"
    for number, client in enumerate(data.clients(), start=1):
        if any(client.pickup):
            yield f"client {number} has a pickup"
        if not client.required:
            yield f"client {number} is not required and has a prize of {client.prize}"
    for vehicle in data.vehicle_types():
        for name in ("unit_duration_cost", "reload_depots", "max_overtime"):
            if value := getattr(vehicle, name):
                yield f"its vehicle type has {name} {value}"
        if vehicle.max_distance < UNLIMITED:
            yield f"its vehicle type has max_distance {vehicle.max_distance}"


def _check_edges(lengths: NDArray[np.int64], unit: int) -> None:
    """Raise UnsupportedProblemError if edges are missing or too long."""
    longest = int(lengths.max(initial=0))
    if longest >= NO_EDGE:
        a, b = np.argwhere(lengths >= NO_EDGE)[0].tolist()
        raise UnsupportedProblemError(
            f"model_or_data: there is no edge from node {a} to node {b} (0 is the depot); a VRP "
            "has all edges"
        )
    if longest * unit >= LONG:
        raise UnsupportedProblemError(
            f"model_or_data: a length of {longest} at unit_distance_cost {unit} is not below "
            f"{LONG}; scale lengths down"
        )


def _needed(found: dict[str, Any], lengths: NDArray[np.int64]) -> dict[str, Any]:
    """Return the arguments about time, without those that limit nothing."""
    no_times = not found["durations"].any()  # as in models without them
    if (found["durations"] == lengths).all():
        del found["durations"]
    early, late = found["windows"].T
    if not early.any() and (late == FAR).all():
        del found["windows"]
    if not any(found["release_times"]):
        del found["release_times"]
    limits = [name for name in found if name != "durations" and found[name] is not None]
    return {} if no_times and not limits else found


def _loads(clients: list[Any], vehicle: Any) -> dict[str, Any]:
    """Return demands and capacity; initial loads take their part of the capacity."""
    demands = np.array([list(client.delivery) for client in clients], dtype=np.int64)
    totals = [sum(column) for column in zip(*demands.tolist(), strict=True)]
    free = [room - load for room, load in zip(vehicle.capacity, vehicle.initial_load, strict=True)]
    # A capacity that is too large, such as `UNLIMITED`, becomes the sum of all demands.
    rooms = [room if room <= MOST else total for room, total in zip(free, totals, strict=True)]
    used = [k for k, total in enumerate(totals) if total]
    if not used:
        return {"demands": np.zeros(len(clients) + 1, np.int64), "capacity": 1}
    table = np.vstack([np.zeros((1, len(used)), np.int64), demands[:, used]])
    if len(used) == 1:
        return {"demands": table[:, 0], "capacity": rooms[used[0]]}
    return {"demands": table, "capacity": [rooms[k] for k in used]}


def _names(nodes: list[Any]) -> list[str] | None:
    if not any(node.name for node in nodes):
        return None
    numbered = enumerate(nodes)
    return [node.name or (str(number) if number else "depot") for number, node in numbered]
