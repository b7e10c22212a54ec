"""What giant tours pay for routes that use too much, and for routes beyond the fleet."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
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
    from numpy.typing import NDArray

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.routes.problem.giant_tours import RoutedProblem, Violations
    from gpu_ls_plugin.routes.problem.resources.base import Resource

DEAREST = 2.0**40  # that a unit of a violation may be, in integers


@dataclass(frozen=True)
class Penalties:
    """What a search pays for a unit of demand or duration, and for a route, beyond the limits."""

    load: float
    duration: float
    vehicles: float

    @classmethod
    def of(
        cls,
        problem: RoutedProblem,
        load: float | None,
        duration: float | None,
        vehicles: float | None,
    ) -> Self:
        """Check penalties; those not given are what hard constraints cost."""
        hard = hard_penalties(problem)
        given = {"load": load, "duration": duration, "vehicles": vehicles}
        made = {name: getattr(hard, name) for name in given}
        for name, value in given.items():
            if value is None:
                continue
            most = DEAREST if problem.integer else sys.float_info.max
            made[name] = checks.number(name, value, least=0.0, most=most)
            if problem.integer:
                if made[name] != int(made[name]):
                    raise InvalidParameterError(
                        f"{name}: {value} is not an integer, but costs of this problem are"
                    )
                made[name] = int(made[name])
        return cls(**made)


def price_of_demand(problem: RoutedProblem) -> float:
    """Return a price of load by which the largest demand costs the longest length, or 1."""
    return (problem.longest or 1.0) / max(1, int(problem.demands.max()))


def hard_penalties(problem: RoutedProblem) -> Penalties:
    """Return what makes hardly any length worth a violation, and all routes fewer than a route."""
    load, duration = Load().weight(problem), Duration().weight(problem)
    vehicles = 2 * problem.longest * (problem.customers + 1) + 1
    if problem.integer:
        return Penalties(int(load), int(duration), int(vehicles))
    return Penalties(load, duration, vehicles)


HEADER = "routes/problem/routing.cuh"
OBJECTIVE = "tours/problem/objective.cuh"


def _padded(count: int) -> int:
    return -(-count // 16) * 16


class Routing(Objective):
    """The constraints of a vehicle routing problem (Schulz 2013, 4.1).

    Hard ones are never broken more than they are; what breaks them less is taken whatever it
    costs. Soft ones are paid for.
    """

    name = "routing"
    header = HEADER

    def __init__(self, problem: RoutedProblem) -> None:
        self.problem = problem
        self.hard = problem.penalties is None
        self.penalties = problem.penalties or hard_penalties(problem)
        limited = problem.route_limit is not None
        built_in = (Load(), Duration()) if limited else (Load(),)
        self.resources: tuple[Resource, ...] = (*built_in, *problem.resources)
        # Whether the way that routes are run says what they use.
        self.directed = any(part.segments > 1 for part in self.resources)

        weight = "gls::int64" if problem.integer else "double"
        parts = ", ".join(part.functor(problem) for part in self.resources)
        metric = problem.nodes.metric.functor
        its = f"{metric}, {weight}, {str(self.hard).lower()}, {parts}"
        vars(self)["functor"] = f"gls::Routing<{its}>"

    def source(self) -> str:
        """Return the C++ texts of resources that are not built in."""
        return "\n".join(sources_of(*self.resources))

    def words(self, backend: Any, problem: Any) -> list[Any]:
        """Return the metric's data, the customers, the fleet, weights, and resources' words."""
        its = self.problem
        cast = int if its.integer else float
        fleet = its.copies if its.fleet is None else its.fleet
        data = {
            "metric_data": metric_data(backend, problem),
            "customers": its.customers,
            "fleet": fleet,
            "vehicle_weight": cast(self.penalties.vehicles),
        }
        words = in_order(HEADER, "RoutingData", data)
        for part in self.resources:
            words += in_order(HEADER, "ResourceData", {"weight": cast(self._weight(part))})
            words += part.words(backend, its)
        return words

    def weight_places(self, backend: Any) -> list[int]:
        """Return where the data of a search have what a unit of each resource's excess costs."""
        before = ((OBJECTIVE, "UnderData"), (OBJECTIVE, "KeptTours"), (HEADER, "RoutingData"))
        places = [sum(words_of(*own) for own in before)]
        for part in self.resources[:-1]:
            own = words_of(HEADER, "ResourceData") + len(part.words(backend, self.problem))
            places.append(places[-1] + own)
        return places

    def weights(self, price: float) -> NDArray[np.uint64]:
        """Return what units of the resources' excess cost at a price, as search data."""
        weights = [self._at(price, part) for part in self.resources]
        return np.array(weights, self.problem.cost_dtype).view(np.uint64)

    def load_weight(self, price: float) -> float:
        """Return what a unit of demand beyond the capacity costs at a price."""
        return float(self._at(price, self.resources[0]))

    def _at(self, price: float, part: Resource) -> float:
        weight = price * self._weight(part)
        return max(1, round(weight)) if self.problem.integer else weight

    def most(self, problem: Any) -> float:
        """Return what it costs to break all constraints as far as can be."""
        its, due = self.problem, self.penalties
        whole = its.longest * (its.customers + its.copies) + float(its.service_times.sum())
        limited = its.fleet is not None and its.fleet < its.copies
        most = due.load * float(its.demands.sum()) + due.vehicles * its.copies * limited
        if its.resources:
            return math.inf
        return most + due.duration * whole * (its.route_limit is not None)

    @property
    def proven(self) -> bool:
        """Whether the library's tests compare the functors of all resources with their classes."""
        return not any(map(foreign, self.resources))

    def kept_bytes(self, problem: Any) -> int:
        """Return the size of what routes/problem/routing.cuh keeps of a tour."""
        its = self.problem
        n, copies = its.customers + its.copies, its.copies
        total = 16 + _padded(4 * (n + 2 * copies))
        for part in self.resources:
            total += _padded((part.segments * n + copies) * part.segment_bytes(its))
        return total

    def costs(self, problem: Problem, rows: NDArray[np.int32]) -> NDArray[Any]:
        """Return what giant tours (P, n) pay for violations."""
        paid = self._paid(self.penalties, giant_tours.violations(self.problem, rows))
        return np.asarray(paid, dtype=self.problem.cost_dtype)

    def feasible(self, problem: Problem, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which giant tours (P, n) break no constraint."""
        return giant_tours.violations(self.problem, rows).none

    def violated(self, problem: Problem, rows: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return what giant tours (P, n) would pay for violations of hard constraints."""
        violations = giant_tours.violations(self.problem, rows)
        paid = self._paid(hard_penalties(self.problem), violations)
        return np.where(violations.none, 0.0, np.maximum(paid, 1.0))

    def _paid(self, penalties: Penalties, violations: Violations) -> NDArray[Any]:
        """Return what violations cost in all, shape (P,)."""
        paid: NDArray[Any] = (
            penalties.load * violations.load
            + penalties.duration * violations.duration
            + penalties.vehicles * violations.vehicles
        )
        for part in self.problem.resources:
            paid = paid + self._weight(part) * violations.resources[part.name]
        return paid

    def _weight(self, part: Resource) -> float:
        """Return what a unit of a resource's excess costs."""
        weight: float | None = getattr(self.penalties, part.name, None)
        return part.weight(self.problem) if weight is None else weight

    def __repr__(self) -> str:
        return f"Routing({self.problem!r})"
