"""The capacitated vehicle routing problem, with optional limits on durations and the fleet."""

from __future__ import annotations

import math
import operator
import warnings
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, Self, cast

import numpy as np

from gpu_ls_plugin.backends.arrays import take_tours
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidProblemError,
    InvalidTourError,
    InvalidTypeError,
)
from gpu_ls_plugin.core.files import naming
from gpu_ls_plugin.core.problem import Problem, without_routes
from gpu_ls_plugin.core.problem_data import array_of, check_finite
from gpu_ls_plugin.core.rows import check_permutations
from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.routes.problem import cvrp_instances, cvrplib, giant_tours, schedules
from gpu_ls_plugin.routes.problem.complaints import complaints_about
from gpu_ls_plugin.routes.problem.giant_tsp import GiantTSP
from gpu_ls_plugin.routes.problem.resources.base import Resource
from gpu_ls_plugin.routes.problem.routing import Penalties
from gpu_ls_plugin.routes.problem.schedules import windows_of
from gpu_ls_plugin.tours.kernels.evaluation import lengths_of, tour_costs
from gpu_ls_plugin.tours.problem.tsp import TSP

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.routes.problem.giant_tours import RouteSums, Violations
    from gpu_ls_plugin.routes.problem.schedules import Stop
    from gpu_ls_plugin.tours.problem.metrics import Lengths, Metric

CONTENT = (
    *("nodes", "demands", "capacity", "service_times", "route_limit", "fleet", "copies"),
    *("resources", "penalties", "vehicles"),
)
DEPOT = np.zeros(1, np.int64)
ROUNDINGS = ("auto", "nearest", "none", "dimacs")
MOST = 2**31 - 1  # largest demand and capacity
NO_DURATION = 2**62  # largest route limit; no route with integer lengths is this long
COST_OF_FILE = 0.01  # relative tolerance of the cost in a solution file, which may be rounded


