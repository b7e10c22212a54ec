"""Which engine serves which combination of parts, and which candidate lists it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core.budget import Stopwatch
from gpu_ls_plugin.core.exceptions import InvalidParameterError
from gpu_ls_plugin.tours.candidates.nearest import All
from gpu_ls_plugin.tours.engines import factories, services
from gpu_ls_plugin.tours.engines.exhaustive.two_opt_climb import BOUND_CANDIDATES
from gpu_ls_plugin.tours.engines.pivoting.base import Pivoting
from gpu_ls_plugin.tours.engines.pivoting.best import Best
from gpu_ls_plugin.tours.engines.pivoting.first import First
from gpu_ls_plugin.tours.engines.pivoting.multi import Multi
from gpu_ls_plugin.tours.engines.pivoting.random_k import RandomK
from gpu_ls_plugin.tours.engines.services import Service
from gpu_ls_plugin.tours.filters.filtered_neighbourhood import FilteredNeighbourhood
from gpu_ls_plugin.tours.moves.composed import LONGEST_LIST
from gpu_ls_plugin.tours.moves.reconnections import ThreeOpt, TwoOpt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.tours.candidates.base import Candidates
    from gpu_ls_plugin.tours.engines.factories import Parameters, Preparation
    from gpu_ls_plugin.tours.moves.base import Neighbourhood
    from gpu_ls_plugin.tours.problem.tsp import TSP


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
    """Return whether a search has one of these, and no other, over `All()` cities."""
    alone = tuple((part,) for part in neighbourhoods)
    return lambda search: isinstance(search.candidates, All) and search.neighbourhoods in alone


# ---- Candidate lists that an engine reads --------------------------------------------------------


def _none(search: Parameters, backend: Backend, problem: TSP) -> Iterable[Candidates]:
    return ()


def of_composed(search: Parameters, backend: Backend, problem: TSP) -> Iterable[Candidates]:
    """Return the search's, unless they are so long that the engine will refuse them."""
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
        factories.filtered,
        _of_filters,
        alone=FilteredNeighbourhood,
        refusal="neighbourhoods: a FilteredNeighbourhood is searched alone, with Best() or "
        "First(), not {moves} with {rule!r}",
    ),
    Service((First,), _composed, factories.descent, of_composed),
    Service((Multi,), _composed, factories.multi_descent, of_composed),
    Service((Best,), _composed_on_lists, factories.best_sweep, of_composed),
    Service((Best,), TWO, factories.two_opt_climb, _of_bounds, several=True),
    Service((Best,), THREE, factories.three_opt_climb, _none),
    Service((RandomK,), TWO_OR_THREE, factories.random_k, _none),
)
# What is said of other combinations by the rule, unless a service says it of its moves.
SEVERAL = "moves_per_pass: more than 1 is for [TwoOpt()] on All() with Best() only"
REFUSALS = {
    Best: "neighbourhoods: {moves} cannot be searched over All() cities with Best(), only "
    "[TwoOpt()] or [ThreeOpt()]; use candidates such as Nearest(10)",
    RandomK: "pivoting: {rule!r} draws moves of [TwoOpt()] or [ThreeOpt()] over All() cities, not "
    "of {moves} on {candidates!r}",
    Pivoting: "pivoting: {rule!r} is not served by any engine",
}


def choose(search: Parameters) -> Preparation:
    """Return the function that prepares a search's engines."""
    return _service(search).prepare


def ready(search: Parameters, backend: Backend, problem: TSP, seconds: float) -> bool:
    """Make the candidate lists that a search needs, for so long; return whether all are made."""
    watch = Stopwatch.of(seconds)
    service = _service(search)
    needed, cities = service.lists(search, backend, problem), service.cities(problem)
    return all(lists.ready(cities, watch.left) for lists in needed)


def _services() -> Iterator[Service]:
    """Yield all engines, those of other domains last."""
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
    """Return why no engine serves a search."""
    by_rule = next(words for kind, words in REFUSALS.items() if isinstance(search.pivoting, kind))
    alone = next(
        (its.refusal for its in _services() if its.alone and _any(search, its.alone)), None
    )
    return (alone or by_rule).format(
        moves=list(search.neighbourhoods), rule=search.pivoting, candidates=search.candidates
    )
