"""Checks each move of a neighbourhood by brute force, and searches that use it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.exceptions import (
    FaultyPartError,
    InvalidTypeError,
    PartCheckError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.testing import probe, search_checks, small_problems
from gpu_ls_plugin.testing.subject import Subject
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.filters.filtered_neighbourhood import FilteredNeighbourhood
from gpu_ls_plugin.tours.moves.base import Neighbourhood
from gpu_ls_plugin.tours.moves.composed import CandidateMoves
from gpu_ls_plugin.tours.moves.reconnections import TwoOpt
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.problem.tsp import TSP

ROWS = 2  # number of random tours of each problem
ROUNDING = 1e-9  # error of a real gain, relative to the length of the tour
GAIN = (
    "gain() must write the move and return view.gain(move, removed, added): removed is the length "
    "of all removed edges, including first.length; added is that of all added edges, including the "
    "closing edge"
)
MOVE = (
    "write the move with move.set(first, shape, edges, t4, t5, t6), or, if it has more than three "
    "edges, with move.start(first), move.shape, move.edges, move.t[3], move.t[4], ..., so that it "
    "fits its shape (tours/moves/move.cuh)"
)
REVERSES = "the move reverses a path: set reverses = True, or offer only moves that reverse none"
DIRECTED = "lengths are directed: pass the even one of t1, t2, ... first, as in leaving(t4, t3)"
DEEP = "set deep = True, so that searches on a GPU reserve registers for more than three edges"
SOUND = (
    "gain() may depend on its arguments only, and its gains must be exact in every tour, also in "
    "local optima and in long tours"
)
LEAVING = "measure removed edges with view.leaving(a, b), added edges with view.length(a, b)"
IN_SEARCHES = (
    "a search met a gain that its move does not have, though all moves in random tours are right"
)
VARIANTS = "return the same number from both, or a larger one in Python if variants have many moves"
SHARED = "each_gain() must call take(variant, gain) for each positive gain that gain() returns"


def check_neighbourhood(
    neighbourhood: Neighbourhood,
    problems: Sequence[TSP] | None = None,
    *,
    backend: str = "auto",
    seed: int = 0,
) -> None:
    """Raise unless the moves of a neighbourhood are valid and have the gain that it claims.

    The check carries out, by brute force, each move that the neighbourhood offers in random tours,
    and compares the claimed gain with the costs of the tours before and after it.
    In tours with fixed edges, no move may remove a fixed edge. The check then runs descents,
    chains (on whole tours and on parts of tours) and crossovers with the neighbourhood and 2-opt;
    costs must be exact, and no tour may get worse.

    Parameters
    ----------
    neighbourhood : Neighbourhood
        Not a `FilteredNeighbourhood`; use `check_filter` for its filter.
    problems : sequence of TSP, optional
        Problems of up to about 60 cities. By default random and degenerate ones of several metrics,
        one under an objective, and, if the neighbourhood does not reverse paths, also some with
        directed lengths.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        The message gives the reason, the move and a remedy.
    """
    subject = Subject.of("neighbourhood", neighbourhood, backend, seed, Neighbourhood)
    if isinstance(neighbourhood, FilteredNeighbourhood):
        raise InvalidTypeError("neighbourhood: it is filtered; use check_filter() for its filter")
    offered = 0
    for problem in problems or list(_usual(neighbourhood, seed)):
        offered += _check_offers(subject, problem)
    subject.expect(
        offered > 0,
        "it offers no move in any random tour",
        "gain() must return a positive number if a move makes the tour shorter, and write the move "
        "with move.set(...); variants() must return the number of ways to continue a first step; "
        "if the moves need tours of more cities, pass problems=[...] that are large enough",
    )
    if problems is None:
        large = small_problems.planar("EUC_2D", seed, search_checks.CITIES)[0]
        beside = LocalSearch([TwoOpt(), neighbourhood], Nearest(7))
        try:
            search_checks.expect_sound_everywhere(subject, large, beside, SOUND)
        except PartCheckError as error:
            if isinstance(error.__cause__, FaultyPartError):
                _check_offers(subject, large, search_checks.ROWS)
                raise subject.on(large).fault(IN_SEARCHES, SOUND) from error
            raise


def _usual(neighbourhood: Neighbourhood, seed: int) -> Iterator[TSP]:
    yield from small_problems.planar("EUC_2D", seed)
    yield from small_problems.planar("EUC", seed)
    yield small_problems.under_surcharges(seed)
    if not neighbourhood.reverses:
        yield from small_problems.explicit(seed, symmetric=False)


def _check_offers(subject: Subject, problem: TSP, rows: int = ROWS) -> int:
    """Compare all moves in a few tours with brute force; return the number of moves."""
    part, backend, n, here = subject.part, subject.backend, problem.n, subject.on(problem)
    try:
        part.check(problem)
    except UnsupportedProblemError:
        return 0
    composing = (
        "header, functor() and source() must name and define the C++ struct of the moves, with "
        "static functions variants(degree) and gain(view, first, variant, move)"
    )
    with here.blamed("composing its kernel", composing):
        parts = CandidateMoves(backend, problem, [part], Nearest(min(7, n - 1)))
        kernel = probe.kernel_of(problem, parts, part.functor(problem.symmetric), backend)
    tours = subject.tours(problem, rows)
    own = np.tile(np.arange(n, dtype=np.int32), (rows, 1))
    fixed = _every_third_edge(tours)
    with here.blamed("a launch of its kernel", composing):
        variants = probe.variants_of(here, kernel, parts)
        asked = partial(probe.offers_in, backend, kernel, parts, variants, tours)
        here.rehearse(lambda: (asked(own), asked(fixed)), "gain()")
        free, shared, offers = asked(own)
        kept, _, with_fixed = asked(fixed)
    told = part.variants(parts.arguments["degree"], problem.symmetric)
    here.expect(
        told >= variants, f"variants() returns {told} in Python, but {variants} in C++", VARIANTS
    )
    _check_gains(here, problem, tours, free, offers)
    for place in zip(*np.nonzero(kept > 0), strict=True):
        offer = probe.offer_of(with_fixed[place])
        mates = fixed[place[0]]
        for a, b in offer.removed[1:] if 0 < offer.edges <= part.most_edges else ():
            text = f"in row {place[0]}, {offer} removes the edge ({a}, {b}), which is fixed"
            here.expect(mates[a] != b, text, LEAVING)
    more = np.nonzero(np.where(free > 0, free, 0) != np.where(shared > 0, shared, 0))
    for place in zip(*more, strict=True):
        own, other = free[place], shared[place]
        text = f"in variant {place[-1]}, gain() returns {own}, but each_gain() reports {other}"
        raise here.fault(text, SHARED)
    return int((free > 0).sum())


def _every_third_edge(tours: NDArray[Any]) -> NDArray[Any]:
    """Fix every third edge: return the other end of each city's fixed edge, or the city itself."""
    n = tours.shape[1]
    mates = np.tile(np.arange(n, dtype=np.int32), (len(tours), 1))
    for row, tour in enumerate(tours):
        for place in range(0, n - 1, 3):
            a, b = tour[place : place + 2]
            mates[row, a], mates[row, b] = b, a
    return mates


