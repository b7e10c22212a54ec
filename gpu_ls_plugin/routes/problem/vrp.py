"""Vehicle routing with time windows, release times, several loads, open routes and fixed costs."""

from __future__ import annotations

import contextlib
import math
import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    GpuLsError,
    InvalidParameterError,
    InvalidProblemError,
    InvalidTypeError,
    PrecisionWarning,
)
from gpu_ls_plugin.core.problem_data import dimensions_of, integers_of
from gpu_ls_plugin.routes.problem import pyvrp_data
from gpu_ls_plugin.routes.problem.complaints import late_text, with_names
from gpu_ls_plugin.routes.problem.cvrp import CVRP, MOST, _limit, _services
from gpu_ls_plugin.routes.problem.cvrplib import DIMACS
from gpu_ls_plugin.routes.problem.giant_tours import TOLERANCE, fastest
from gpu_ls_plugin.routes.problem.resources.load import Load
from gpu_ls_plugin.routes.problem.resources.time_windows import FAR, TimeWindows, checked_durations
from gpu_ls_plugin.routes.problem.schedules import any_windows_of, windows_of
from gpu_ls_plugin.tours.problem.metrics import Globe
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.routes.problem import cvrplib
    from gpu_ls_plugin.tours.problem.metrics import Metric

EXTRAS = ("names", "scale", "fixed_cost", "durations", "start_window", "open_routes")
WORDS = {  # of errors of `TSP`
    "for a matrix of lengths use from_matrix": "pass a matrix of lengths as `distances`",
    "use TSP.from_matrix(matrix)": "pass `distances`",
    "coordinates": "locations",
    "matrix:": "distances:",
}
TINY = 0.01  # times below this share of the median window seem to be degrees
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
        Earliest and latest start of the service of each node; the first row is that of the depot.
        2**50, the largest time, stands for no limit.
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
        Earliest and latest start of a vehicle; it also starts within the depot's window, and
        returns before its end.
    open_routes : bool
        Whether routes end at their last customers.
    names : sequence of str, optional
        Names of all nodes, or of the customers.
    metric : str or Metric
        Metric of the lengths between locations, as for `TSP`.
    scale : int
        Factor by which lengths and times are larger than the published ones.
    copies, name, comment, optimum
        As for `CVRP`.

    Raises
    ------
    InvalidProblemError
        Wrong shapes or values; a customer that no route can serve in time.
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or of a wrong type.

    Warns
    -----
    PrecisionWarning
        There are windows, but no durations, and lengths are kilometres of a globe or seem to be
        degrees.

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
        nodes = _nodes(locations, distances, metric, about)
        names = _names(names, nodes.n)
        places, lengths_are_times = nodes, durations is None and windows is not None
        fixed_cost = checks.number("fixed_cost", fixed_cost, least=0.0, most=float(MOST))
        if durations is not None:
            durations = checked_durations(durations, nodes.n)
        if fixed_cost or open_routes:
            nodes, durations = _with_costs(nodes, fixed_cost, durations, open_routes, about)
        with _with_names(names):
            timed = any(given is not None for given in (windows, release_times, start_window))
            timed = timed or (durations is not None and route_limit is not None)
            resources: list[Any] = []
            if timed:
                anytime = np.tile([0, FAR], (nodes.n, 1)) if windows is None else windows
                ranges = dimensions_of(anytime, "windows") == 2
                if ranges and (rows := len(np.asarray(anytime))) != nodes.n:
                    raise InvalidProblemError(
                        f"windows: {rows} rows, but there are {nodes.n} nodes"
                    )
                limit = None
                if route_limit is not None:
                    limit = min(_limit(route_limit, _services(service_times, nodes)), FAR)
                own = TimeWindows(anytime, release_times, durations, start_window, limit)
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
            for load in more:
                needed, room = load.limited(self)
                if self.fleet is not None and needed.sum() > self.fleet * room:
                    raise InvalidProblemError(
                        f"vehicles: {self.fleet} hold {self.fleet * room} of {load.name}, but "
                        f"customers demand {needed.sum()}"
                    )
        start = None if start_window is None else resources[0].start_window
        extras: dict[str, Any] = {
            "names": names,
            "scale": scale,
            "fixed_cost": fixed_cost,
        }
        extras |= {"durations": durations, "start_window": start, "open_routes": bool(open_routes)}
        self.__dict__.update(extras)
        if timed:
            with _with_names(names):
                self._check_in_time()
        if lengths_are_times and (text := _odd_times(places, own.windows)):
            warnings.warn(text, PrecisionWarning, stacklevel=2)

    @classmethod
    def from_pyvrp(cls, model_or_data: Any) -> Self:
        """Make the problem that a pyvrp.Model or pyvrp.ProblemData of PyVRP 0.14 describes.

        Customer i is client i - 1 of PyVRP. Costs are those of PyVRP, and rows are feasible if
        PyVRP's solutions are.

        Raises
        ------
        UnsupportedProblemError
            The problem has a property that a `VRP` cannot express, which the message names: several
            depots or vehicle types, pickups, shipments, groups, optional clients, reloads,
            overtime, costs of durations, limits on distances, missing edges.
        InvalidTypeError
            The argument is neither a model nor data.
        InvalidProblemError
            A client that no route can serve in time, or values out of range.
        """
        return cls(**pyvrp_data.arguments_of(model_or_data))

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
        given |= {"locations": instance.coordinates, "distances": instance.matrix}
        planar = instance.metric.name in ("EUC", "EUC_2D")
        windowed = instance.windows is not None and not instance.real
        if rounding == "dimacs" or (rounding == "auto" and windowed and planar):
            if not (planar or instance.metric.explicit):
                raise InvalidParameterError("rounding: 'dimacs' is for lengths of type EUC_2D")
            numbers = ("windows", "service_times", "release_times", "route_limit", "distances")
            tenths = {key: given[key] for key in numbers if given[key] is not None}
            given |= {key: np.trunc(DIMACS * value) for key, value in tenths.items()}
            given |= {"scale": DIMACS}
            if planar:  # truncated later
                given |= {"locations": DIMACS * given["locations"], "metric": "FLOOR_2D"}
            else:
                given["distances"] = given["distances"].astype(np.int64)
        elif not instance.metric.explicit:
            given["metric"] = instance.metric
        return cls(**given)

    @property
    def windows(self) -> NDArray[Any] | None:
        """Windows of all nodes, shape (customers + 1, 2), read-only; None if there are none."""
        timed = windows_of(self)
        return None if timed is None else timed.windows

    @property
    def inexpressible(self) -> list[str]:
        found = [name for name in ("fixed_cost", "open_routes") if getattr(self, name)]
        found += [] if self.durations is None else ["durations"]
        return list(dict.fromkeys([*found, *super().inexpressible]))

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
        enough = super()._enough_vehicles()
        if not self.resources:
            return enough
        routes = _greedy_routes(self)
        return min(self.customers, max(enough, math.ceil(MORE * routes) + SPARE))

    def _check_in_time(self) -> None:
        """Raise InvalidProblemError if no route can serve some customer in time.

        If the triangle inequality is broken, a customer may be in time only behind others.
        """
        timed = windows_of(self)
        assert timed is not None
        every = np.arange(1, self.customers + 1)
        alone = timed.driven(self, every[:, np.newaxis])
        warp = alone.warps.sum(axis=1) + alone.late_start
        limit = FAR if timed.limit is None else timed.limit
        over = alone.durations - warp - limit
        late, long = (self._positive(excess, alone.arrivals) for excess in (warp, over))
        if not (late | long).any() or not (wrong := (late | long) & _hopeless(self, timed)).any():
            return
        customer = 1 + int(wrong.argmax())
        text = f"a route to customer {customer} alone"
        if late[customer - 1]:
            warps = np.r_[alone.late_start[customer - 1], alone.warps[customer - 1]]
            found = late_text(warps, ("at the customer", "back at the depot"))
            lengths = (
                "" if self.durations is not None else "; lengths are times, without `durations`"
            )
            raise InvalidProblemError(f"windows: {text} is {found}{lengths}")
        raise InvalidProblemError(
            f"route_limit: {text} takes {over[customer - 1] + limit:.10g}, more than {limit:.10g}"
        )

    def _positive(self, excess: NDArray[Any], times: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which numbers are more than 0, and more than rounding errors of real times."""
        real = self.service_times.dtype.kind == "f"
        return excess > (TOLERANCE * np.abs(times).max() if real else 0)


@contextlib.contextmanager
def _with_names(names: Sequence[str] | None) -> Iterator[None]:
    """Add names to customers and nodes in errors."""
    try:
        yield
    except InvalidProblemError as error:
        text = with_names(str(error), names)
        if text == str(error):
            raise
        raise InvalidProblemError(text) from None


def _nodes(
    locations: ArrayLike | None, distances: ArrayLike | None, metric: Any, about: dict[str, Any]
) -> TSP:
    """Return the depot and the customers; errors name the parameters of a `VRP`."""
    try:
        if locations is None:
            assert distances is not None
            nodes = TSP.from_matrix(distances, **about)
        else:
            nodes = TSP(locations, metric, **about)
    except GpuLsError as error:
        raise type(error)(_reworded(error, WORDS)) from error
    if nodes.n < 2:
        given = "distances" if locations is None else "locations"
        raise InvalidProblemError(f"{given}: a depot alone; there are no customers")
    return nodes


def _odd_times(nodes: TSP, windows: NDArray[Any]) -> str | None:
    """Return a warning if kilometres of a globe, or degrees, would count as times of travel."""
    if isinstance(nodes.metric, Globe):
        return (
            f"durations: without them, kilometres of {nodes.metric.name} count as times; pass "
            "`durations`, times of travel in the unit of the windows"
        )
    points = nodes.coordinates
    if points is None or nodes.metric.name != "EUC" or (points == points.round()).all():
        return None
    opens, closes = windows[1:][windows[1:, 1] < FAR].T
    longest = np.hypot(*np.ptp(points, axis=0))  # no distance is longer
    degrees = (np.abs(points) <= (90, 180)).all() and len(opens) > 0
    if not degrees or longest >= TINY * np.median(closes - opens):
        return None
    return (
        "durations: without them, lengths count as times, which are tiny beside the windows; if "
        "locations are latitudes and longitudes, pass `distances` in metres instead, and "
        "`durations`, times of travel in the unit of the windows"
    )


def _with_costs(
    nodes: TSP,
    fixed_cost: float,
    durations: NDArray[Any] | None,
    open_routes: bool,
    about: dict[str, Any],
) -> tuple[TSP, NDArray[Any] | None]:
    """Return nodes whose lengths have the costs of routes, and their durations.

    Durations are None if they are these lengths.
    """
    every = np.arange(nodes.n)
    lengths = nodes.distance(every[:, np.newaxis], every)
    if not float(fixed_cost).is_integer():
        lengths = lengths.astype(np.float64)
    if durations is None and fixed_cost:
        durations = np.array(lengths)
    if open_routes:
        lengths[:, 0] = 0
        if durations is not None:
            durations = durations.copy()
            durations[:, 0] = 0
    there, back = _halves(fixed_cost, open_routes)
    lengths[0, 1:] += there
    lengths[1:, 0] += back
    if durations is not None:
        durations.setflags(write=False)
    try:
        return TSP.from_matrix(lengths, **about), durations
    except InvalidProblemError as error:
        text = _reworded(error, {"matrix:": "fixed_cost: with it,"})
        raise InvalidProblemError(text) from error


def _halves(fixed_cost: float, open_routes: bool) -> tuple[float, float]:
    """Return what leaving the depot costs, and coming back: if possible, half of the cost each.

    Searches are faster if lengths are symmetric.
    """
    whole = fixed_cost == int(fixed_cost)
    cost = int(fixed_cost) if whole else fixed_cost
    if open_routes or (whole and cost % 2):
        return cost, 0
    return (cost // 2, cost // 2) if whole else (cost / 2, cost / 2)


def _reworded(error: Exception, words: dict[str, str]) -> str:
    """Return the text of an error with some of its words replaced."""
    text = str(error)
    for old, new in words.items():
        text = text.replace(old, new)
    return text


def _restored(kind: type[VRP], content: tuple[Any, ...], extras: dict[str, Any]) -> VRP:
    made = kind._of(*content)
    made.__dict__.update(extras)
    return made


def _dimensions(demands: ArrayLike, capacity: int | Sequence[int]) -> tuple[Any, Any, list[Load]]:
    """Return demands and capacity of the first dimension, and the loads of the others."""
    if dimensions_of(demands, "demands") != 2:
        return demands, capacity, []
    table = integers_of(demands, "demands", "nodes", "dimensions", signed=False)
    limits = integers_of(capacity, "capacity", "dimensions", signed=False)
    if len(limits) != table.shape[1]:
        raise InvalidProblemError(
            f"capacity: {len(limits)} numbers, but demands have {table.shape[1]} dimensions"
        )
    if (large := max(int(table.max()), int(limits.max()))) > MOST:
        raise InvalidProblemError(f"demands, capacity: {large} is more than {MOST}")
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
    if isinstance(names, str) or dimensions_of(names, "names") != 1:
        raise InvalidTypeError(f"names: {names!r:.80} is not a sequence of names")
    for name in names:
        if not isinstance(name, str) and name != name:  # the NaN of an empty cell
            raise InvalidProblemError(f"names: {name!r} is not a name")
    given = tuple(map(str, names))
    if len(given) == nodes - 1:
        given = ("depot", *given)
    if len(given) != nodes:
        raise InvalidProblemError(f"names: {len(given)} of them, but there are {nodes} nodes")
    return given


def _hopeless(problem: VRP, timed: TimeWindows) -> NDArray[np.bool_]:
    """Return for each customer whether no route serves it in time, even over other customers."""
    nodes, services = np.arange(problem.customers + 1), problem.service_times
    there = fastest(lambda node: timed.travel(problem, node, nodes) + services[node])[1:]
    back = fastest(lambda node: timed.travel(problem, nodes, node) + services)[1:]
    first, last = timed.start_window or (0, FAR)
    early, late = timed.windows[1:].T
    start = np.maximum(timed.release_times[1:], max(timed.windows[0, 0], first))
    latest = min(timed.windows[0, 1], last)
    begin = np.maximum(start + there, early)
    limit = FAR if timed.limit is None else timed.limit
    over = np.maximum(start - latest, begin - late)
    over = np.maximum(over, begin + back - timed.windows[0, 1])
    over = np.maximum(over, np.maximum(there, early - latest) + back - limit)
    return problem._positive(over, begin)


def _greedy_routes(problem: VRP) -> int:
    """Return how many routes there are if each goes on to the customer that is served next."""
    timed = any_windows_of(problem)
    windows, releases, services = timed.windows, timed.release_times, problem.service_times
    opens = max(windows[0, 0], (timed.start_window or (0, FAR))[0])
    limit = min(FAR if at is None else at for at in (timed.limit, problem.route_limit))
    others = [part for part in problem.resources if isinstance(part, Load)]
    loads = [(problem.demands, problem.capacity), *(part.limited(problem) for part in others)]
    demands = np.stack([own for own, _ in loads], axis=1)
    rooms = np.array([room for _, room in loads])
    waiting, routes = np.arange(1, problem.customers + 1), 0
    at, time, start, load = 0, opens, 0, 0 * rooms
    while len(waiting):
        travel = timed.travel(problem, np.full(len(waiting), at), waiting)
        leave = time + services[at] if at else np.maximum(time, releases[waiting])
        begin = np.maximum(leave + travel, windows[waiting, 0])
        starts = begin - travel if at == 0 else start  # a vehicle starts when it need not wait
        back = begin + services[waiting] + timed.travel(problem, waiting, np.zeros_like(waiting))
        fits = (begin <= windows[waiting, 1]) & (back <= windows[0, 1]) & (back - starts <= limit)
        fits &= (releases[waiting] <= starts) & (load + demands[waiting] <= rooms).all(axis=1)
        if at == 0:
            routes += 1
            fits |= ~fits.any()  # one that no route can serve alone
        if not fits.any():
            at, time, load = 0, opens, 0 * rooms
            continue
        place = int(np.where(fits, begin, np.inf).argmin())
        start = np.broadcast_to(starts, fits.shape)[place]
        at, time = int(waiting[place]), begin[place]
        load = load + demands[at]
        waiting = np.delete(waiting, place)
    return routes