class CVRP(Problem):
    """A vehicle routing problem, validated once and immutable.

    A solution is a giant tour: a permutation of 0..n-1 in which 0 and customers+1..n-1 are copies
    of the depot and 1..customers are the customers. It is cyclic; the customers between two
    successive copies of the depot form a route, which may be empty. Two problems are equal only if
    they are the same object; copying returns that object.

    Parameters
    ----------
    coordinates : array_like, shape (customers + 1, 2)
        Positions of the depot, then of the customers; copied.
    demands : array_like of integers, shape (customers + 1,)
        Demand of each node; 0 for the depot.
    capacity : int
        Capacity of a vehicle.
    metric : str or Metric
        Metric of the lengths, as for `TSP`.
    service_times : number or array_like, shape (customers + 1,), optional
        Time that each customer adds to the duration of its route, in units of length; 0 for the
        depot.
    route_limit : number, optional
        Maximum duration of a route: its length plus the service times of its customers.
    vehicles : int, optional
        Size of the fleet. By default it is unlimited, and giant tours get enough copies of the
        depot for any sensible solution.
    copies : int, optional
        Copies of the depot in a giant tour: by default one per vehicle, but no more than there are
        customers. With more copies than vehicles, a tour may use more vehicles than there
        are.
    name, comment : str
        Free text.
    optimum : int or float, optional
        The best cost, if known.

    Attributes
    ----------
    n : int
        Length of a row: customers + copies.
    customers : int
        Number of customers.
    vehicles : int
        Size of the fleet; if it is unlimited, a number of vehicles that suffices.
    fleet : int or None
        Size of the fleet; None if it is unlimited.
    copies : int
        Number of copies of the depot in a giant tour.
    capacity : int
    demands : int64 array, shape (customers + 1,), read-only
    service_times : array, shape (customers + 1,), int64 or float64, read-only
    route_limit : int, float or None
    nodes : TSP
        The depot and the customers, each once.
    resources : tuple of Resource
        Resources other than load and duration; see `with_resources`.
    penalties : Penalties or None
        Prices of violations in a search; None if constraints are hard.

    Raises
    ------
    InvalidProblemError
        Wrong shapes or values; a customer that no route can serve; more demand than the fleet can
        carry.
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or of a wrong type.

    Examples
    --------
    >>> import gpu_ls_plugin as gls
    >>> problem = gls.CVRP([(0, 0), (0, 3), (0, 5), (4, 0)], [0, 2, 2, 3], 4, vehicles=2)
    >>> tour = problem.tour([[1, 2], [3]])
    >>> tour.tolist(), problem.cost(tour).tolist(), problem.feasible(tour).tolist()
    ([0, 1, 2, 4, 3], [18], [True])
    """

    constrained = True

    customers: int
    vehicles: int
    fleet: int | None
    copies: int
    capacity: int
    comment: str
    demands: NDArray[np.int64]
    service_times: NDArray[Any]
    route_limit: float | None
    nodes: TSP
    resources: tuple[Resource, ...]
    penalties: Penalties | None
    names: tuple[str, ...] | None = None  # of the depot and the customers
    durations: NDArray[Any] | None = None  # times of travel (nodes, nodes); None: lengths
    scale: int = 1  # by how much lengths and times are larger than those of files

    def __init__(
        self,
        coordinates: ArrayLike,
        demands: ArrayLike,
        capacity: int,
        *,
        metric: str | Metric = "EUC_2D",
        service_times: ArrayLike | None = None,
        route_limit: float | None = None,
        vehicles: int | None = None,
        copies: int | None = None,
        name: str = "",
        comment: str = "",
        optimum: float | None = None,
    ) -> None:
        nodes = TSP(coordinates, metric, name=name, comment=comment, optimum=optimum)
        self._fill(nodes, demands, capacity, service_times, route_limit, vehicles, copies)

    @classmethod
    def from_matrix(
        cls,
        matrix: ArrayLike,
        demands: ArrayLike,
        capacity: int,
        *,
        service_times: ArrayLike | None = None,
        route_limit: float | None = None,
        vehicles: int | None = None,
        copies: int | None = None,
        name: str = "",
        comment: str = "",
        optimum: float | None = None,
    ) -> Self:
        """Make a problem from a matrix of lengths (customers + 1, customers + 1), as for `TSP`.

        Row 0 is the depot. All other parameters are those of the class.
        """
        nodes = TSP.from_matrix(matrix, name=name, comment=comment, optimum=optimum)
        return cls._of(nodes, demands, capacity, service_times, route_limit, vehicles, copies)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        rounding: str = "auto",
        vehicles: int | None = None,
        copies: int | None = None,
        optimum: float | None = None,
    ) -> Self:
        """Read a CVRPLIB or VRPLIB file (.vrp), or a text file with time windows.

        Customers are numbered from 1 on in the order of the file, without the depot. A file with
        time windows or release times makes a `VRP`: a text file in the format of Solomon, or of
        Gehring and Homberger, or a file with TYPE : VRPTW, which may contain RELEASE_TIME_SECTION
        and VEHICLES_MAX_DURATION.

        Parameters
        ----------
        path : path
        rounding : {"auto", "nearest", "none", "dimacs"}
            Whether lengths of type EUC_2D are rounded. By default, they are rounded unless the
            best known costs of the instance's set are sums of unrounded lengths
            (`routes.problem.cvrplib.rounds`). "dimacs", the default for time windows, counts
            integer tenths: lengths are truncated, times multiplied by ten, and `scale` is 10.
        vehicles, copies, optimum
            As in the class; `vehicles` defaults to the number in the file, and `optimum` is in the
            units of the file.

        Raises
        ------
        FileNotFoundError
            No such file.
        FileFormatError
            The file is not a CVRPLIB file, is cut off or contains unusable values; the message
            names the file and the section.
        UnsupportedProblemError
            The file contains another kind of problem.
        """
        checks.choice("rounding", rounding, known=ROUNDINGS)
        instance = cvrplib.read_instance(path, rounding)
        made = cvrplib.classes_with_windows[0]() if instance.timed else cls
        kind = cls if issubclass(cls, made) else made
        with naming(path):
            fleet = instance.vehicles if vehicles is None else vehicles
            return cast("Self", kind._of_instance(instance, rounding, fleet, copies, optimum))

    @classmethod
    def _of_instance(
        cls,
        instance: cvrplib.Instance,
        rounding: str,
        vehicles: int | None,
        copies: int | None,
        optimum: float | None,
    ) -> Self:
        if rounding == "dimacs":
            raise InvalidParameterError("rounding: 'dimacs' is for files with time windows")
        texts = {"name": instance.name, "comment": instance.comment}
        if instance.matrix is not None:
            nodes = TSP.from_matrix(instance.matrix, **texts, optimum=optimum)
        else:
            assert instance.coordinates is not None
            nodes = TSP(instance.coordinates, instance.metric, **texts, optimum=optimum)
        return cls._of(
            nodes,
            instance.demands,
            instance.capacity,
            instance.service_times,
            instance.route_limit,
            vehicles,
            copies,
        )

    @classmethod
    def generated(
        cls,
        customers: int,
        *,
        depot: str = "random",
        positioning: str = "random_clustered",
        demands: str = "1-100",
        route_size: float | None = None,
        seed: int | None = 0,
    ) -> Self:
        """Make an instance according to the published rules of the X set (Uchoa et al. 2017).

        Parameters
        ----------
        customers : int
            At most 501,000: all nodes are distinct points of a 1,001 x 1,001 grid.
        depot : {"random", "central", "eccentric"}
            The depot is at a random point, in the middle, or in the corner (0, 0).
        positioning : {"random_clustered", "random", "clustered"}
            "random" places customers uniformly. "clustered" places 3 to 8 seeds uniformly; the
            probability of every other point is proportional to the sum of exp(-d / 40) over its
            distances d to the seeds. "random_clustered" places half of the customers in each way.
        demands : {"1-100", "1-10", "5-10", "50-100", "unitary", "quadrant", "many_small"}
            "1-100", for example, draws uniformly from 1 to 100; "unitary" means 1 each.
            "quadrant" draws 1 to 50 in even quadrants and 51 to 100 in odd ones. "many_small" draws
            1 to 10 for 70 % to 95 % of the customers and 50 to 100 for the others.
        route_size : number, optional
            Mean number of customers that fill a vehicle; determines the capacity. By default it is
            drawn from a triangular distribution between 3 and 25 with its mode at 6.
        seed : int or None
            Seed of all random numbers; None draws one.

        Returns
        -------
        CVRP
            Its `comment` says how it was generated; its `name` contains the number of nodes and the
            minimum number of vehicles.

        Raises
        ------
        InvalidParameterError, InvalidTypeError
            A parameter is out of range or of a wrong type.

        Examples
        --------
        >>> import gpu_ls_plugin as gls
        >>> gls.CVRP.generated(100, demands="unitary", route_size=10, seed=1)
        <CVRP generated-n101-k10: 100 customers, EUC_2D, capacity 10>
        """
        most = cvrp_instances.MOST_CUSTOMERS
        customers = checks.integer("customers", customers, least=1, most=most)
        depot = checks.choice("depot", depot, known=cvrp_instances.DEPOTS)
        known = cvrp_instances.POSITIONING
        positioning = checks.choice("positioning", positioning, known=known)
        demands = checks.choice("demands", demands, known=cvrp_instances.DEMANDS)
        if route_size is not None:
            route_size = checks.number("route_size", route_size, least=1.0, most=float(MOST) / 100)
        seed = checks.seed(seed)
        rng = np.random.default_rng(seed)
        size = cvrp_instances.drawn_route_size(rng) if route_size is None else route_size
        start = cvrp_instances.depot_point(depot, rng)
        points = cvrp_instances.customer_points(customers, positioning, start, rng)
        wanted = cvrp_instances.customer_demands(points, demands, rng)
        capacity = cvrp_instances.capacity_for(wanted, size)
        fewest = -(-int(wanted.sum()) // capacity)
        return cls(
            np.r_[[start], points],
            np.r_[0, wanted],
            capacity,
            name=f"generated-n{customers + 1}-k{fewest}",
            comment=f"depot {depot}, customers {positioning}, demands {demands}, "
            f"{size:.6g} customers a route, seed {seed}",
        )

    @classmethod
    def _of(cls, *content: Any) -> Self:
        problem = cls.__new__(cls)
        problem._fill(*content)
        return problem

    def _fill(
        self,
        nodes: TSP,
        demands: ArrayLike,
        capacity: int,
        service_times: ArrayLike | None,
        route_limit: float | None,
        vehicles: int | None,
        copies: int | None,
        resources: tuple[Resource, ...] = (),
        penalties: Penalties | None = None,
        enough: int | None = None,  # vehicles that suffice if the fleet is unlimited
    ) -> None:
        if nodes.n < 2:
            given = "coordinates" if nodes.matrix is None else "matrix"
            raise InvalidProblemError(f"{given}: a depot alone; there are no customers")
        capacity = checks.integer("capacity", capacity, least=1, most=MOST)
        its_demands = _demands(demands, nodes.n)
        services = _services(service_times, nodes)
        limit = None if route_limit is None else _limit(route_limit, services)
        if vehicles is not None:
            vehicles = checks.integer("vehicles", vehicles, least=1, most=MOST)
        _check_service(nodes, its_demands, capacity, services, limit, vehicles)
        self.__dict__.update(
            nodes=nodes,
            name=nodes.name,
            comment=nodes.comment,
            optimum=nodes.optimum,
            customers=nodes.n - 1,
            capacity=capacity,
            demands=its_demands,
            service_times=services,
            route_limit=limit,
            fleet=vehicles,
        )
        self.__dict__.update(resources=tuple(resources), penalties=penalties)
        enough = vehicles or enough or self._enough_vehicles()
        least = min(enough, self.customers)  # vehicles beyond the customers need no copies
        if copies is not None:
            copies = checks.integer("copies", copies, least=least, most=MOST - self.customers)
        copies = copies or least
        self.__dict__.update(vehicles=enough, copies=copies, n=self.customers + copies)

    def with_resources(self, *resources: Resource) -> Self:
        """Return the same problem with constraints from plugins, such as time windows.

        Giant tours keep their length. If the resources need more routes than there are copies of
        the depot, make the problem with `copies`.

        Parameters
        ----------
        *resources : Resource
            Resources that replace the current ones. Load and duration always apply and are not
            listed.

        Raises
        ------
        InvalidTypeError
            One of the arguments is not a `Resource`.
        UnsupportedProblemError
            A resource does not apply to the problem.
        """
        for resource in resources:
            checks.instance("resources", resource, kind=Resource, wanted="Resource")
            resource.check(self)
        return self._changed(resources=resources)

    def penalised(
        self,
        load: float | None = None,
        duration: float | None = None,
        vehicles: float | None = None,
        **resources: float,
    ) -> Self:
        """Return the same problem with soft constraints: a search pays for violations.

        Parameters
        ----------
        load, duration, vehicles : number, optional
            Price of a unit of demand beyond the capacity, of a unit of duration beyond the limit,
            and of a route beyond the fleet; integers if lengths are integers. By default prices are
            so high that a violation hardly ever pays.
        **resources : number
            The same for further resources, by name, such as ``time_windows=2``.

        Raises
        ------
        InvalidParameterError, InvalidTypeError
            A price is negative, not a number, or not an integer although lengths are integers, or
            the problem has no such resource.
        """
        return self._changed(penalties=Penalties.of(self, load, duration, vehicles, resources))

    def with_hierarchy(self, level: int | None = 1, parts: Sequence[int] | None = None) -> Self:
        """Return this problem. Deprecated: searches no longer precompute segments of tours.

        Scans find the same tours in less time than any `level` did
        (`benchmarks/results/paper000.json`).
        """
        warnings.warn(
            "with_hierarchy: searches no longer precompute segments of tours, as scans find the "
            "same tours in less time; remove the call",
            DeprecationWarning,
            stacklevel=2,
        )
        return self

    def with_fleet(self, vehicles: int) -> Self:
        """Return the same problem with a limited fleet; giant tours keep their length.

        Parameters
        ----------
        vehicles : int
            Size of the fleet. Tours with more routes are infeasible.

        Raises
        ------
        InvalidParameterError, InvalidTypeError
            `vehicles` is not a positive integer, or is more than the copies of the depot.
        InvalidProblemError
            The fleet cannot carry the demand of all customers.
        """
        return self._changed(fleet=vehicles)

    def _changed(self, **changes: Any) -> Self:
        """Return the same problem with the given parts of its content replaced."""
        return type(self)._of(*(self._content | changes).values())

    @property
    def _content(self) -> dict[str, Any]:
        """The arguments of `_of`, by name and in order."""
        return {name: getattr(self, name) for name in CONTENT}

    @property
    def integer(self) -> bool:
        return self.nodes.integer

    @property
    def symmetric(self) -> bool:
        """Whether both directions of every route are equally long."""
        return self.nodes.symmetric

    @cached_property
    def longest(self) -> float:
        """An upper bound on all lengths, if the triangle inequality holds at the depot."""
        nodes = self.nodes
        if nodes.matrix is not None:
            return float(nodes.matrix.max())
        depot, all_nodes = np.zeros(nodes.n, np.int64), np.arange(nodes.n)
        return float(2 * nodes.lengths(depot, all_nodes).max())

    @cached_property
    def tolerated_limit(self) -> float | None:
        """The limit that searches compare durations with; includes a tolerance if it is a float."""
        if self.route_limit is None:
            return None
        alone = giant_tours.durations_alone(self.nodes, self.service_times)
        return giant_tours.tolerated(self.route_limit, alone)

    @property
    def reversible(self) -> bool:
        """Whether directions of routes do not matter, neither to lengths nor to resources."""
        return self.symmetric and not any(part.turns(self) for part in self.resources)

    @property
    def least_vehicles(self) -> int:
        """The minimum number of vehicles that can carry the demands."""
        return max(1, -(-int(self.demands.sum()) // self.capacity))

    @cached_property
    def limited_by_load(self) -> Self:
        """The same problem without limits on durations and on further resources."""
        # With a fleet, rows that cannot be repaired differ: none becomes `simple_routes`.
        return self._changed(route_limit=None, resources=(), fleet=self.fleet or self.copies)

    @cached_property
    def tsp(self) -> TSP:
        """The TSP of giant tours, whose objective represents the constraints.

        Its cost of a tour is the length plus the penalties of violations.
        """
        return GiantTSP.of(self, self.name, self.comment)

    def check(self, tours: Any, *, parameter: str = "tours") -> NDArray[np.int32]:
        """Return giant tours as an array; raise if a row is not a giant tour. See `Problem.check`.

        Tours on a GPU are copied to the host.
        """
        if hasattr(tours, "__cuda_array_interface__") and hasattr(tours, "get"):
            tours = tours.get()
        self._check_length(tours, parameter)
        return check_permutations(tours, self.n, parameter=parameter)

    def _check_length(self, tours: Any, parameter: str) -> None:
        """Raise InvalidTourError if rows have too few or too many copies of the depot."""
        try:
            shape = np.shape(tours)
        except ValueError:  # rows of different lengths: `check_permutations` reports them
            return
        if not 1 <= len(shape) <= 2 or shape[-1] in (0, self.n):
            return
        count = shape[-1] - self.customers
        copies = f"{count} of {self.copies} copies" if count > 0 else "no copies"
        raise InvalidTourError(
            f"{parameter}: shape {shape}, but giant tours are (P, {self.n}) or ({self.n},): "
            f"{self.customers} customers and {self.copies} copies of the depot"
            + (f"; these have {copies}" if count < self.copies else "")
        )

    def cost(self, tours: Any) -> Lengths:
        """Return the length of each giant tour, feasible or not, shape (P,)."""
        return giant_tours.travelled(self, self.check(tours))

    def costs_on(self, backend: Any, tours: Any) -> Any:
        """Return the costs of checked tours on a backend; see `Problem.costs_on`."""
        metric, values = self.nodes.metric, self.nodes.values
        proven = type(self).cost is CVRP.cost and not foreign(metric)
        # Kernels count the length from depot to depot, but `cost` does not.
        if not proven or metric.lengths(values, DEPOT, DEPOT).any():
            return super().costs_on(backend, tours)
        return lengths_of(backend, self.tsp, tours)

    def compared_costs(self, backend: Any, tours: Any, costs: Any) -> Any:
        """Return the costs of tours including penalties, as an array on the host."""
        with backend.current():
            taken = take_tours(backend, self.tsp, tours)
            return backend.to_numpy(tour_costs(backend, self.tsp, taken))

    def violations(self, tours: Any) -> Violations:
        """Return the excess of each giant tour over each limit, computed from scratch."""
        return giant_tours.violations(self, self.check(tours))

    def feasible(self, tours: Any) -> NDArray[np.bool_]:
        """Return whether each giant tour satisfies all constraints, shape (P,)."""
        return self.violations(tours).none

    def excess(self, tours: Any) -> NDArray[Any]:
        """Return the price of each giant tour's violations under hard constraints, shape (P,)."""
        return self.tsp.objective.violated(self.tsp, self.check(tours))

    def route_sums(self, tours: Any) -> RouteSums:
        """Return the number of customers, load, cost and duration of each route of giant tours."""
        return giant_tours.route_sums(self, self.check(tours))

    def complaints(self, tour: ArrayLike) -> list[str]:
        """Return a line for each violation of one giant tour: the route, the excess, the limit.

        A line about time windows names the first stop that is late. Resources of plugins have one
        line each, for all routes together. Times are in units of files.
        """
        row = self._one(tour)
        sums = self.route_sums(row)
        beyond = giant_tours.beyond_limit(self, sums.durations)[0]
        texts = []
        numbers = (sums.customers[0] > 0).cumsum()  # empty routes are not counted
        for number, load, duration, over in zip(
            numbers, sums.loads[0], sums.durations[0], beyond, strict=True
        ):
            if load > self.capacity:
                excess = load - self.capacity
                texts.append(f"route {number}: load {load}, {excess} more than {self.capacity}")
            if over > 0:
                took, more, most = map(self.published, (duration, over, self.route_limit))
                texts.append(
                    f"route {number}: duration {took:.10g}, {more:.10g} more than {most:.10g}"
                )
        found = giant_tours.violations(self, row)
        if found.vehicles[0]:
            extra = int(found.vehicles[0])
            texts.append(f"{numbers[-1]} routes, {extra} more than the fleet of {self.fleet}")
        routes = self.routes(row)
        for part in self.resources:
            excess = found.resources[part.name][0]
            if excess > 0:
                shown = self.published(excess) if part.scaled else excess
                total = f"{part.name}: {shown:.10g} too much, over all routes"
                texts += complaints_about(self, part, routes) or [total]
        return texts

    @property
    def has_routes(self) -> bool:
        """True."""
        return True

    def routes(self, tour: Any) -> list[list[int]]:
        """Return the customers of each route of one giant tour (n,); empty routes are left out."""
        return giant_tours.routes_of(self._one(tour)[0], self.customers)

    def schedule(self, tour: Any) -> list[list[Stop]]:
        """Return the stops of each route of one giant tour (n,), the depot first and last.

        Each vehicle starts at the time that minimises first its time warp and then its duration. In
        an infeasible plan, times after a late stop (with negative `slack`) are not real, since the
        vehicle goes back in time to the end of the window (time warp; see `Stop`). The order of the
        stops is correct.
        """
        return schedules.schedule_of(self, tour)

    def write_schedule(self, tour: Any, path: str | os.PathLike[str]) -> None:
        """Write a line or an object for each stop of one giant tour (n,), atomically.

        Columns are route, stop, node, name, arrival, wait, begin, departure, load and slack, in the
        units of files: times and cost are divided by `scale`. Load is that of the vehicle after the
        stop. Slack is empty if the window does not end, and negative at a late stop, after which
        times are not real (see `schedule`). JSON also has the cost, the size of the fleet and the
        routes.

        Parameters
        ----------
        tour : array_like, shape (n,), integer
        path : path
            Ends in ``.csv`` or ``.json``.

        Raises
        ------
        InvalidParameterError
            The path has another ending.
        InvalidTourError, InvalidTypeError
            As for `check`.
        OSError
            The file cannot be written.
        """
        schedules.write_schedule(self, tour, path)

    def _one(self, tour: Any) -> NDArray[np.int32]:
        """Return one giant tour as a batch (1, n)."""
        row = self.check(tour, parameter="tour")
        if len(row) != 1:
            raise InvalidTourError(f"tour: {len(row)} rows; pass one of them")
        return row

    def tour(self, routes: Sequence[Sequence[int]]) -> NDArray[np.int32]:
        """Return the giant tour (n,) of routes, which are lists of customers 1..customers.

        Raises
        ------
        InvalidTourError
            More routes than copies of the depot, or customers that are not visited once each.
        InvalidTypeError
            `routes` are not lists of integers.
        """
        try:
            given = [[operator.index(customer) for customer in route] for route in routes]
        except TypeError as error:
            raise InvalidTypeError(f"routes: not lists of customers: {error}") from error
        given = [route for route in given if route]
        visited = np.bincount(
            [c if 1 <= c <= self.customers else 0 for route in given for c in route],
            minlength=self.customers + 1,
        )
        if visited[0]:
            wrong = next(c for route in given for c in route if not 1 <= c <= self.customers)
            raise InvalidTourError(f"routes: {wrong} is not a customer 1..{self.customers}")
        if (visited[1:] != 1).any():
            customer = 1 + int((visited[1:] != 1).argmax())
            times = visited[customer]
            raise InvalidTourError(
                f"routes: customer {customer} is "
                + ("not visited" if times == 0 else f"visited {times} times")
            )
        if len(given) > self.copies:
            raise InvalidTourError(
                f"routes: {len(given)} of them, but giant tours have {self.copies} copies of the "
                f"depot; make the problem with copies={len(given)}"
            )
        return giant_tours.written(given, self.customers, self.copies)

    def canonical(self, tours: Any) -> NDArray[np.int32]:
        """Return giant tours in a canonical form: rows with the same routes become equal."""
        return self.tsp.canonical(self.check(tours))

    def difference(self, tour: NDArray[Any]) -> Callable[[NDArray[Any]], float]:
        """Return a function that maps another tour to the share of its edges that `tour` lacks.

        All copies of the depot are one node. Edges are directed if lengths are asymmetric.
        """
        return self.tsp.difference(tour)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a CVRPLIB file (.vrp) from which `read` makes the same problem.

        The depot is node 1. Time windows, release times and route limits that include waiting are
        written in the format that PyVRP reads (TYPE : VRPTW). Names of nodes are not written. If
        lengths are rounded (metric "EUC_2D"), but the problem has windows or is named like a set
        with real lengths, pass `rounding="nearest"` to `read`. The file is written completely or
        not at all, and replaces any file of the same name.

        Raises
        ------
        UnsupportedProblemError
            The format cannot express a property of the problem, such as its metric, a resource or
            `fixed_cost`; the message names it.
        OSError
            The file cannot be written.
        """
        cvrplib.write_instance(path, self)

    @property
    def inexpressible(self) -> list[str]:
        """Names of the properties of this problem that a .vrp file cannot express."""
        timed = windows_of(self)
        times = [
            name for name in ("durations", "start_window") if getattr(timed, name, None) is not None
        ]
        return [*times, *(part.name for part in self.resources if part is not timed)]

    def write_solution(self, tour: Any, path: str | os.PathLike[str]) -> None:
        """Write the routes and the cost of one giant tour as a CVRPLIB file (.sol).

        The file is written completely or not at all.

        Raises
        ------
        InvalidTourError, InvalidTypeError
            As for `check`.
        OSError
            The file cannot be written.
        """
        row = self._one(tour)
        cvrplib.write_solution(path, self.routes(row), self.published(self.cost(row)[0].item()))

    def read_solution(self, path: str | os.PathLike[str]) -> NDArray[np.int32]:
        """Read the giant tour (n,), feasible or not, from a CVRPLIB file (.sol).

        Raises
        ------
        FileNotFoundError
            No such file.
        FileFormatError
            It is not a solution file, or it belongs to another instance: its customers or its cost
            do not match.
        """
        solution = cvrplib.read_solution(path)
        with naming(path):
            tour = self.tour(solution.routes)
            cost = self.published(self.cost(tour)[0].item())
            if solution.cost is not None and abs(cost - solution.cost) > COST_OF_FILE * cost:
                raise InvalidTourError(
                    f"routes cost {cost:.10g} here, not {solution.cost:.10g} as the file says; it "
                    f"belongs to another instance, not to {self.name or 'this one'}, or its "
                    "lengths are rounded differently"
                )
            return tour

    def published(self, cost: Any) -> Any:
        """Return a cost or a time, or an array of them, in units of files: divided by `scale`."""
        return cost / self.scale if self.scale > 1 else cost

    def _enough_vehicles(self) -> int:
        """Return how many vehicles suffice, at most one per customer.

        This is 3 plus 1.3 times the number that the demand needs, or the number of `simple_routes`
        if that is larger.
        """
        demand = int(self.demands.sum())
        needed = math.ceil(1.3 * demand / self.capacity) + 3
        if self.route_limit is None and needed <= self.customers:
            # A simple route ends when no customer fits, so each but the last carries at least this.
            fullest = self.capacity - int(self.demands.max()) + 1
            if demand // fullest + 1 <= needed:
                return needed  # skip simple routes: with many customers, they take long to build
        return min(self.customers, max(needed, len(self.simple_routes())))

    def simple_routes(self) -> list[list[int]]:
        """Return feasible routes for all customers; each goes on to the nearest customer that fits.

        The number of routes is not limited.
        """
        routes: list[list[int]] = [[]]
        waiting = np.arange(1, self.customers + 1)
        at, load, duration, limit = 0, 0, 0.0, self.tolerated_limit
        while len(waiting):
            lengths = self.nodes.lengths(np.full(len(waiting), at), waiting)
            fits = load + self.demands[waiting] <= self.capacity
            if limit is not None and routes[-1]:  # any customer fits into an empty route
                back = self.nodes.lengths(waiting, np.zeros(len(waiting), np.int64))
                fits &= duration + lengths + self.service_times[waiting] + back <= limit
            if not fits.any():
                at, load, duration = 0, 0, 0.0
                routes.append([])
                continue
            next_one = int(np.where(fits, lengths, np.inf).argmin())
            duration += float(lengths[next_one] + self.service_times[waiting[next_one]])
            at = int(waiting[next_one])
            routes[-1].append(at)
            load += int(self.demands[at])
            waiting = np.delete(waiting, next_one)
        return routes

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{name}: a CVRP is immutable; make a new one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{name}: a CVRP is immutable; make a new one")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, tuple(self._content.values())

    def __repr__(self) -> str:
        limits = f"capacity {self.capacity}"
        if self.route_limit is not None:
            limits += f", route limit {self.route_limit:.10g}"
        if self.fleet is not None:
            limits += f", {self.fleet} vehicles"
        return (
            f"<{type(self).__name__} {self.name or 'unnamed'}: {self.customers} customers, "
            f"{self.nodes.metric.name}, {limits}>"
        )


def routing_problem(problem: object) -> CVRP:
    """Return a CVRP as it is and a `GiantTSP` as its CVRP; raise for any other problem."""
    routed = problem.objective.problem if isinstance(problem, GiantTSP) else problem
    if isinstance(routed, CVRP):
        return routed
    raise without_routes(problem)


def _demands(values: ArrayLike, nodes: int) -> NDArray[np.int64]:
    demands = array_of(values, "demands")
    if demands.shape != (nodes,):
        raise InvalidProblemError(
            f"demands: shape {demands.shape}, but a depot and {nodes - 1} customers have ({nodes},)"
        )
    check_finite(demands, "demands")
    whole = np.rint(demands)
    if (whole != demands).any():
        row = int((whole != demands).argmax())
        raise InvalidProblemError(
            f"demands: entry {row} is {demands[row]}, not an integer; scale demands and capacity up"
        )
    if demands.min() < 0 or demands.max() > MOST:
        row = int(((demands < 0) | (demands > MOST)).argmax())
        raise InvalidProblemError(f"demands: entry {row} is {demands[row]}, not in 0..{MOST}")
    if demands[0]:
        raise InvalidProblemError(
            f"demands: entry 0, the depot's, is {demands[0]}, but a depot demands nothing"
        )
    made: NDArray[np.int64] = whole.astype(np.int64)
    made.setflags(write=False)
    return made


def _services(values: ArrayLike | None, nodes: TSP) -> NDArray[Any]:
    """Return service times (customers + 1,), int64 if both they and lengths are integers."""
    given = array_of(0 if values is None else values, "service_times")
    if given.ndim == 0:
        given = np.full(nodes.n, given.item())
        given[0] = 0
    if given.shape != (nodes.n,):
        raise InvalidProblemError(
            f"service_times: shape {given.shape}, but a depot and {nodes.n - 1} customers have "
            f"({nodes.n},)"
        )
    check_finite(given, "service_times")
    if given.min() < 0:
        row = int((given < 0).argmax())
        raise InvalidProblemError(f"service_times: entry {row} is {given[row]}, less than 0")
    if given[0]:
        raise InvalidProblemError(
            f"service_times: entry 0, the depot's, is {given[0]}, but a depot is not served"
        )
    whole = nodes.integer and bool((np.rint(given) == given).all())
    if whole and given.max() > MOST:
        raise InvalidProblemError(f"service_times: {given.max()} is more than {MOST}")
    made = given.astype(np.int64 if whole else np.float64)
    made.setflags(write=False)
    return made


def _limit(value: float, services: NDArray[Any]) -> float:
    limit = checks.number("route_limit", value, least=0.0)
    if not math.isfinite(limit):
        raise InvalidParameterError(f"route_limit: {value} is not finite; leave it out")
    return min(math.floor(limit), NO_DURATION) if services.dtype.kind == "i" else limit


def _check_service(
    nodes: TSP,
    demands: NDArray[np.int64],
    capacity: int,
    services: NDArray[Any],
    limit: float | None,
    vehicles: int | None,
) -> None:
    """Raise InvalidProblemError if a customer, or all customers together, cannot be served."""
    if demands.max() > capacity:
        customer = int(demands.argmax())
        raise InvalidProblemError(
            f"demands: customer {customer} demands {demands[customer]}, more than the capacity of "
            f"{capacity}"
        )
    if limit is not None:
        alone = giant_tours.durations_alone(nodes, services)
        late = giant_tours.beyond(alone, limit) > 0
        if late.any():  # if the triangle inequality is broken, other customers may be on the way
            late &= giant_tours.beyond(giant_tours.least_durations(nodes, services), limit) > 0
        if late.any():
            customer = int(np.where(late, alone, 0).argmax())
            raise InvalidProblemError(
                f"route_limit: a route to customer {customer} alone takes "
                f"{alone[customer]:.10g}, more than {limit:.10g}"
            )
    total = int(demands.sum())
    if vehicles is not None and total > vehicles * capacity:
        raise InvalidProblemError(
            f"vehicles: {vehicles} of capacity {capacity} hold {vehicles * capacity}, but "
            f"customers demand {total}; at least {-(-total // capacity)} are needed"
        )
