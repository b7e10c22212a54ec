"""SWAP* in plain Python: the trades of the neighbourhood's definition, on lists of routes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.helpers.route_oracle import cost, matrix
from tests.helpers.routing import plain_violations

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

    import gpu_ls_plugin as gls
    from tests.helpers.route_oracle import Route


class Trades:
    """The trades of a giant tour that candidate lists allow.

    If two trades of the same customers have equal costs, a kernel may choose either.
    """

    def __init__(self, problem: gls.CVRP, row: np.ndarray, candidates: gls.Nearest) -> None:
        self.problem, self.row = problem, row
        self.lists = candidates.of(problem.tsp).cities.tolist()
        self.routes = [list(map(int, route)) for route in problem.routes(row)]
        self.d = matrix(problem)
        self.cost = problem.tsp.cost(row[None])[0]
        self.relief = self.cost - problem.cost(row[None])[0]

    def all(self) -> Iterator[tuple[float, tuple[int, int], np.ndarray]]:
        """Yield the gain of each trade, its two customers, and the new tour."""
        for number, route in enumerate(self.routes):
            for its_number, its in enumerate(self.routes):
                if number == its_number:
                    continue
                for v in range(len(route)):
                    for w in range(len(its)):
                        if self._looked_at(route, v, its, w):
                            yield from self._made(number, v, its_number, w)

    def _made(
        self, number: int, v: int, its_number: int, w: int
    ) -> Iterator[tuple[float, tuple[int, int], np.ndarray]]:
        route, its = self.routes[number], self.routes[its_number]
        new, its_new = self._put(route, v, its[w]), self._put(its, w, route[v])
        left = route[:v] + route[v + 1 :]  # the lower bound assumes that this is the shortest route
        before, after = (route, its), (left, its_new)
        if sum(map(self._length, before)) - sum(map(self._length, after)) + self.relief <= 0:
            return
        routes = [list(other) for other in self.routes]
        routes[number], routes[its_number] = new, its_new
        row = self.problem.tour(routes)
        if self.problem.penalties is None and self._worse(row):
            return
        yield self.cost - self.problem.tsp.cost(row[None])[0], (route[v], its[w]), row

    def _worse(self, row: np.ndarray) -> bool:
        before, after = (plain_violations(self.problem, tour) for tour in (self.row, row))
        return any(b > a + 1e-9 for a, b in zip(before, after, strict=True))

    def _length(self, route: Route) -> float:
        return cost(self.d, route) if route else 0

    def _put(self, route: Route, at: int, customer: int) -> Route:
        """Return a route with one customer replaced by another, at the cheapest place."""
        left = route[:at] + route[at + 1 :]
        places = {0, at, len(left)}
        for candidate in set(self.lists[customer]) & set(left):
            places |= {left.index(candidate), left.index(candidate) + 1}
        every = [[*left[:place], customer, *left[place:]] for place in places]
        return min(every, key=self._length)

    def _looked_at(self, route: Route, v: int, its: Route, w: int) -> bool:
        """Return whether a first step leads to w, or to a neighbour of w if w is too far."""
        before, customer, behind = [0, *route, 0][v : v + 3]
        longest = self.d[customer][behind]
        if self.problem.symmetric:
            longest = max(longest, self.d[before][customer])

        def steps_to(other: int) -> bool:
            return self.d[customer][other] < longest and other in self.lists[customer]

        if self.d[customer][its[w]] < longest:
            return steps_to(its[w])
        return any(map(steps_to, its[max(0, w - 1) : w + 2]))
