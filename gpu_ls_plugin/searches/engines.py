"""Which engine serves which combination of parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol

from gpu_ls_plugin.budget import Stopwatch
from gpu_ls_plugin.candidates import All
from gpu_ls_plugin.exceptions import InvalidParameterError
from gpu_ls_plugin.filtering import Everything, InCandidates
from gpu_ls_plugin.neighbourhoods import FilteredNeighbourhood, ThreeOpt, TwoOpt
from gpu_ls_plugin.neighbourhoods.composed import LONGEST_LIST, Composed
from gpu_ls_plugin.objectives.base import require_by_edges, require_length
from gpu_ls_plugin.pivoting import Best, First, Multi, RandomK
from gpu_ls_plugin.searches.descent.best_sweep import BestSweep
from gpu_ls_plugin.searches.descent.descent import Descent
from gpu_ls_plugin.searches.descent.multi_descent import MultiDescent
from gpu_ls_plugin.searches.exhaustive.random_k import RandomKSteps
from gpu_ls_plugin.searches.exhaustive.three_opt_climb import ThreeOptClimb
from gpu_ls_plugin.searches.exhaustive.two_opt_climb import BOUND_CANDIDATES, TwoOptClimb
from gpu_ls_plugin.searches.filtered.filtered_moves import FilteredMoves

if TYPE_CHECKING:
    from gpu_ls_plugin.backends.base import Backend
    from gpu_ls_plugin.candidates import Candidates
    from gpu_ls_plugin.problems.tsp import TSP
    from gpu_ls_plugin.searches.engine import Engine


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
class Maker:
    """Makes the engines of one search.

    `make(tours, first_row, max_moves)` returns an engine for the rows of a batch from `first_row`
    on; one tour needs `bytes_per_tour`.
    """

    make: Callable[[Any, int, int], Engine]
    bytes_per_tour: int


# A seed, and the bytes that may be used.
Prepare = Callable[[Parameters, "Backend", "TSP", int, int], Maker]


def _two_opt_climb(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: int
) -> Maker:
    several = search.moves_per_pass
    if not problem.objective.length_alone:
        if several > 1:
            require_length(problem.objective, f"moves_per_pass={several}")
        return _whole(search, backend, problem, seed, memory)
    return Maker(
        lambda tours, _, most: TwoOptClimb(backend, problem, tours, several, most),
        TwoOptClimb.bytes_per_tour(problem.n, several),
    )


def _three_opt_climb(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: int
) -> Maker:
    if not problem.objective.length_alone:
        return _whole(search, backend, problem, seed, memory)
    return Maker(
        lambda tours, _, most: ThreeOptClimb(backend, problem, tours, most),
        ThreeOptClimb.bytes_per_tour(problem.n),
    )


def _random_k(search: Parameters, backend: Backend, problem: TSP, seed: int, memory: int) -> Maker:
    k, three = search.pivoting.k, search.neighbourhoods == (ThreeOpt(),)
    return Maker(
        lambda tours, row, most: RandomKSteps(
            backend, problem, tours, k, seed, most, first_row=row, three_opt=three
        ),
        RandomKSteps.bytes_per_tour(problem.n, k),
    )


def _composed(search: Parameters, backend: Backend, problem: TSP) -> Callable[[], Composed]:
    """Return what composes the parts, once and not before an engine is made."""
    return cache(partial(Composed, backend, problem, search.neighbourhoods, search.candidates))


def _best_sweep(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: int
) -> Maker:
    parts = _composed(search, backend, problem)
    return Maker(
        lambda tours, _, most: BestSweep(backend, problem, tours, parts(), most),
        BestSweep.bytes_per_tour(problem.n),
    )


def _descent(search: Parameters, backend: Backend, problem: TSP, seed: int, memory: int) -> Maker:
    parts = _composed(search, backend, problem)
    return Maker(
        lambda tours, _, most: Descent(backend, problem, tours, parts(), most, search.layout),
        Descent.bytes_per_tour(problem.n),
    )


def _multi_descent(
    search: Parameters, backend: Backend, problem: TSP, seed: int, memory: int
) -> Maker:
    require_by_edges(problem.objective, "Multi()")
    parts, cities = _composed(search, backend, problem), search.pivoting.cities
    return Maker(
        lambda tours, _, most: MultiDescent(
            backend, problem, tours, parts(), most, cities, search.layout
        ),
        MultiDescent.bytes_per_tour(problem.n),
    )


def _filtered(search: Parameters, backend: Backend, problem: TSP, seed: int, memory: int) -> Maker:
    part = search.neighbourhoods[0]
    if not isinstance(search.candidates, All):
        part = replace(part, filter=part.filter & InCandidates(search.candidates))
    return _of_filtered(part, search, backend, problem, seed, memory)


def _whole(search: Parameters, backend: Backend, problem: TSP, seed: int, memory: int) -> Maker:
    """Evaluate every move of a neighbourhood by itself: tiles add up lengths alone."""
    part = FilteredNeighbourhood(search.neighbourhoods[0], Everything())
    return _of_filtered(part, search, backend, problem, seed, memory)


def _of_filtered(
    part: FilteredNeighbourhood,
    search: Parameters,
    backend: Backend,
    problem: TSP,
    seed: int,
    memory: int,
) -> Maker:
    return Maker(
        lambda tours, row, most: FilteredMoves(
            backend,
            problem,
            tours,
            part,
            most,
            seed=seed,
            first_row=row,
            eager=isinstance(search.pivoting, First),
            memory=memory,
        ),
        FilteredMoves.bytes_per_tour(problem.n, part),
    )


def ready(search: Parameters, backend: Backend, problem: TSP, seconds: float) -> bool:
    """Make the candidate lists that a search needs, for so long; return whether all are made."""
    watch = Stopwatch.of(seconds)
    return all(lists.ready(problem, watch.left) for lists in _lists(search, backend, problem))


def _lists(search: Parameters, backend: Backend, problem: TSP) -> Iterator[Candidates]:
    engine = choose(search)
    if engine is _two_opt_climb:
        if backend.name == "cpu":
            yield BOUND_CANDIDATES
    elif engine in (_descent, _multi_descent, _best_sweep):
        if search.candidates.most(problem) <= LONGEST_LIST:
            yield search.candidates
    elif engine is _filtered and not isinstance(search.candidates, All):
        yield search.candidates
    for part in search.neighbourhoods:
        if isinstance(part, FilteredNeighbourhood):
            for test in part.filter.parts:
                yield from test.candidate_sets


def choose(search: Parameters) -> Prepare:
    """Return the function that prepares a search's engines.

    Raises
    ------
    InvalidParameterError
        No engine serves the combination of neighbourhoods, candidates and pivoting rule.
    """
    everything = isinstance(search.candidates, All)
    moves = search.neighbourhoods
    if search.moves_per_pass > 1 and not (
        isinstance(search.pivoting, Best) and everything and moves == (TwoOpt(),)
    ):
        raise InvalidParameterError(
            "moves_per_pass: more than 1 is for [TwoOpt()] on All() with Best() only"
        )
    if any(isinstance(part, FilteredNeighbourhood) for part in moves):
        if len(moves) > 1 or not isinstance(search.pivoting, (Best, First)):
            raise InvalidParameterError(
                f"neighbourhoods: a FilteredNeighbourhood is searched alone, with Best() or "
                f"First(), not {list(moves)} with {search.pivoting!r}"
            )
        return _filtered
    if isinstance(search.pivoting, First):
        return _descent
    if isinstance(search.pivoting, Multi):
        return _multi_descent
    if isinstance(search.pivoting, Best):
        if not everything:
            return _best_sweep
        if moves == (TwoOpt(),):
            return _two_opt_climb
        if moves == (ThreeOpt(),):
            return _three_opt_climb
        raise InvalidParameterError(
            f"neighbourhoods: {list(moves)} cannot be searched over All() cities with Best(), only "
            "[TwoOpt()] or [ThreeOpt()]; use candidates such as Nearest(10)"
        )
    if isinstance(search.pivoting, RandomK):
        if everything and moves in ((TwoOpt(),), (ThreeOpt(),)):
            return _random_k
        raise InvalidParameterError(
            f"pivoting: {search.pivoting!r} draws moves of [TwoOpt()] or [ThreeOpt()] over All() "
            f"cities, not of {list(moves)} on {search.candidates!r}"
        )
    raise InvalidParameterError(f"pivoting: {search.pivoting!r} is not served by any engine")