def _check_gains(
    subject: Subject, problem: TSP, tours: NDArray[Any], claims: NDArray[Any], offers: NDArray[Any]
) -> None:
    """Raise unless each offer is a move that lowers the cost of its tour by the claimed gain."""
    places = list(zip(*np.nonzero(claims > 0), strict=True))
    if not places:
        return
    found = []
    for place in places:
        offer, tour = probe.offer_of(offers[place]), tours[place[0]].tolist()
        try:
            after = probe.after(tour, offer, subject.part.most_edges)
        except probe.NotAMove as error:
            text = f"claims to gain {claims[place]}, but is not a move: {error}"
            raise subject.fault(f"{_place_of(place)}, {offer} {text}", MOVE) from error
        if offer.edges > 3 and not subject.part.deep:
            text = f"exchanges {offer.edges} edges, but deep is False"
            raise subject.fault(f"{_place_of(place)}, {offer} {text}", DEEP)
        found.append(after if offer.forward else after[::-1])  # in the direction of the tour
    before = problem.cost(tours)[[place[0] for place in places]]
    gained = before - problem.cost(np.array(found, np.int32))
    rounding = 0 if problem.integer else ROUNDING * np.abs(before)
    wrong = np.abs(np.array([claims[place] for place in places]) - gained) > rounding
    for which in np.nonzero(wrong)[0][:1]:
        place = places[which]
        raise subject.fault(
            *_wrong_gain(
                problem, place, probe.offer_of(offers[place]), claims[place], gained[which]
            )
        )


def _place_of(place: tuple[Any, ...]) -> str:
    return f"in row {place[0]}, variant {place[-1]}"


def _wrong_gain(
    problem: TSP, place: tuple[Any, ...], offer: probe.Offer, claim: Any, gained: Any
) -> tuple[str, str]:
    """Describe a move whose claimed gain differs from what its tour gains; return a remedy, too."""
    lengths = small_problems.distance_matrix(problem)
    removed, added = probe.length(lengths, offer.removed), probe.length(lengths, offer.added)
    alone = problem.objective.length_alone
    change, words = abs(gained), ("shorter", "longer") if alone else ("cheaper", "dearer")
    text = (
        f"{_place_of(place)}, {offer} claims to gain {claim}, but makes the tour {change} "
        f"{words[int(gained < 0)]}"
    )
    if not alone:
        text += f" under the objective {problem.objective.name!r}"
    text += (
        f": it removes edges {offer.removed} of length {removed}, and adds {offer.added} of length "
        f"{added}"
    )
    if problem.symmetric:
        return text, GAIN
    reversed_path = alone and not np.isclose(removed - added, gained)
    return text, REVERSES if reversed_path else f"{GAIN}; {DIRECTED}"
