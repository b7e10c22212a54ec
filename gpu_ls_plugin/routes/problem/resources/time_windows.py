"""Time windows of customers, release times, and the durations of routes with waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpu_ls_plugin.backends.structs import in_order
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    InvalidProblemError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.problem_data import dimensions_of, numbers_of
from gpu_ls_plugin.routes.problem import giant_tours
from gpu_ls_plugin.routes.problem.resources.base import Resource

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.routes.problem.giant_tours import RoutedProblem

HEADER = "routes/problem/resources/time_windows.cuh"
FAR = 2**50  # later than any time
SOFT_PRICE = 16.0  # first price of a unit of time warp
# Times have 32 bits if no sum of them reaches `MOST_SHORT`; `FAR_SHORT` then means no limit.
MOST_SHORT, FAR_SHORT = 2**28, 2**29
WAIT = 0.2  # how much nearer, by unit, nodes with waiting are than those with time warp


class Amount(NamedTuple):
    """A type of times in C++ and in NumPy, and a time that is later than any other one."""

    type: str
    dtype: str
    far: int

    def of(self, times: ArrayLike) -> NDArray[Any]:
        """Return times as an array of the type."""
        return np.minimum(times, self.far).astype(self.dtype)


SHORT = Amount("int", "int32", FAR_SHORT)


class Driven(NamedTuple):
    """Times of routes, shape (R,) or (R, stops)."""

    starts: NDArray[Any]  # of the vehicles
    arrivals: NDArray[Any]  # at each stop, if it starts then; the last stop is the depot
    waits: NDArray[Any]  # until the window of each stop opens
    warps: NDArray[Any]  # how much too late the vehicle is at each stop
    late_start: NDArray[Any]  # how much later than allowed the vehicle starts
    delays: NDArray[Any]  # how much later each vehicle starts best: it then waits less
    durations: NDArray[Any]  # of routes that start later by `delays`


class TimeWindows(Resource):
    """Windows in which the service of each customer begins; early vehicles wait.

    The excess of a route is its time warp, plus the excess of its duration if that is limited. The
    time warp is the total time by which the vehicle is late at its stops, if it goes back in time
    to the end of each missed window (Vidal, Crainic, Gendreau and Prins 2013). Each vehicle starts
    at the time that minimises first the time warp and then the duration.

    Parameters
    ----------
    windows : array_like, shape (customers + 1, 2)
        Earliest and latest start of the service of each node. The first row is the window of the
        depot, in which vehicles leave and return.
    release_times : array_like, shape (customers + 1,), optional
        No vehicle starts before the release times of all of its customers.
    durations : array_like, shape (customers + 1, customers + 1), optional
        Times of travel; by default the lengths.
    start_window : (number, number), optional
        Earliest and latest start of a vehicle.
    limit : number, optional
        Maximum duration of a route: travel, service and waiting, less time warp.

    Raises
    ------
    InvalidProblemError
        Wrong shapes or values; a window that ends before it begins; times beyond 2**50, which
        stands for no limit.
    """

    name = "time_windows"
    scaled = True

    def __init__(
        self,
        windows: ArrayLike,
        release_times: ArrayLike | None = None,
        durations: ArrayLike | None = None,
        start_window: tuple[float, float] | None = None,
        limit: float | None = None,
    ) -> None:
        self.windows = _times(windows, "windows", "nodes", "2")
        n = len(self.windows)
        if self.windows.shape != (n, 2):
            raise InvalidProblemError(f"windows: shape {self.windows.shape} is not (nodes, 2)")
        wrong = self.windows[:, 1] < self.windows[:, 0]
        if wrong.any():
            node = int(wrong.argmax())
            begin, end = self.windows[node].tolist()
            raise InvalidProblemError(
                f"windows: the window of node {node} ends at {end}, before it begins at {begin}"
            )
        releases = np.zeros(n, int) if release_times is None else release_times
        self.release_times = _times(releases, "release_times", "nodes", shape=(n,))
        self.durations = None
        if durations is not None:
            self.durations = checked_durations(durations, n)
        self.start_window = None if start_window is None else _window(start_window)
        self.limit = None if limit is None else checks.number("limit", limit, least=0.0, most=FAR)
        for array in (self.windows, self.release_times):
            array.setflags(write=False)

    def __repr__(self) -> str:
        return f"<TimeWindows of {len(self.windows)} nodes>"

    @property
    def integer(self) -> bool:
        """Whether all times are integers."""
        arrays = [self.windows, self.release_times]
        arrays += [] if self.durations is None else [self.durations]
        limits = [*(self.start_window or ()), *([] if self.limit is None else [self.limit])]
        whole = all(array.dtype.kind == "i" for array in arrays)
        return whole and all(limit.is_integer() for limit in limits)

    def check(self, problem: RoutedProblem) -> None:
        nodes = len(self.windows)
        if nodes != problem.customers + 1:
            raise UnsupportedProblemError(
                f"problem: it has {problem.customers + 1} nodes, but there are windows for {nodes}"
            )
        if problem.service_times.dtype.kind == "i" and not self.integer:
            raise UnsupportedProblemError(
                "problem: its lengths and service times are integers, but times of the windows are "
                "not; scale all of them up"
            )

    def of_nodes(self, nodes: NDArray[np.int64]) -> TimeWindows:
        durations = None if self.durations is None else self.durations[np.ix_(nodes, nodes)]
        windows, releases = self.windows[nodes], self.release_times[nodes]
        return TimeWindows(windows, releases, durations, self.start_window, self.limit)

    def functor(self, problem: RoutedProblem) -> str:
        amount = self._amount(problem).type
        options = (self.durations is not None, bool(self.release_times.any()))
        own, releases = (str(option).lower() for option in options)
        return f"gls::TimeWindows<{amount}, {own}, {releases}>"

    def segment_bytes(self, problem: RoutedProblem) -> int:
        """Return the size of 4 or 5 numbers, plus two node numbers if `durations` are given."""
        numbers = 5 if self.release_times.any() else 4
        ends = 0 if self.durations is None else 8
        return numbers * np.dtype(self._amount(problem).dtype).itemsize + ends

    def words(self, backend: Any, problem: RoutedProblem) -> list[Any]:
        amount = self._amount(problem)
        times = np.c_[self.windows, problem.service_times, self.release_times]
        own = np.zeros(1) if self.durations is None else self.durations
        first, last = self._starts(problem)
        limit = FAR if self.limit is None else self.limit
        data = {
            "nodes": backend.xp.asarray(amount.of(times)),
            "durations": backend.xp.asarray(amount.of(own)),
            "customers": problem.customers,
        }
        words = {"first": first, "last": last, "limit": limit}
        data |= {name: amount.of(word).item() for name, word in words.items()}
        return in_order(HEADER, "TimeWindowsData", data)

    def apart(self, problem: RoutedProblem, a: NDArray[Any], b: NDArray[Any]) -> Any:
        """Return the minimum waiting time and time warp, weighted (Vidal and others 2013)."""
        early, late = self.windows.T.astype(float)
        spent = problem.service_times[a] + self.travel(problem, a, b)
        wait = np.maximum(early[b] - spent - late[a], 0)
        warp = np.maximum(early[a] + spent - late[b], 0)
        return WAIT * wait + warp

    def excess(self, problem: RoutedProblem, rows: NDArray[Any]) -> NDArray[Any]:
        """Return the time warp and the excess duration of each row's routes, shape (P,)."""
        visits, row_of = _visits(problem, rows)
        driven = self.driven(problem, visits)
        warp = driven.warps.sum(axis=1) + driven.late_start
        found = warp
        if self.limit is not None:
            limit = int(self.limit) if self.integer else self.limit
            found = warp + np.maximum(driven.durations - warp - limit, 0)
        if self._real(problem):
            scale = max(1.0, float(driven.arrivals.max()))
            found = np.where(found <= giant_tours.TOLERANCE * scale, 0, found)
        total = np.zeros(len(rows), found.dtype)
        np.add.at(total, row_of, found)
        return total

    def driven(
        self, problem: RoutedProblem, visits: NDArray[np.int64], later: ArrayLike = 0
    ) -> Driven:
        """Simulate vehicles that start by `later` after their earliest possible start.

        `visits` are the customers of R routes, padded with 0, shape (R, stops).
        """
        windows, releases = self.windows, self.release_times
        first, last = self._starts(problem)
        stops = np.c_[visits, np.zeros(len(visits), visits.dtype)]
        begin = np.maximum(releases[stops].max(axis=1), max(windows[0, 0], first))
        latest = min(windows[0, 1], last)
        late_start = np.maximum(begin - latest, 0)
        time = starts = np.minimum(begin, latest) + later
        slack, waited, at = latest - time, np.zeros_like(time), np.zeros(len(stops), np.int64)
        busy = np.zeros_like(time)
        columns = []
        for to in stops.T:
            moves = (at > 0) | (to > 0)  # not from depot to depot, at the end of shorter routes
            spent = self.travel(problem, at, to) + problem.service_times[at]
            arrival = time + spent
            wait = np.where(moves, np.maximum(windows[to, 0] - arrival, 0), 0)
            warp = np.where(moves, np.maximum(arrival - windows[to, 1], 0), 0)
            room = np.maximum(windows[to, 1] - arrival, 0) + waited
            slack = np.where(moves, np.minimum(slack, room), slack)
            waited, busy = waited + wait, busy + np.where(moves, spent, 0)
            time, at = np.where(moves, arrival + wait - warp, time), to
            columns.append((np.where(moves, arrival, time), wait, warp))
        arrivals, waits, warps = (np.stack(column, axis=1) for column in zip(*columns, strict=True))
        delays = np.minimum(np.maximum(slack, 0), waited)
        durations = busy + waited - delays
        return Driven(starts, arrivals, waits, warps, late_start, delays, durations)

    def weight(self, problem: RoutedProblem) -> float:
        """Return four times the longest length plus 1: no move saves as much."""
        return 4 * problem.longest + 1

    def soft_price(self, problem: RoutedProblem) -> float:
        """Return `SOFT_PRICE`, in units of length per unit of time."""
        return SOFT_PRICE

    def travel(self, problem: RoutedProblem, a: Any, b: Any) -> Any:
        """Return the times of travel from nodes a to nodes b."""
        if self.durations is None:
            return problem.nodes.lengths(a, b)
        return self.durations[a, b]

    def _starts(self, problem: RoutedProblem) -> tuple[Any, Any]:
        """Return the earliest and the latest start of a vehicle."""
        cast = float if self._real(problem) else int
        first, last = self.start_window or (0, FAR)
        return cast(first), cast(last)

    def _real(self, problem: RoutedProblem) -> bool:
        return problem.service_times.dtype.kind == "f"

    def _amount(self, problem: RoutedProblem) -> Amount:
        """Return the type of times in C++."""
        if self._real(problem):
            return Amount("double", "float64", FAR)
        return (
            SHORT if self._longest_sum(problem) < MOST_SHORT else Amount("gls::int64", "int64", FAR)
        )

    def _longest_sum(self, problem: RoutedProblem) -> int:
        """Return a bound on durations and time warps of all paths, if times are integers.

        At each node, a path may wait until the latest time, or be late by that and a step.
        """
        given = (self.windows, self.release_times, self.start_window or (), self.limit or 0)
        times = np.concatenate([np.ravel(array).astype(np.int64) for array in given])
        latest = int(times[times < FAR].max(initial=0))
        travel = problem.longest if self.durations is None else self.durations.max()
        step = int(travel) + int(problem.service_times.max())
        return (len(self.windows) + 1) * (2 * latest + step)


