"""Batches of vehicle routing problems that are searched in the same launches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.trust import foreign
from gpu_ls_plugin.routes.kernels.linked_layouts import most_rows
from gpu_ls_plugin.routes.kernels.linked_rows import MOST_DEMAND
from gpu_ls_plugin.routes.many.instances import (
    GivenInstances,
    RouteInstances,
    RowsOfInstances,
    bytes_per_instance,
)
from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_plugin.tours.kernels.sites import (
    GRID_BACKENDS,
    GRID_METRICS,
    ROOTS,
    TABLE_BYTES,
    WIDTH_OF_GRID,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.base import Backend

METRICS = ("EUC_2D", "EUC")
MOST_CUSTOMERS = 1000  # for more, near nodes take long, and `solve` searches one problem as fast
MOST_TABLES = 1 << 28  # maximum size in bytes of the tables of lengths of a batch
# Kicks per second, of a chain on a GPU and of a core of a CPU.
KICKS_OF_ROUTES = {"cuda": 4000, "cpu": 10000}
LONG = 3600.0  # seconds; longer searches migrate at the intervals of a search of this length
# A CPU runs several chains of a problem if each has time for this many kicks per node.
KICKS_PER_NODE, MOST_REPLICAS = 100, 16


def why_alone(problem: Any) -> str | None:
    """Return why a problem is not searched side by side with others, or None if it is.

    Such a problem is a CVRP in the plane, with hard limits on loads and no other limit.
    """
    if not isinstance(problem, CVRP) or type(problem).cost is not CVRP.cost:
        return "it is not a plain CVRP"
    metric = problem.nodes.metric
    if metric.name not in METRICS or foreign(metric):
        return f"its metric is {metric.name}, not one of {' and '.join(METRICS)}"
    others = {
        "route limit": problem.route_limit is not None,
        "fleet": problem.fleet is not None,
        "resources": bool(problem.resources),
        "soft constraints": problem.penalties is not None,
        "times of travel": problem.durations is not None,
    }
    for what, given in others.items():
        if given:
            return f"it has a limit other than that on loads: {what}"
    if problem.customers > MOST_CUSTOMERS:
        return f"it has more than {MOST_CUSTOMERS:,} customers"
    if int(problem.demands.sum()) > MOST_DEMAND:
        return f"its total demand is more than {MOST_DEMAND:,}"
    return None


@dataclass(eq=False)
class AlikeProblems:
    """Problems with the same metric and number of customers.

    `rows` are their indices in the caller's list.
    """

    problems: Sequence[CVRP]
    rows: NDArray[np.int64]

    @property
    def n(self) -> int:
        """Number of nodes of a giant tour, with as many copies of the depot as any problem has."""
        return max(problem.n for problem in self.problems)

    @property
    def nodes(self) -> int:
        """Total number of nodes."""
        return len(self.problems) * self.n

    def instances(self, backend: Backend) -> RouteInstances:
        """Return the problems as instances on a backend."""
        xp, problems, first = backend.xp, self.problems, self.problems[0]
        places = np.stack([problem.nodes.values for problem in problems])
        numbers = [(problem.capacity, problem.copies) for problem in problems]
        capacities, copies = np.array(numbers, np.int64).T
        sides = np.ptp(places, axis=1)
        longest = float(np.sqrt((sides**2).sum(axis=1)).max()) + 1.0
        given = GivenInstances(
            first.nodes.metric,
            xp.asarray(places),
            xp.asarray(np.stack([problem.demands for problem in problems])),
            xp.asarray(np.ascontiguousarray(capacities)),
            self.n,
            xp.asarray(np.ascontiguousarray(copies)),
            longest,
            grid=self._grid(backend, places, float(sides.max()), longest),
        )
        return RouteInstances(backend, given)

    def _grid(self, backend: Backend, places: NDArray[Any], widest: float, longest: float) -> str:
        """Return how kernels compute lengths, as in `Sites`."""
        metric = self.problems[0].nodes.metric
        if backend.name in GRID_BACKENDS:
            whole = metric.name in GRID_METRICS and bool((places == np.floor(places)).all())
            if not whole or longest > ROOTS:
                return ""
            return "fine" if widest < WIDTH_OF_GRID else "wide"
        kind = "reals" if not metric.integer else "shorts" if longest < 2**16 else "integers"
        return kind if self.nodes * self.n * TABLE_BYTES[kind] <= MOST_TABLES else ""

    def replicas(self, backend: Backend, seconds: float, fit: int) -> int:
        """Return the number of chains of each problem, given the seconds for this batch.

        `fit` rows fit into memory.
        """
        wanted = self._at_once(backend) // len(self.problems)
        if backend.name == "cpu":
            wanted = int(self.kicks(backend, 1, seconds) / (KICKS_PER_NODE * self.n))
            wanted = min(MOST_REPLICAS, wanted)
        return max(1, min(wanted, fit // len(self.problems)))

    def kicks(self, backend: Backend, replicas: int, seconds: float) -> float:
        """Return about how many kicks each of `replicas` chains of a problem makes."""
        chains = replicas * len(self.problems)
        busy = min(1.0, self._at_once(backend) / chains)
        return busy * KICKS_OF_ROUTES[backend.name] * min(seconds, LONG)

    def _at_once(self, backend: Backend) -> int:
        """Return how many chains a backend runs at a time."""
        sizes = RowsOfInstances(self.n, self.problems[0].customers, self.problems[0].integer)
        return backend.processors * (1 if backend.name == "cpu" else most_rows(sizes))


def batches_of(problems: Sequence[CVRP]) -> Iterator[AlikeProblems]:
    """Yield the problems in batches, the smallest problems first."""
    groups: dict[tuple[int, str], list[int]] = {}
    for row, problem in enumerate(problems):
        groups.setdefault((problem.customers, problem.nodes.metric.name), []).append(row)
    for _, rows in sorted(groups.items()):
        yield AlikeProblems([problems[row] for row in rows], np.array(rows))


def divided(batch: AlikeProblems, most: int) -> Iterator[AlikeProblems]:
    """Yield parts of a batch with at most `most` problems each, all about equally large."""
    count = len(batch.problems)
    for rows in np.array_split(np.arange(count), -(-count // most)):
        part = slice(int(rows[0]), int(rows[-1]) + 1)
        yield AlikeProblems(batch.problems[part], batch.rows[part])


def bytes_of(batch: AlikeProblems, replicas: int) -> int:
    """Return a bound on the bytes of memory of one problem of a batch."""
    site_bytes = 8 * batch.n if batch.nodes * batch.n * 2 > MOST_TABLES else 8 * batch.n**2
    return bytes_per_instance(batch.n, batch.problems[0].customers, replicas, site_bytes)
