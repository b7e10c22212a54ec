"""What an engine offers: which searches it serves, and how its engines are made."""

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
        """Moves to try."""

    @property
    def candidates(self) -> Any:
        """Cities to link a city to."""

    @property
    def pivoting(self) -> Any:
        """Which improving move is taken."""

    @property
    def moves_per_pass(self) -> int:
        """Moves applied after one evaluation of exhaustive 2-opt."""

    @property
    def layout(self) -> str:
        """What holds a tour on a GPU."""


@dataclass(frozen=True)
class EngineFactory:
    """Makes the engines of one search."""

    make: Callable[[Any, int, int], Engine]  # of the rows from a first one on, and the most moves
    bytes_per_tour: int


# Says how many bytes may be used, which takes a while on a GPU.
Memory = Callable[[], int]
# Of a search on a backend, for a problem, with a seed.
Preparation = Callable[[Parameters, "Backend", "TSP", int, Memory], EngineFactory]
Lists = Callable[[Parameters, "Backend", "TSP"], Iterable["Candidates"]]


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
