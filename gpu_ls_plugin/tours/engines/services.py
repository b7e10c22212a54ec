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
    """The parameters of a `LocalSearch` that engines read."""

    @property
    def neighbourhoods(self) -> Sequence[Any]: ...

    @property
    def candidates(self) -> Any: ...

    @property
    def pivoting(self) -> Any: ...

    @property
    def moves_per_pass(self) -> int: ...

    @property
    def layout(self) -> str: ...


@dataclass(frozen=True)
class EngineFactory:
    """Makes the engines of one search."""

    # Arguments: the tours, the number of their first row, and the maximum number of moves per tour.
    make: Callable[[Any, int, int], Engine]
    bytes_per_tour: int  # device memory that a tour needs


# Returns how many bytes an engine may use. The call is slow on a GPU.
Memory = Callable[[], int]
# Prepares a search. Arguments: its parameters, the backend, the problem, the seed and the memory.
Preparation = Callable[[Parameters, "Backend", "TSP", int, Memory], EngineFactory]
# Returns the candidates whose lists an engine reads.
Lists = Callable[[Parameters, "Backend", "TSP"], Iterable["Candidates"]]


@dataclass(frozen=True)
class Service:
    """An engine, and the searches that it serves."""

    pivoting: tuple[type[Pivoting], ...]  # rules that the engine serves
    moves: Callable[[Parameters], bool]  # whether it serves a search's moves and candidates
    prepare: Preparation  # returns the engine factory of a search
    lists: Lists
    cities: Callable[[TSP], TSP] = lambda problem: problem  # the problem whose lists are needed
    several: bool = False  # whether `moves_per_pass` may be more than 1
    alone: type[Neighbourhood] | None = None  # a neighbourhood that no other engine serves, if any
    refusal: str = ""  # message if a search has `alone`, but no engine serves the search

    def serves(self, search: Parameters) -> bool:
        """Return whether the engine serves a search, apart from its `moves_per_pass`."""
        return isinstance(search.pivoting, self.pivoting) and self.moves(search)


# Functions that each return a service. Other domains append theirs when they are imported; a search
# calls all of them when it looks for its engine. No two services serve the same search.
of_other_domains: list[Callable[[], Service]] = []
# Functions that other domains append when they are imported. Each raises UnsupportedProblemError if
# a local search does not serve a problem of its domain.
checks_of_other_domains: list[Callable[[Parameters, TSP], None]] = []
