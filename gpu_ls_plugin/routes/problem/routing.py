"""The constraints of vehicle routing as an objective that puts a price on violations."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from gpu_ls_plugin.backends.structs import in_order, words_of
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.core.origins import sources_of
from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.routes.problem import giant_tours
from gpu_ls_plugin.routes.problem.resources.duration import Duration
from gpu_ls_plugin.routes.problem.resources.load import Load
from gpu_ls_plugin.tours.problem.device_data import metric_data
from gpu_ls_plugin.tours.problem.objective import Objective

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.routes.problem.giant_tours import RoutedProblem, Violations
    from gpu_ls_plugin.routes.problem.resources.base import Resource

MAX_PRICE = 2.0**40  # largest price of a unit of violation if costs are integers


@dataclass(frozen=True)
class Penalties:
    """Prices of a unit of excess load, a unit of excess duration and a route beyond the fleet.

    `resources` has the prices of a unit of further resources, by name.
    """

    load: float
    duration: float
    vehicles: float
    resources: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        problem: RoutedProblem,
        load: float | None,
        duration: float | None,
        vehicles: float | None,
        resources: Mapping[str, float],
    ) -> Self:
        """Check prices, and replace those that are None with the prices of hard constraints."""
        known = [part.name for part in problem.resources]
        for name in resources:
            checks.choice("resources", name, known=known)
        hard = hard_penalties(problem)
        given = {"load": load, "duration": duration, "vehicles": vehicles}
        made = {
            name: getattr(hard, name) if value is None else _price(problem, name, value)
            for name, value in given.items()
        }
        further = {name: _price(problem, name, value) for name, value in resources.items()}
        return cls(**made, resources=further)


def _price(problem: RoutedProblem, name: str, value: float) -> float:
    """Return a checked price, an integer if costs are integers."""
    most = MAX_PRICE if problem.integer else sys.float_info.max
    price = checks.number(name, value, least=0.0, most=most)
    if not problem.integer:
        return price
    if price != int(price):
        raise InvalidParameterError(
            f"{name}: {value} is not an integer, but costs of this problem are"
        )
    return int(price)


def price_of_demand(problem: RoutedProblem) -> float:
    """Return the longest length divided by the largest demand, as the price of a unit of load."""
    return (problem.longest or 1.0) / max(1, int(problem.demands.max()))


def hard_penalties(problem: RoutedProblem) -> Penalties:
    """Return the prices of hard constraints.

    A violation of load or duration hardly ever pays, and a surplus vehicle never does.
    """
    load, duration = Load().weight(problem), Duration().weight(problem)
    vehicles = 2 * problem.longest * (problem.customers + 1) + 1
    if problem.integer:
        return Penalties(int(load), int(duration), int(vehicles))
    return Penalties(load, duration, vehicles)


HEADER = "routes/problem/routing.cuh"
LIST = "routes/problem/resources/resource_list.cuh"
OBJECTIVE = "tours/problem/objective.cuh"


def _padded(count: int) -> int:
    return -(-count // 16) * 16


class Routing(Objective):
    """The constraints of a vehicle routing problem (Schulz 2013, section 4.1).

    A search never increases violations of hard constraints, and accepts any move that reduces them.
    It pays a price for violations of soft constraints.
    """

    name = "routing"
    header = HEADER

    def __init__(self, problem: RoutedProblem) -> None:
        self.problem = problem
        self.hard = problem.penalties is None
        self.penalties = problem.penalties or hard_penalties(problem)
        limited = problem.route_limit is not None
        self.built_in: tuple[Resource, ...] = (Load(), Duration()) if limited else (Load(),)
        self.resources: tuple[Resource, ...] = (*self.built_in, *problem.resources)
        # Whether the consumption of a resource on a route depends on the route's direction.
        self.directed = any(part.turns(problem) for part in self.resources)

        weight = "gls::int64" if problem.integer else "double"
        parts = ", ".join(part.functor(problem) for part in self.resources)
        metric = problem.nodes.metric.functor
        hard = str(self.hard).lower()
        vars(self)["functor"] = f"gls::Routing<{metric}, {weight}, {hard}, {parts}>"

    def source(self) -> str:
        """Return the C++ texts of resources that are not built in."""
        return "\n".join(sources_of(*self.resources))

    def words(self, backend: Any, problem: Any) -> list[Any]:
        """Return the words of gls::RoutingData, followed by those of the resources."""
        routed = self.problem
        cast = int if routed.integer else float
        data = {
            "metric_data": metric_data(backend, problem),
            "customers": routed.customers,
            "fleet": giant_tours.most_routes(routed),
            "vehicle_weight": cast(self.penalties.vehicles),
        }
        words = in_order(HEADER, "RoutingData", data)
        for part in self.resources:
            words += in_order(LIST, "ResourceData", {"weight": cast(self._weight(part))})
            words += part.words(backend, routed)
        return words

    def weight_places(self, backend: Any) -> list[int]:
        """Return the word index of each resource's weight in the data of a search."""
        before = ((OBJECTIVE, "UnderData"), (OBJECTIVE, "KeptTours"), (HEADER, "RoutingData"))
        places = [sum(words_of(*own) for own in before)]
        for part in self.resources[:-1]:
            own = words_of(LIST, "ResourceData") + len(part.words(backend, self.problem))
            places.append(places[-1] + own)
        return places

    def weights(self, price: Any) -> NDArray[np.uint64]:
        """Return the weights of resources as words for a search.

        They are multiplied by `price`, a number or one for each resource.
        """
        weights = np.array([self._weight(part) for part in self.resources], np.float64) * price
        if self.problem.integer:
            weights = np.maximum(1, np.rint(weights))
        words: NDArray[np.uint64] = weights.astype(self.problem.cost_dtype).view(np.uint64)
        return words

    def most(self, problem: Any) -> float:
        """Return an upper bound on the price of all violations."""
        routed, prices = self.problem, self.penalties
        if routed.resources:
            return math.inf
        limited = routed.fleet is not None and routed.fleet < routed.copies
        most = prices.load * float(routed.demands.sum()) + prices.vehicles * routed.copies * limited
        length = routed.longest * (routed.customers + routed.copies)
        duration = length + float(routed.service_times.sum())
        return most + prices.duration * duration * (routed.route_limit is not None)

    @property
    def proven(self) -> bool:
        """Whether all resources are built in; tests compare their C++ with their Python."""
        return not any(map(foreign, self.resources))

    def kept_bytes(self, problem: Any) -> int:
        """Return the number of bytes that gls::Routing keeps about a tour."""
        n, copies = self.problem.customers + self.problem.copies, self.problem.copies
        total = 16 + _padded(4 * (n + 2 * copies))
        for part in self.resources:
            size = part.segment_bytes(self.problem) * (1 + part.turns(self.problem))
            total += _padded((part.segments * n + copies) * size)
        return total

    def costs(self, problem: Problem, rows: NDArray[np.int32]) -> NDArray[Any]:
        paid = self._paid(self.penalties, giant_tours.violations(self.problem, rows))
        return np.asarray(paid, dtype=self.problem.cost_dtype)

    def feasible(self, problem: Problem, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        return giant_tours.violations(self.problem, rows).none

    def violated(self, problem: Problem, rows: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return what the violations of giant tours (P, n) cost under hard constraints, shape (P,).

        The cost of an infeasible tour is at least 1.
        """
        violations = giant_tours.violations(self.problem, rows)
        paid = self._paid(hard_penalties(self.problem), violations)
        return np.where(violations.none, 0.0, np.maximum(paid, 1.0))

    def _paid(self, penalties: Penalties, violations: Violations) -> NDArray[Any]:
        """Return the total price of violations, shape (P,)."""
        paid: NDArray[Any] = (
            penalties.load * violations.load
            + penalties.duration * violations.duration
            + penalties.vehicles * violations.vehicles
        )
        for part in self.problem.resources:
            paid = paid + self._weight(part) * violations.resources[part.name]
        return paid

    def _weight(self, part: Resource) -> float:
        """Return the price of a unit of a resource's excess."""
        if part in self.built_in:
            price: float = getattr(self.penalties, part.name)
            return price
        given = self.penalties.resources.get(part.name)
        return part.weight(self.problem) if given is None else given

    def __repr__(self) -> str:
        return f"Routing({self.problem!r})"
