"""Vehicle routing with time windows, release times, several loads, open routes and fixed costs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError, InvalidProblemError
from gpu_ls_plugin.core.problem_data import integers_of
from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_plugin.routes.problem.giant_tours import TOLERANCE
from gpu_ls_plugin.routes.problem.resources.load import Load
from gpu_ls_plugin.routes.problem.resources.time_windows import FAR, TimeWindows
from gpu_ls_plugin.routes.problem.schedules import windows_of
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.routes.problem import cvrplib
    from gpu_ls_plugin.tours.problem.metrics import Metric

EXTRAS = ("names", "scale", "fixed_cost", "start_window", "open_routes")
DIMACS = 10  # units of a length in the DIMACS convention
SPARE, MORE = 3, 1.3  # vehicles beyond those of a greedy plan, as for a CVRP


class VRP(CVRP):
    """A vehicle routing problem with time windows and other constraints, immutable.

    Solutions are giant tours, as those of `CVRP`. A cost is the length of all routes plus the fixed
    cost of each route.

    Parameters
    ----------
    locations : array_like, shape (customers + 1, 2), or None
        Positions of the depot, then of the customers; None if `distances` are given.
    demands : array_like of integers, shape (customers + 1,) or (customers + 1, dimensions)
        Demand of each node; 0 for the depot.
    capacity : int or sequence of int
        Capacity of a vehicle, for each dimension.
    windows : array_like, shape (customers + 1, 2), optional
        Earliest and latest begin of service of each node; the first row is that of the depot.
    service_times, release_times : array_like, shape (customers + 1,), optional
        How long the service takes (0 for the depot), and when a customer's goods are at the depot.
    vehicles : int, optional
        Size of the fleet; by default unlimited.
    fixed_cost : number
        Cost of a route, besides its length.
    distances, durations : array_like, shape (customers + 1, customers + 1), optional
        Lengths and times of travel; durations are lengths by default.
    route_limit : number, optional
        Maximum duration of a route: travel, service and waiting.
    start_window : (number, number), optional
        Earliest and latest start of a vehicle.
    open_routes : bool
        Whether routes end at their last customers.
    names : sequence of str, optional
        Names of all nodes, or of the customers.
    metric : str or Metric
        Metric of the lengths between locations, as for `TSP`.
    scale : int
        By how much lengths and times are larger than those that were published.
    copies, name, comment, optimum
        As for `CVRP`.

    Raises
    ------
    InvalidProblemError
        Wrong shapes or values; a customer that no route can serve in time.
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or of a wrong type.

    Examples
    --------
    >>> import gpu_ls_plugin as gls
    >>> windows = [(0, 90), (30, 40), (0, 12)]
    >>> problem = gls.VRP([(0, 0), (0, 3), (0, 5)], [0, 1, 1], 2, windows=windows, metric="EUC_2D")
    >>> problem.feasible([problem.tour([[2, 1]]), problem.tour([[1, 2]])]).tolist()
    [True, False]
    """

    fixed_cost: float = 0.0
    start_window: tuple[float, float] | None = None
    open_routes: bool = False

    def __init__(
        self,
        locations: ArrayLike | None,
        demands: ArrayLike,
        capacity: int | Sequence[int],
        *,
        windows: ArrayLike | None = None,
        service_times: ArrayLike | None = None,
        release_times: ArrayLike | None = None,
        vehicles: int | None = None,
        fixed_cost: float = 0,
        distances: ArrayLike | None = None,
        durations: ArrayLike | None = None,
        route_limit: float | None = None,
        start_window: tuple[float, float] | None = None,
        open_routes: bool = False,
        names: Sequence[str] | None = None,
        metric: str | Metric = "EUC",
        scale: int = 1,
        copies: int | None = None,
        name: str = "",
        comment: str = "",
        optimum: float | None = None,
    ) -> None:
        if (locations is None) == (distances is None):
            raise InvalidParameterError("locations: give either these or `distances`")
        scale = checks.integer("scale", scale, least=1)
        if optimum is not None and scale > 1:
            optimum = checks.number("optimum", optimum) * scale
        about = {"name": name, "comment": comment, "optimum": optimum}
        if locations is None:
            assert distances is not None
            nodes = TSP.from_matrix(distances, **about)  # type: ignore[arg-type]
        else:
            nodes = TSP(locations, metric, **about)  # type: ignore[arg-type]
        fixed_cost = checks.number("fixed_cost", fixed_cost, least=0.0)
        travel = durations
        if fixed_cost or open_routes:
            every = np.arange(nodes.n)
            lengths = nodes.distance(every[:, np.newaxis], every)
            travel = np.array(lengths if durations is None else durations)
            if open_routes:
                lengths[:, 0] = travel[:, 0] = 0
            lengths[0, 1:] += int(fixed_cost) if fixed_cost == int(fixed_cost) else fixed_cost
            nodes = TSP.from_matrix(lengths, **about)  # type: ignore[arg-type]
            travel = travel if fixed_cost or durations is not None else None
        timed = any(given is not None for given in (windows, release_times, travel, start_window))
        resources: list[Any] = []
        if timed:
            anytime = np.tile([0, FAR], (nodes.n, 1)) if windows is None else windows
            own = TimeWindows(anytime, release_times, travel, start_window, route_limit)
            if (rows := len(own.windows)) != nodes.n:
                raise InvalidProblemError(f"windows: {rows} rows, but there are {nodes.n} nodes")
            resources.append(own)
            route_limit = None
        first, first_capacity, more = _dimensions(demands, capacity)
        resources += more
        self._fill(
            *(nodes, first, first_capacity, service_times, route_limit, vehicles, copies),
            resources=tuple(resources),
        )
        for resource in resources:
            resource.check(self)
        start = None if start_window is None else resources[0].start_window
        extras = {"names": _names(names, nodes.n), "scale": scale, "fixed_cost": fixed_cost}
        self.__dict__.update(extras, start_window=start, open_routes=bool(open_routes))
        if timed:
            self._check_in_time()

    @classmethod
    def _of_instance(
        cls,
        instance: cvrplib.Instance,
        rounding: str,
        vehicles: int | None,
        copies: int | None,
        optimum: float | None,
    ) -> Self:
        names = "name comment capacity demands windows service_times release_times route_limit"
        given: dict[str, Any] = {name: getattr(instance, name) for name in names.split()}
        given |= {"vehicles": vehicles, "copies": copies, "optimum": optimum}
        if instance.matrix is not None:
            return cls(None, distances=instance.matrix, **given)
        given |= {"locations": instance.coordinates, "metric": instance.metric}
        planar = instance.metric.name in ("EUC", "EUC_2D")
        windowed = instance.windows is not None
        if rounding == "dimacs" or (rounding == "auto" and windowed and planar):
            if not planar:
                raise InvalidParameterError("rounding: 'dimacs' is for lengths of type EUC_2D")
            times = ("locations", "windows", "service_times", "release_times", "route_limit")
            given |= {key: given[key] * DIMACS for key in times if given[key] is not None}
            given |= {"metric": "FLOOR_2D", "scale": DIMACS}
        return cls(**given)

    @property
    def windows(self) -> NDArray[Any] | None:
        """Windows of all nodes, shape (customers + 1, 2), read-only; None if there are none."""
        timed = self._timed
        return None if timed is None else timed.windows

    @property
    def _timed(self) -> TimeWindows | None:
        return windows_of(self)

    @property
    def _extras(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in EXTRAS}

    def _changed(self, **changes: Any) -> Self:
        made = super()._changed(**changes)
        made.__dict__.update(self._extras)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), tuple(self._content.values()), self._extras)

    def _enough_vehicles(self) -> int:
        """Return how many vehicles suffice, at most one per customer."""
        enough, timed = super()._enough_vehicles(), self._timed
        if timed is None:
            return enough
        routes = _greedy_routes(self, timed)
        return min(self.customers, max(enough, math.ceil(MORE * routes) + SPARE))

    def _check_in_time(self) -> None:
        """Raise InvalidProblemError if a vehicle cannot serve some customer alone in time."""
        timed = self._timed
        assert timed is not None
        alone = timed.driven(self, np.arange(1, self.customers + 1)[:, np.newaxis])
        warp = alone.warps.sum(axis=1) + alone.late_start
        if self.service_times.dtype.kind == "f":
            warp[warp <= TOLERANCE * np.abs(alone.arrivals).max()] = 0
        if (warp > 0).any():
            customer = 1 + int((warp > 0).argmax())
            raise InvalidProblemError(
                f"windows: a route to customer {customer} alone is {warp[customer - 1]:.10g} late"
            )


def _restored(kind: type[VRP], content: tuple[Any, ...], extras: dict[str, Any]) -> VRP:
    made = kind._of(*content)
    made.__dict__.update(extras)
    return made


def _dimensions(demands: ArrayLike, capacity: int | Sequence[int]) -> tuple[Any, Any, list[Load]]:
    """Return demands and capacity of the first dimension, and the loads of the others."""
    if np.ndim(demands) != 2:
        return demands, capacity, []
    table = integers_of(demands, "demands", "nodes", "dimensions", signed=False)
    limits = integers_of(capacity, "capacity", "dimensions", signed=False)
    if len(limits) != table.shape[1]:
        raise InvalidProblemError(
            f"capacity: {len(limits)} numbers, but demands have {table.shape[1]} dimensions"
        )
    for k in range(1, len(limits)):
        for node in np.flatnonzero(table[:, k] > limits[k])[:1].tolist():
            raise InvalidProblemError(
                f"demands: customer {node} demands {table[node, k]} of dimension {k + 1}, more "
                f"than the capacity of {limits[k]}"
            )
        if table[0, k]:
            raise InvalidProblemError("demands: a depot demands nothing")
    more = [Load(table[:, k], int(limits[k]), f"load {k + 1}") for k in range(1, len(limits))]
    return table[:, 0], int(limits[0]), more


def _names(names: Sequence[str] | None, nodes: int) -> tuple[str, ...] | None:
    if names is None:
        return None
    given = tuple(map(str, names))
    if len(given) == nodes - 1:
        given = ("depot", *given)
    if len(given) != nodes:
        raise InvalidProblemError(f"names: {len(given)} of them, but there are {nodes} nodes")
    return given


def _greedy_routes(problem: VRP, timed: TimeWindows) -> int:
    """Return how many routes there are if each goes on to the customer that is served next."""
    windows, services = timed.windows, problem.service_times
    waiting, routes = np.arange(1, problem.customers + 1), 0
    at, time, load = 0, windows[0, 0], 0
    while len(waiting):
        begin = time + services[at] + timed.travel(problem, np.full(len(waiting), at), waiting)
        begin = np.maximum(begin, windows[waiting, 0])
        back = begin + services[waiting] + timed.travel(problem, waiting, np.zeros_like(waiting))
        fits = (begin <= windows[waiting, 1]) & (back <= windows[0, 1])
        fits &= load + problem.demands[waiting] <= problem.capacity
        if at == 0:
            routes += 1
            fits |= ~fits.any()  # one that no route can serve
        if not fits.any():
            at, time, load = 0, windows[0, 0], 0
            continue
        place = int(np.where(fits, begin, np.inf).argmin())
        at, time = int(waiting[place]), begin[place]
        load += int(problem.demands[at])
        waiting = np.delete(waiting, place)
    return routes
