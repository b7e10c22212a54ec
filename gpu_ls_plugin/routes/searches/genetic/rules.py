"""What generations go by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.routes.crossovers.route_edge_assembly import RouteEdgeAssembly
from gpu_ls_plugin.routes.crossovers.route_recombination import RouteRecombination
from gpu_ls_plugin.routes.crossovers.split_crossover import SplitRecombination
from gpu_ls_plugin.routes.moves.between_routes import SwapStar
from gpu_ls_plugin.routes.moves.route_moves import RouteMoves
from gpu_ls_plugin.tours.candidates.detour import Detour
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.searches.local_search import LocalSearch


def education() -> LocalSearch:
    """Return how children are searched: a warp looks at the candidates of a customer together."""
    return LocalSearch([RouteMoves(), SwapStar()], candidates=Nearest(16) | Detour(16))


def crossovers() -> tuple[RouteRecombination, ...]:
    """Return how children are made: of sectors of their parents, or of edges of them."""
    return SplitRecombination(), RouteEdgeAssembly()


@dataclass(frozen=True)
class Rules:
    """The parameters of a `HybridGeneticSearch`, which says what they are."""

    search: LocalSearch = field(default_factory=education)
    crossover: RouteRecombination | Sequence[RouteRecombination] = field(default_factory=crossovers)
    size: int = 25
    children: int = 40
    elite: int = 4
    feasible: float = 0.2
    patience: int = 60
    migration: int = 10

    def __post_init__(self) -> None:
        checks.fields(self, checks.instance, "search", kind=LocalSearch, wanted="LocalSearch")
        given: Any = self.crossover
        several = isinstance(given, Sequence) and len(given) > 0
        checks.store(self, crossover=tuple(given) if several else (given,))
        wanted = "recombination of routes, such as SplitRecombination(), or several"
        for crossover in self.crossovers:
            checks.instance("crossover", crossover, kind=RouteRecombination, wanted=wanted)
        checks.fields(self, checks.integer, "size", "children", least=2, most=1 << 20)
        checks.fields(self, checks.integer, "elite", least=0, most=checks.MOST_INT)
        checks.fields(self, checks.number, "feasible", least=0.0, most=1.0)
        checks.fields(self, checks.integer, "patience", "migration", least=1, most=checks.MOST_INT)

    @property
    def crossovers(self) -> tuple[RouteRecombination, ...]:
        """With which populations take turns."""
        assert isinstance(self.crossover, tuple)
        return self.crossover
