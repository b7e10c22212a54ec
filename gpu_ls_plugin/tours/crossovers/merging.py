"""Merging: crosses the tours of all chains into one, from which all chains continue."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.budget import NO_LIMIT, Stopwatch
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.tours.cooperation.base import Cooperation
from gpu_ls_plugin.tours.crossovers.base import Recombination
from gpu_ls_plugin.tours.crossovers.partition_crossover import PartitionRecombination
from gpu_ls_plugin.tours.kernels.evaluation import tour_costs

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.engines.chains.chains import Chains
    from gpu_ls_plugin.tours.problem.tsp import TSP


@dataclass(frozen=True)
class Merging(Cooperation):
    """Merge the best tours of all chains into one tour, from which all chains continue.

    The best tours are crossed in pairs, then their children are, until one tour is left. Each round
    has half as many crossovers as the round before, whereas a recombination used as a cooperation
    crosses all tours in each generation. Use merging for chains that began at the same tour: they
    still share nearly all of its edges, so one tour can combine most of their improvements.

    Parameters
    ----------
    every : float
        Kicks per city between two mergings; more than 0.
    crossover : Recombination
        A crossover whose children are never worse than their first parents.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or of the wrong kind.
    """

    every: float = 1.0
    crossover: Recombination = field(default_factory=PartitionRecombination)

    name = "merging"

    def __post_init__(self) -> None:
        super().__post_init__()
        wanted = "recombination, such as PartitionRecombination()"
        checks.fields(self, checks.instance, "crossover", kind=Recombination, wanted=wanted)
        if not self.crossover.never_worse:
            raise InvalidParameterError(
                f"crossover: children of {type(self.crossover).__name__} may be worse than their "
                "parents; choose PartitionRecombination()"
            )

    def check(self, problem: TSP) -> None:
        self.crossover.check(problem)

    def bytes_per_tour(self, n: int) -> int:
        return self.crossover.bytes_per_tour(n)

    def exchange(
        self, chains: Chains, level: float, seconds: float = math.inf, kicks: int = NO_LIMIT
    ) -> int:
        """Merge the best tours; if time runs out first, leave the chains unchanged."""
        watch, start = Stopwatch.of(seconds), chains.start
        backend, problem, xp = start.backend, start.problem, start.backend.xp
        tours = chains.best_tours
        while (count := len(tours)) > 1:
            if watch.left <= 0:
                return 0
            pairs = count // 2
            first, others = tours[:pairs], xp.arange(count - pairs, count, dtype="int32")
            workspace = chains.kept(
                (self, pairs), partial(self.crossover.workspace_of, chains, pairs)
            )
            children = workspace.children(
                first, partial(tour_costs, backend, problem, first), tours, others
            )
            tours = xp.concatenate([children, tours[pairs : count - pairs]])
        size = len(chains.tours)
        costs = tour_costs(backend, problem, tours).repeat(size)
        chains.adopt(xp.broadcast_to(tours, (size, problem.n)), costs)
        return 0