def checked_durations(durations: ArrayLike, nodes: int) -> NDArray[Any]:
    """Return a read-only copy of times of travel, shape (nodes, nodes); raise if one is wrong."""
    times = _times(durations, "durations", "nodes", "nodes", shape=(nodes, nodes))
    times.setflags(write=False)
    return times


def _times(values: ArrayLike, name: str, *axes: str, **limits: Any) -> NDArray[Any]:
    """Return a checked copy of times of nodes, each from 0 to `FAR`."""
    try:
        times = numbers_of(values, name, *axes, signed=False, **limits)
    except InvalidTypeError as error:
        raise InvalidTypeError(f"{error}; such as minutes after midnight") from error
    if (times > FAR).any():
        place = tuple(int(index) for index in np.argwhere(times > FAR)[0])
        raise InvalidProblemError(
            f"{name}: entry {place} is {times[place]}, more than 2**50, which stands for no limit"
        )
    return times


def _window(window: tuple[float, float]) -> tuple[float, float]:
    if dimensions_of(window, "start_window") != 1 or len(window) != 2:
        raise InvalidTypeError(f"start_window: {window!r:.80} is not two numbers")
    first, last = (checks.number("start_window", at, least=0.0, most=FAR) for at in window)
    if last < first:
        raise InvalidProblemError(f"start_window: ends at {last}, before {first}")
    return first, last


def _visits(
    problem: RoutedProblem, rows: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the customers of all routes with customers, filled up with 0, and their rows."""
    turned, depots = giant_tours.from_depot(rows, problem.customers)
    begins = np.flatnonzero(depots)
    sizes = np.diff(begins, append=turned.size) - 1
    used = sizes > 0
    begins, sizes = begins[used] + 1, sizes[used]
    stops = np.arange(int(sizes.max(initial=1)))
    inside = stops < sizes[:, np.newaxis]
    places = np.where(inside, begins[:, np.newaxis] + stops, 0)
    visits = np.where(inside, turned.ravel()[places], 0).astype(np.int64)
    return visits, begins // rows.shape[1]
