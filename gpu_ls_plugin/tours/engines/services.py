"""The contract between a local search and its engines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.candidates.base import Candidates
    from gpu_ls_plugin.tours.engines.engine import Engine
    from gpu_ls_plugin.tours.engines.pivoting import Pivoting
    from gpu_ls_plugin.tours.moves.base import Neighbourhood
    from gpu_ls_plugin.tours.problem.tsp import TSP


class Parameters(Protocol):
    """The parameters of a `LocalSearch`."""

    @property
    def neighbourhoods(self) -> Sequence[Any]:
        """The neighbourhoods whose moves are tried."""

    @property
    def candidates(self) -> Any:
        """Cities that a city may be linked to."""

    @property
    def pivoting(self) -> Any:
        """The rule that picks an improving move."""

    @property
    def moves_per_pass(self) -> int:
        """Moves that exhaustive 2-opt applies after one evaluation."""

    @property
    def layout(self) -> str:
        """Launch layout on a GPU: "auto", or one of `LAYOUTS`."""


@dataclass(frozen=True)
class EngineFactory:
    """Makes the engines of one search."""

    make: Callable[[Any, int, int], Engine]  # from tours, the first row's number, and most moves
    bytes_per_tour: int  # of device memory


# Returns how many bytes an engine may use. The call is slow on a GPU.
Memory = Callable[[], int]
# Prepares a search on a backend, for a problem, with a seed.
Preparation = Callable[[Parameters, "Backend", "TSP", int, Memory], EngineFactory]
Lists = Callable[[Parameters, "Backend", "TSP"], Iterable["Candidates"]]


@dataclass(frozen=True)
class Service:
    """An engine, and the searches that it serves."""

    pivoting: tuple[type[Pivoting], ...]  # rules that it serves
    moves: Callable[[Parameters], bool]  # whether it serves the moves and candidates of a search
    prepare: Preparation  # makes the engine factory of a search
    lists: Lists  # returns the candidates whose lists the engine reads
    cities: Callable[[TSP], TSP] = lambda problem: problem  # the problem that the lists are for
    several: bool = False  # whether `moves_per_pass` may be more than 1
    alone: type[Neighbourhood] | None = None  # moves that no other engine serves
    refusal: str = ""  # message for combinations of `alone` that the engine does not serve

    def serves(self, search: Parameters) -> bool:
        """Return whether the engine serves a search that makes one move per pass."""
        return isinstance(search.pivoting, self.pivoting) and self.moves(search)


# Functions that each return a service. Other domains append theirs when they are imported; a search
# calls all of them when it looks for its engine. No two services serve the same search.
of_other_domains: list[Callable[[], Service]] = []
