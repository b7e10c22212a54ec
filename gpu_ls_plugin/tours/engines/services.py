"""Services of engines: which searches they serve, also those of other domains."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.candidates.base import Candidates
    from gpu_ls_plugin.tours.engines.factories import Parameters, Preparation
    from gpu_ls_plugin.tours.engines.pivoting.base import Pivoting
    from gpu_ls_plugin.tours.moves.base import Neighbourhood
    from gpu_ls_plugin.tours.problem.tsp import TSP

Lists = Callable[["Parameters", "Backend", "TSP"], Iterable["Candidates"]]


@dataclass(frozen=True)
class Service:
    """An engine, and the searches that it serves."""

    pivoting: tuple[type[Pivoting], ...]  # rules of any of these, ...
    moves: Callable[[Parameters], bool]  # ... whose moves and candidates pass this test
    prepare: Preparation  # prepares the engines of a search
    lists: Lists  # candidates whose lists the engine reads, ...
    cities: Callable[[TSP], TSP] = lambda problem: problem  # ... and the cities that these list
    several: bool = False  # whether `moves_per_pass` may be more than 1
    alone: type[Neighbourhood] | None = None  # moves that no other engine serves, ...
    refusal: str = ""  # ... and the message for other combinations with them

    def serves(self, search: Parameters) -> bool:
        """Return whether the engine serves a search that makes one move a pass."""
        return isinstance(search.pivoting, self.pivoting) and self.moves(search)


# Functions that return a service, which is made when a search asks for it; other domains add
# theirs when they are imported. Each serves searches that no other one does.
of_other_domains: list[Callable[[], Service]] = []
