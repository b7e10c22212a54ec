"""How chains of a population help each other."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from gpu_ls_plugin import checks
from gpu_ls_plugin.budget import Stopwatch
from gpu_ls_plugin.cooperation.contraction import Contraction
from gpu_ls_plugin.exceptions import UnsupportedProblemError
from gpu_ls_plugin.objectives.base import require_by_edges, require_length
from gpu_ls_plugin.recombination.edge_assembly import Population
from gpu_ls_plugin.searches.chains.chain_kernel import NO_LIMIT

if TYPE_CHECKING:
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.searches.chains.chains import Chains

MOST_KICKS_PER_CITY = 1e9


class Cooperation(ABC):
    """What chains do for each other, again and again.

    Attributes
    ----------
    name : str
        As in texts of searches.
    every : float
        Kicks per city between two exchanges.
    """

    name: ClassVar[str]
    every: float

    def __post_init__(self) -> None:
        checks.fields(self, checks.number, "every", least=1e-9, most=MOST_KICKS_PER_CITY)

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError where chains of a problem cannot exchange anything."""

    def bytes_per_tour(self, n: int) -> int:
        """Return the device memory of one tour in bytes, beside that of its chain."""
        return 0

    def period(self, n: int) -> int:
        """Return the kicks between two exchanges in tours of n cities."""
        return max(1, round(self.every * n))

    @abstractmethod
    def exchange(
        self, chains: Chains, level: float, seconds: float = math.inf, kicks: int = NO_LIMIT
    ) -> int:
        """Let chains go on from what others have found.

        Parameters
        ----------
        chains : Chains
            Changed.
        level : float
            Of the acceptance rule, at present.
        seconds : float
            That may be spent, about.
        kicks : int
            That each chain may make.

        Returns
        -------
        int
            Kicks that each chain has made.
        """


@dataclass(frozen=True)
class Migration(Cooperation):
    """Let the worst chains go on from the best tours of the best, again and again.

    Parameters
    ----------
    every : float
        Kicks per city between two migrations; more than 0.
    share : float
        Of the chains that are replaced, from 0 to 0.5; the worst one by the best one, the second
        worst by the second best, and so on.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or no number.
    """

    every: float = 1.0
    share: float = 0.5

    name = "migration"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.fields(self, checks.number, "share", least=0.0, most=0.5)

    def exchange(
        self, chains: Chains, level: float, seconds: float = math.inf, kicks: int = NO_LIMIT
    ) -> int:
        """Replace the worst chains; ties go to the lower row."""
        order = _by_cost(chains)
        count = int(self.share * len(order))
        if count > 0:
            chains.take(order[::-1][:count], order[:count])
        return 0


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
        A parameter is out of range or no number.
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
        require_by_edges(problem, "EliteEdges()")

    def bytes_per_tour(self, n: int) -> int:
        """Return the device memory of one tour in bytes, beside that of its chain."""
        return Contraction.bytes_per_tour(n)

    def exchange(
        self, chains: Chains, level: float, seconds: float = math.inf, kicks: int = NO_LIMIT
    ) -> int:
        """Migrate, then let the chains search their contracted problems."""
        watch = Stopwatch.of(seconds)
        super().exchange(chains, level)
        order = _by_cost(chains)
        costs = chains.best_costs[order]
        new = chains.start.backend.xp.ones(len(order), bool)
        new[1:] = costs[1:] != costs[:-1]
        elite = order[new][: self.elite]
        return chains.work_where_differing(elite, self, level, watch.left, kicks)


@dataclass(frozen=True)
class EdgeAssembly(Cooperation):
    """Let each chain's best tour take over from another's what makes it shorter.

    Generations of edge assembly crossover (Nagata and Kobayashi 2013): the edges in which a chain's
    best tour and the present tour of a partner, another one in every generation, differ fall into
    AB-cycles; the best tour takes over each that makes it cheaper, one after the other. With some
    hundred chains far stronger than kicks alone, most of all if they start at random.

    Parameters
    ----------
    every : float
        Kicks per city between two exchanges; more than 0.
    generations : int
        Of each exchange.
    offspring : int
        Of a tour in a generation, at most: AB-cycles that are tried.

    Raises
    ------
    InvalidParameterError, InvalidTypeError
        A parameter is out of range or no number.
    """

    every: float = 0.1
    generations: int = 5
    offspring: int = 32

    name = "edge_assembly"

    def __post_init__(self) -> None:
        super().__post_init__()
        most = checks.MOST_INT
        checks.fields(self, checks.integer, "generations", "offspring", least=1, most=most)

    def check(self, problem: TSP) -> None:
        """Raise UnsupportedProblemError for asymmetric problems: paths are reversed."""
        require_length(problem, "EdgeAssembly()")
        if not problem.symmetric:
            raise UnsupportedProblemError(
                "cooperation: EdgeAssembly reverses paths, which changes the lengths of this "
                "asymmetric problem; use Migration()"
            )

    def bytes_per_tour(self, n: int) -> int:
        """Return the device memory of one tour in bytes, beside that of its chain."""
        return Population.bytes_per_tour(n)

    def exchange(
        self, chains: Chains, level: float, seconds: float = math.inf, kicks: int = NO_LIMIT
    ) -> int:
        """Cross the best tours; nothing happens to a single chain."""
        watch = Stopwatch.of(seconds)
        for _ in range(self.generations if len(chains.tours) > 1 else 0):
            if watch.left <= 0:
                break
            chains.population.next_generation(chains, self.offspring, watch.left)
            if seconds < math.inf:
                chains.start.backend.wait()  # launches only queue
        return 0


def _by_cost(chains: Chains) -> Any:
    """Return the rows by the cost of their best tours; ties go to the lower row."""
    xp, size = chains.start.backend.xp, len(chains.best_costs)
    return xp.lexsort(xp.stack([xp.arange(size), chains.best_costs]))
