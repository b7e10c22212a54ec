"""Elite edges: after a migration, chains work where their tours differ from the best ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import NO_LIMIT, Stopwatch
from gpu_ls_plugin.tours.cooperation.base import MOST_KICKS_PER_CITY, by_cost
from gpu_ls_plugin.tours.cooperation.contraction import Contraction
from gpu_ls_plugin.tours.cooperation.migration import Migration
from gpu_ls_plugin.tours.problem.objective import require_by_edges, require_undirected

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.engines.chains.chains import Chains
    from gpu_ls_plugin.tours.problem.tsp import TSP


@dataclass(frozen=True)
class EliteEdges(Migration):
    """Migration, after which each chain works for a while where its tour differs from the best.

    Edges of a chain's tour that all of an elite have, too, are fixed, and paths of them contracted:
    the problem becomes smaller the more the tours agree, and kicks happen where they do not. Tours
    in parts, and chains driven from the host, only migrate.

    Parameters
    ----------
    every, share
        As of `Migration`.
    elite : int
        Number of tours, the cheapest that differ in cost, whose common edges are fixed; at least 1.
    kicks_per_city : float
        Kicks of each chain in its contracted problem, for each city in it, in the mean of all.
    most : float
        Share of the cities, up to 1, that may remain in the mean: chains only migrate where there
        would be more of them. Large contracted problems make GPUs slow; on CPUs 1 is better.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or not a number.
    """

    every: float = 0.5
    elite: int = 16
    kicks_per_city: float = 1.0
    most: float = 0.45

    name = "elite_edges"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.fields(self, checks.integer, "elite", least=1)
        checks.fields(self, checks.number, "kicks_per_city", least=0.0, most=MOST_KICKS_PER_CITY)
        checks.fields(self, checks.number, "most", least=0.0, most=1.0)

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError where a part of a tour has no cost of its own."""
        require_by_edges(problem.objective, "EliteEdges()")
        require_undirected(problem.objective, "EliteEdges()")

    def bytes_per_tour(self, n: int) -> int:
        """Return the device memory of one tour in bytes, beside that of its chain."""
        return Contraction.bytes_per_tour(n)

    def exchange(
        self, chains: Chains, level: float, seconds: float = math.inf, kicks: int = NO_LIMIT
    ) -> int:
        """Migrate, then let the chains search their contracted problems."""
        watch = Stopwatch.of(seconds)
        super().exchange(chains, level)
        if not chains.contractible or kicks <= 0 or watch.left <= 0:
            return 0
        elite = chains.best_tours[self._elite(chains)]
        contraction = Contraction(chains.start.backend, chains.tours, elite)
        remaining = float(contraction.sizes.mean())
        if remaining > self.most * chains.start.problem.n:
            return 0
        wanted = max(1, round(self.kicks_per_city * remaining))
        return chains.search_contracted(
            contraction, kicks=min(kicks, wanted), level=level, seconds=watch.left
        )

    def _elite(self, chains: Chains) -> Any:
        """Return the rows of the cheapest best tours that differ in cost."""
        order = by_cost(chains)
        costs = chains.best_costs[order]
        new = chains.start.backend.xp.ones(len(order), bool)
        new[1:] = costs[1:] != costs[:-1]
        return order[new][: self.elite]
