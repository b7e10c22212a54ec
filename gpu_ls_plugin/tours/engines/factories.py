"""What makes the engines of a search, and what they need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol

from gpu_ls_plugin.tours.candidates.nearest import All
from gpu_ls_plugin.tours.engines.descent.best_sweep import BestSweep
from gpu_ls_plugin.tours.engines.descent.city_descent import Descent, MultiDescent
from gpu_ls_plugin.tours.engines.exhaustive.random_k import RandomKSteps
from gpu_ls_plugin.tours.engines.exhaustive.three_opt_climb import ThreeOptClimb
from gpu_ls_plugin.tours.engines.exhaustive.two_opt_climb import TwoOptClimb
from gpu_ls_plugin.tours.engines.filtered.filtered_moves import FilteredMoves
from gpu_ls_plugin.tours.engines.pivoting.first import First
from gpu_ls_plugin.tours.filters.base import Everything
from gpu_ls_plugin.tours.filters.filtered_neighbourhood import FilteredNeighbourhood
from gpu_ls_plugin.tours.filters.in_candidates import InCandidates
from gpu_ls_plugin.tours.moves.composed import CandidateMoves
from gpu_ls_plugin.tours.moves.reconnections import ThreeOpt
from gpu_ls_plugin.tours.problem.objective import (
    require_additive,
    require_length,
    require_nothing_kept,
    require_undirected,
)
from gpu_ls_plugin.tours.problem.weighted import require_shared_lengths

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.engines.engine import Engine
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


def two_opt_climb(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: Memory
) -> EngineFactory:
    """Serve exhaustive 2-opt."""
    require_shared_lengths(problem, "exhaustive 2-opt")
    several = search.moves_per_pass
    if not problem.objective.length_alone:
        if several > 1:
            require_length(problem.objective, f"moves_per_pass={several}")
        return _whole(search, backend, problem, seed, memory)
    return EngineFactory(
        lambda tours, _, most: TwoOptClimb(backend, problem, tours, several, most),
        TwoOptClimb.bytes_per_tour(problem.n, several),
    )


def three_opt_climb(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: Memory
) -> EngineFactory:
    """Serve exhaustive 3-opt."""
    require_shared_lengths(problem, "exhaustive 3-opt")
    if not problem.objective.length_alone:
        return _whole(search, backend, problem, seed, memory)
    return EngineFactory(
        lambda tours, _, most: ThreeOptClimb(backend, problem, tours, most),
        ThreeOptClimb.bytes_per_tour(problem.n),
    )


def random_k(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: Memory
) -> EngineFactory:
    """Serve samples of 2-opt or 3-opt moves."""
    require_shared_lengths(problem, "RandomK()")
    require_nothing_kept(problem.objective, problem, "RandomK()")
    require_undirected(problem.objective, "RandomK()")
    k, three = search.pivoting.k, search.neighbourhoods == (ThreeOpt(),)
    return EngineFactory(
        lambda tours, row, most: RandomKSteps(
            backend, problem, tours, k, seed, most, first_row=row, three_opt=three
        ),
        RandomKSteps.bytes_per_tour(problem.n, k),
    )


def candidate_moves(
    search: Parameters, backend: Backend, problem: TSP
) -> Callable[[], CandidateMoves]:
    """Return what composes the parts, once and not before an engine is made."""
    return cache(
        partial(
            CandidateMoves,
            backend,
            problem,
            search.neighbourhoods,
            search.candidates,
            search.pivoting.by_step,
        )
    )


def best_sweep(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: Memory
) -> EngineFactory:
    """Serve the best move of all cities on candidate lists."""
    require_shared_lengths(problem, "Best()")
    parts = candidate_moves(search, backend, problem)
    return EngineFactory(
        lambda tours, _, most: BestSweep(backend, problem, tours, parts(), most),
        BestSweep.bytes_per_tour(problem.n),
    )


def descent(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: Memory
) -> EngineFactory:
    """Serve the best move of the city in front."""
    parts = candidate_moves(search, backend, problem)
    return EngineFactory(
        lambda tours, _, most: Descent(backend, problem, tours, parts(), most, search.layout),
        Descent.bytes_per_tour(problem.n),
    )


def multi_descent(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: Memory
) -> EngineFactory:
    """Serve the independent moves of several cities."""
    require_shared_lengths(problem, "Multi()")
    require_additive(problem.objective, problem, "Multi()")
    parts, cities = candidate_moves(search, backend, problem), search.pivoting.cities
    return EngineFactory(
        lambda tours, _, most: MultiDescent(
            backend, problem, tours, parts(), most, cities, search.layout
        ),
        MultiDescent.bytes_per_tour(problem.n),
    )


def filtered(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: Memory
) -> EngineFactory:
    """Serve one filtered neighbourhood; candidate lists are one more filter."""
    require_shared_lengths(problem, "a FilteredNeighbourhood")
    require_undirected(problem.objective, "a complete neighbourhood")
    (part,) = search.neighbourhoods
    if not isinstance(search.candidates, All):
        part = replace(part, filter=part.filter & InCandidates(search.candidates))
    eager = isinstance(search.pivoting, First)
    make = partial(FilteredMoves, backend, problem, seed=seed, eager=eager, memory=memory())
    return EngineFactory(
        lambda tours, row, most: make(tours, part, most, first_row=row),
        FilteredMoves.bytes_per_tour(problem.n, part),
    )


def _whole(search: Any, *where: Any) -> EngineFactory:
    """Evaluate every move of a neighbourhood by itself: tiles add up lengths alone."""
    part = FilteredNeighbourhood(search.neighbourhoods[0], Everything())
    return filtered(replace(search, neighbourhoods=(part,)), *where)
