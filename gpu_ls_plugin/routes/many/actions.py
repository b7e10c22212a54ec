"""Improves action sequences of many vehicle routing problems, without a copy to the host."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from gpu_ls_plugin.backends.tuning import ONE_THREAD
from gpu_ls_plugin.core.budget import NO_LIMIT, Stopwatch
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.routes.many import kernels
from gpu_ls_plugin.routes.many.instances import GivenInstances, RouteInstances
from gpu_ls_plugin.routes.many.searches import InstanceChains, descend, start_of
from gpu_ls_plugin.routes.removals.string_removal import StringRemoval
from gpu_ls_plugin.runs.acceptance import Annealing
from gpu_ls_plugin.runs.drive import drive
from gpu_ls_plugin.runs.stretch import Leg, Stretch
from gpu_ls_plugin.tours.engines.chains.rounds import Rounds
from gpu_ls_plugin.tours.problem.metrics import BUILT_IN_METRICS

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend

# After 1,000 kicks of random rows with 100 customers and capacity for 10, rows cost 0.4 % less with
# 20 customers per kick than with 10; for the same processor time, both are about equally good.
ACCEPT = Annealing(0.5, 0.02)
KICK = StringRemoval(20, 20)
NEVER = 1 << 62  # number of kicks of rows that chains leave alone


class ImprovedActions(NamedTuple):
    """Action sequences after a search, as arrays of its backend.

    Attributes
    ----------
    rows : int32 array, shape (R, m)
    costs : float64 array, shape (R,)
        Computed from scratch; NaN if the row is not valid.
    valid : bool array, shape (R,)
        Whether the given row is valid. Other rows are returned unchanged.
    """

    rows: Any
    costs: Any
    valid: Any


def improve_actions(
    backend: Backend,
    coordinates: Any,
    demands: Any,
    capacity: Any,
    rows: Any,
    *,
    replicas: int = 1,
    moves: int | None = None,
    kicks: int | None = None,
    seconds: float | None = None,
    seed: int = 1,
    distances: Any = None,
    symmetric: bool = False,
) -> ImprovedActions:
    """Improve action sequences of B vehicle routing problems with N customers each.

    Each row descends to a local optimum. With `kicks`, it then goes on as a chain of string
    removals. The sequence of a row is a list of customers 1..N, route after route, with the depot,
    0, between two routes, and 0 in all places that are left at the end; more zeros do no harm.

    All work is queued on the backend. Without `seconds`, nothing is copied to the host and nothing
    waits for the device.

    Parameters
    ----------
    coordinates : float64 array of the backend, shape (B, N + 1, 2), or None
        Places of the depot and of the customers; lengths are Euclidean.
    demands : int64 array of the backend, shape (B, N + 1)
        The depot's is 0. Rows of an instance with a negative demand, or with a total of 2^31 or
        more, are not valid.
    capacity : int64 array of the backend, shape (B,)
    rows : int32 array of the backend, shape (R, m)
        R = B * `replicas`; the rows of an instance follow each other. The array is not changed.
    replicas : int
        Number of rows of each instance.
    moves : int, optional
        Maximum number of moves of a row in the descent.
    kicks : int, optional
        Number of kicks of a row after the descent; none by default.
    seconds : float, optional
        No launch begins after this time; with it, the call waits for each launch.
    seed : int
        Seed of the kicks. A result depends on the seed, on the number of the row and on the width
        of rows, which limits the number of routes.
    distances : float64 array of the backend, shape (B, N + 1, N + 1), optional
        Lengths, instead of `coordinates`; none is negative.
    symmetric : bool
        Whether lengths of `distances` are the same in both directions. If not, no move reverses a
        part of a route.

    Returns
    -------
    ImprovedActions
        No row costs more than the given one.
    """
    watch = Stopwatch.of(math.inf if seconds is None else seconds)
    width = rows.shape[1]
    instances = _instances(backend, coordinates, demands, capacity, width, distances, symmetric)
    of_all = instances.of_rows(instances.count * replicas)
    read = _read(instances, rows, of_all)
    tours, states = read["tours"], read["states"]
    descend(
        instances,
        tours,
        moves=NO_LIMIT if moves is None else moves,
        states=states,
        seconds=watch.left,
    )
    if kicks:
        tours = _kicked(instances, tours, read["kick_counts"], kicks, seed, watch)
    return _written(instances, rows, tours, read, of_all)


def _instances(
    backend: Backend,
    coordinates: Any,
    demands: Any,
    capacity: Any,
    width: int,
    distances: Any,
    symmetric: bool,
) -> RouteInstances:
    """Return instances whose rows have as many copies of the depot as `width` has room for."""
    customers = demands.shape[1] - 1
    copies = max(1, min(customers, width - customers + 1))
    explicit = distances is not None
    metric = BUILT_IN_METRICS["EXPLICIT_REAL" if explicit else "EUC"]()
    places = distances if explicit else coordinates
    mirrored = symmetric or not explicit
    n = customers + copies
    given = GivenInstances(metric, places, demands, capacity, n, symmetric=mirrored)
    return RouteInstances(backend, given)


def _read(instances: RouteInstances, rows: Any, of_all: dict[str, Any]) -> dict[str, Any]:
    """Check action sequences; return their giant tours and other arrays, by name."""
    backend, count = instances.backend, len(rows)
    xp, sizes = backend.xp, instances.sizes
    read = {
        "actions": rows,
        "width": rows.shape[1],
        "never": NEVER,
        "visited": xp.zeros((count, sizes.customers + 1), "uint8"),
        "tours": xp.zeros((count, sizes.n), "int32"),
        "valid": xp.empty(count, "bool"),
        "states": xp.empty(count, "uint8"),
        "kick_counts": xp.empty(count, "int64"),
        "given_costs": xp.empty(count, "float64"),
    }
    kernel = kernels.read_kernel(instances.given.metric, ONE_THREAD[backend.name])
    backend.launch(kernel, count, {**of_all, **read})
    return read


def _kicked(
    instances: RouteInstances, tours: Any, counts: Any, kicks: int, seed: int, watch: Stopwatch
) -> Any:
    """Return the best giant tours of chains of `kicks` kicks, less those in `counts`."""
    start = start_of(instances, tours, seed)
    chains = InstanceChains(instances, start, ACCEPT, KICK.arguments, counts)
    stretch = Stretch(kicks=kicks, seconds=watch.seconds)
    if watch.seconds == math.inf:
        chains.advance(kicks, *Leg(stretch).level(ACCEPT, 0, kicks), math.inf)
    else:
        ended = drive(Rounds(chains, Statistics()), stretch, watch=watch)
        if ended == "interrupt":
            raise KeyboardInterrupt
    return chains.best_tours


def _written(
    instances: RouteInstances, rows: Any, tours: Any, read: dict[str, Any], of_all: dict[str, Any]
) -> ImprovedActions:
    """Return giant tours as action sequences, or the given rows if these cost less."""
    backend, xp = instances.backend, instances.backend.xp
    found = ImprovedActions(xp.empty_like(rows), xp.empty(len(rows), "float64"), read["valid"])
    arguments = {**of_all, **read, "tours": tours, "results": found.rows, "costs": found.costs}
    kernel = kernels.write_kernel(instances.given.metric, ONE_THREAD[backend.name])
    backend.launch(kernel, len(rows), arguments)
    return found
