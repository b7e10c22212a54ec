"""The table of engines: which searches each engine serves, and which candidate lists it reads."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.tours.candidates.nearest import All
from gpu_ls_plugin.tours.engines import services
from gpu_ls_plugin.tours.engines.descent.best_sweep import BestSweep
from gpu_ls_plugin.tours.engines.descent.city_descent import Descent, MultiDescent
from gpu_ls_plugin.tours.engines.exhaustive.random_k import RandomKSteps
from gpu_ls_plugin.tours.engines.exhaustive.three_opt_climb import ThreeOptClimb
from gpu_ls_plugin.tours.engines.exhaustive.two_opt_climb import BOUND_CANDIDATES, TwoOptClimb
from gpu_ls_plugin.tours.engines.filtered.filtered_moves import FilteredMoves
from gpu_ls_plugin.tours.engines.pivoting import Best, First, Multi, Pivoting, RandomK
from gpu_ls_plugin.tours.engines.services import EngineFactory, Service
from gpu_ls_plugin.tours.filters.filtered_neighbourhood import FilteredNeighbourhood
from gpu_ls_plugin.tours.filters.move_filters import Everything, InCandidates
from gpu_ls_plugin.tours.moves.composed import LONGEST_LIST, CandidateMoves
from gpu_ls_plugin.tours.moves.reconnections import ThreeOpt, TwoOpt
from gpu_ls_plugin.tours.problem.objective import (
    require_additive,
    require_length,
    require_nothing_kept,
    require_undirected,
)
from gpu_ls_plugin.tours.problem.weighted import require_shared_lengths

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.candidates.base import Candidates
    from gpu_ls_plugin.tours.engines.services import Memory, Parameters, Preparation
    from gpu_ls_plugin.tours.moves.base import Neighbourhood
    from gpu_ls_plugin.tours.problem.tsp import TSP


# ---- Preparations --------------------------------------------------------------------------------


def two_opt_climb(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: Memory
) -> EngineFactory:
    """Return the engine factory of exhaustive 2-opt."""
    require_shared_lengths(problem, "exhaustive 2-opt")
    several = search.moves_per_pass
    if not problem.objective.length_alone:
        if several > 1:
            require_length(problem.objective, f"moves_per_pass={several}")
        return _unfiltered(search, backend, problem, seed, memory)
    return EngineFactory(
        lambda tours, _, most: TwoOptClimb(backend, problem, tours, several, most),
        TwoOptClimb.bytes_per_tour(problem.n, several),
    )


def three_opt_climb(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: Memory
) -> EngineFactory:
    """Return the engine factory of exhaustive 3-opt."""
    require_shared_lengths(problem, "exhaustive 3-opt")
    if not problem.objective.length_alone:
        return _unfiltered(search, backend, problem, seed, memory)
    return EngineFactory(
        lambda tours, _, most: ThreeOptClimb(backend, problem, tours, most),
        ThreeOptClimb.bytes_per_tour(problem.n),
    )


def random_k(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: Memory
) -> EngineFactory:
    """Return the engine factory of `RandomK`: the best move of k random triples of edges."""
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
    """Return a function that composes the moves of a search on its first call."""
    moves = search.neighbourhoods, search.candidates, search.pivoting.by_step
    return cache(partial(CandidateMoves, backend, problem, *moves))


def best_sweep(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: Memory
) -> EngineFactory:
    """Return the engine factory of best improvement on candidate lists."""
    require_shared_lengths(problem, "Best()")
    parts = candidate_moves(search, backend, problem)
    return EngineFactory(
        lambda tours, _, most: BestSweep(backend, problem, tours, parts(), most),
        BestSweep.bytes_per_tour(problem.n),
    )


def descent(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: Memory
) -> EngineFactory:
    """Return the engine factory of first improvement on candidate lists."""
    parts = candidate_moves(search, backend, problem)
    return EngineFactory(
        lambda tours, _, most: Descent(backend, problem, tours, parts(), most, search.layout),
        Descent.bytes_per_tour(problem.n),
    )


def multi_descent(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: Memory
) -> EngineFactory:
    """Return the engine factory of multi improvement: independent moves of several cities."""
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
    """Return the engine factory of a filtered neighbourhood; candidate lists become a filter."""
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


def _unfiltered(search: Any, *others: Any) -> EngineFactory:
    """Return the engine factory of a complete neighbourhood under an objective.

    Climbs only add up lengths, so `FilteredMoves` serves instead; its filter keeps all moves.
    """
    part = FilteredNeighbourhood(search.neighbourhoods[0], Everything())
    return filtered(replace(search, neighbourhoods=(part,)), *others)


# ---- Combinations of neighbourhoods and candidates -----------------------------------------------


def _any(search: Parameters, kind: type[Neighbourhood]) -> bool:
    return any(isinstance(part, kind) for part in search.neighbourhoods)


def _filtered_alone(search: Parameters) -> bool:
    return len(search.neighbourhoods) == 1 and _any(search, FilteredNeighbourhood)


def _composed(search: Parameters) -> bool:
    return not any(part.alone for part in search.neighbourhoods)


def _composed_on_lists(search: Parameters) -> bool:
    return _composed(search) and not isinstance(search.candidates, All)


def _over_all_cities(*neighbourhoods: Any) -> Callable[[Parameters], bool]:
    """Return a test of whether a search has just one of these neighbourhoods, over `All()`."""
    alone = tuple((part,) for part in neighbourhoods)
    return lambda search: isinstance(search.candidates, All) and search.neighbourhoods in alone


# ---- Candidate lists that an engine reads --------------------------------------------------------


def _none(search: Parameters, backend: Backend, problem: TSP) -> Iterable[Candidates]:
    return ()


def of_composed(search: Parameters, backend: Backend, problem: TSP) -> Iterable[Candidates]:
    """Return the candidates of the search; empty if their lists are too long for the engine."""
    return [search.candidates] if search.candidates.most(problem) <= LONGEST_LIST else []


def _of_bounds(search: Parameters, backend: Backend, problem: TSP) -> Iterable[Candidates]:
    return [BOUND_CANDIDATES] if backend.name == "cpu" else []


def _of_filters(search: Parameters, backend: Backend, problem: TSP) -> Iterable[Candidates]:
    if not isinstance(search.candidates, All):
        yield search.candidates
    for test in search.neighbourhoods[0].filter.parts:
        yield from test.candidate_sets


# ---- The table -----------------------------------------------------------------------------------


TWO, THREE = _over_all_cities(TwoOpt()), _over_all_cities(ThreeOpt())
TWO_OR_THREE = _over_all_cities(TwoOpt(), ThreeOpt())
SERVICES = (
    Service(
        (Best, First),
        _filtered_alone,
        filtered,
        _of_filters,
        alone=FilteredNeighbourhood,
        refusal="neighbourhoods: a FilteredNeighbourhood is searched alone, with Best() or "
        "First(), not {moves} with {rule!r}",
    ),
    Service((First,), _composed, descent, of_composed),
    Service((Multi,), _composed, multi_descent, of_composed),
    Service((Best,), _composed_on_lists, best_sweep, of_composed),
    Service((Best,), TWO, two_opt_climb, _of_bounds, several=True),
    Service((Best,), THREE, three_opt_climb, _none),
    Service((RandomK,), TWO_OR_THREE, random_k, _none),
)
# Messages for combinations that no engine serves, by pivoting rule. `Service.refusal` has priority.
SEVERAL = "moves_per_pass: only [TwoOpt()] on All() with Best() can make more than 1"
REFUSALS = {
    Best: "neighbourhoods: {moves} cannot be searched over All() cities with Best(), only "
    "[TwoOpt()] or [ThreeOpt()]; use candidates such as Nearest(10)",
    RandomK: "pivoting: {rule!r} draws moves of [TwoOpt()] or [ThreeOpt()] over All() cities, not "
    "of {moves} on {candidates!r}",
    Pivoting: "pivoting: no engine serves {rule!r}",
}


def choose(search: Parameters) -> Preparation:
    """Return the function that prepares the engines of a search."""
    return _service(search).prepare


def ready(search: Parameters, backend: Backend, problem: TSP, seconds: float) -> bool:
    """Make the candidate lists that a search needs; return whether all are ready in time."""
    watch = Stopwatch.of(seconds)
    service = _service(search)
    needed, cities = service.lists(search, backend, problem), service.cities(problem)
    return all(lists.ready(cities, watch.left) for lists in needed)


def _services() -> Iterator[Service]:
    """Yield all services; those of other domains come last."""
    yield from SERVICES
    yield from (service() for service in services.of_other_domains)


def _service(search: Parameters) -> Service:
    found = next((service for service in _services() if service.serves(search)), None)
    if search.moves_per_pass > 1 and not (found and found.several):
        raise InvalidParameterError(SEVERAL)
    if found is None:
        raise InvalidParameterError(_refusal(search))
    return found


def _refusal(search: Parameters) -> str:
    """Return the message that says why no engine serves a search."""
    by_rule = next(words for kind, words in REFUSALS.items() if isinstance(search.pivoting, kind))
    alone = next(
        (each.refusal for each in _services() if each.alone and _any(search, each.alone)), None
    )
    return (alone or by_rule).format(
        moves=list(search.neighbourhoods), rule=search.pivoting, candidates=search.candidates
    )
