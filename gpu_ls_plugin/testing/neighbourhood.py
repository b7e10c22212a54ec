"""The check of a neighbourhood: every move that it offers, by brute force, and searches by it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends.structs import struct_of
from gpu_ls_plugin.candidates import Nearest
from gpu_ls_plugin.exceptions import InvalidTypeError, UnsupportedProblemError
from gpu_ls_plugin.neighbourhoods import FilteredNeighbourhood, Neighbourhood, TwoOpt, composed
from gpu_ls_plugin.neighbourhoods.composed import CandidateMoves
from gpu_ls_plugin.searches.local_search import LocalSearch
from gpu_ls_plugin.testing import engines, moves, small_problems
from gpu_ls_plugin.testing.subject import Subject
from gpu_ls_plugin.tours.sites import DTYPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.backends.composition import Kernel
    from gpu_ls_plugin.problems.metrics import Metric
    from gpu_ls_plugin.problems.tsp import TSP

ROWS, MOST_VARIANTS = 2, 10**5
OFFER_INTS = 3 + 2 * moves.MOST_EDGES
ROUNDING = 1e-9  # of what is removed: how much a real gain may be off
PARAMETERS = (*composed.PARAMETERS, struct_of("testing/probe_moves.cuh", "Probes"))
GAIN = (
    "gain() must return View::Lengths::gain(removed, added), where removed is the sum of all edges "
    "that leave, first.length among them, and added of all that come, the closing one among them"
)
LEAVING = "measure edges that leave by view.leaving(a, b), those that come by view.length(a, b)"
SHARED = "each_gain() must call take(variant, gain) for every positive gain that gain() returns"


def check_neighbourhood(
    neighbourhood: Neighbourhood,
    problems: Sequence[TSP] | None = None,
    *,
    backend: str = "auto",
    seed: int = 0,
) -> None:
    """Raise unless a neighbourhood offers moves that are real and gain what it says.

    Every move that it offers in random tours, and in tours some of whose edges are fixed, is
    carried out by brute force. Then descents, chains, parts of tours, contraction and crossovers
    search by it beside 2-opt; costs must be exact and tours never worse.

    Parameters
    ----------
    neighbourhood : Neighbourhood
        Not a `FilteredNeighbourhood`: for its filter there is `check_filter`.
    problems : sequence of TSP, optional
        Of up to 60 cities or so; by default random and degenerate ones of several metrics, with
        directed lengths too where it does not reverse paths.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        With the reason, the move and the remedy.
    """
    subject = Subject.of("neighbourhood", neighbourhood, backend, seed, Neighbourhood)
    if isinstance(neighbourhood, FilteredNeighbourhood):
        raise InvalidTypeError("neighbourhood: it is filtered; check its filter by check_filter()")
    offered = 0
    for problem in problems or list(_usual(neighbourhood, seed)):
        offered += _check_offers(subject, problem)
    subject.expect(
        offered > 0,
        "it offers no move in any random tour",
        "gain() must return a positive number where a move makes the tour shorter, and write the "
        "move by move.set(...); variants() must say how many ways there are to go on",
    )
    if problems is None:
        large = small_problems.planar("EUC_2D", seed, engines.CITIES)[0]
        beside = LocalSearch([TwoOpt(), neighbourhood], Nearest(7))
        engines.expect_sound_everywhere(subject, large, beside, GAIN)


def _usual(neighbourhood: Neighbourhood, seed: int) -> Iterator[TSP]:
    yield from small_problems.planar("EUC_2D", seed)
    yield from small_problems.planar("EUC", seed)
    if not neighbourhood.reverses:
        yield from small_problems.explicit(seed, symmetric=False)


def _probe_kernel(metric: Metric, parts: CandidateMoves, functor: str, team: str) -> Kernel:
    raw = replace(parts.moves, functor=functor, checked=())  # as it is, not measured
    return raw.kernel(
        "probe_moves",
        metric,
        header="testing/probe_moves.cuh",
        body="gls::ProbeMoves<{team}, {metric}, {length}, {moves}>",
        parameters=PARAMETERS,
        team=team,
    )


def _check_offers(subject: Subject, problem: TSP) -> int:
    """Compare all offers in some tours with brute force; return how many there are."""
    part, backend, n = subject.part, subject.backend, problem.n
    try:
        part.check(problem)
    except UnsupportedProblemError:
        return 0
    composing = "header, functor() and source() must name and define the C++ struct of the moves"
    with subject.blamed("composing its kernel", composing, where=problem):
        parts = CandidateMoves(backend, problem, [part], Nearest(min(7, n - 1)))
        functor = part.functor(problem.symmetric)
        kernel = _probe_kernel(problem.metric, parts, functor, backend.block(256))
    tours = subject.tours(problem, ROWS)
    lengths = small_problems.distance_matrix(problem)
    own = np.tile(np.arange(n, dtype=np.int32), (ROWS, 1))
    fixed = _every_third_edge(tours)
    with subject.blamed("a launch of its moves", composing, where=problem):
        variants = _variants(subject, kernel, parts)
        probe = partial(_offers, subject, kernel, parts, variants, tours)
        subject.rehearse(lambda: (probe(own), probe(fixed)), "gain()", where=problem)
        free, shared, offers = probe(own)
        kept, _, with_fixed = probe(fixed)
    expect = partial(subject.expect, where=problem)
    for place in zip(*np.nonzero(free > 0), strict=True):
        wrong = _wrong_with(lengths, tours[place[0]].tolist(), offers[place], free[place])
        expect(not wrong, f"in row {place[0]}, variant {place[-1]}, {wrong}", GAIN)
    for place in zip(*np.nonzero(kept > 0), strict=True):
        offer = _offer(with_fixed[place])
        mates = fixed[place[0]]
        for a, b in offer.removed[1:] if 0 < offer.edges <= moves.MOST_EDGES else ():
            said = f"in row {place[0]} {offer} takes out ({a}, {b}), an edge that is fixed"
            expect(mates[a] != b, said, LEAVING)
    more = np.nonzero(np.where(free > 0, free, 0) != np.where(shared > 0, shared, 0))
    for place in zip(*more, strict=True):
        said = f"{shared[place]} by each_gain() is {free[place]} by gain(), variant {place[-1]}"
        expect(False, said, SHARED)
    return int((free > 0).sum())


def _variants(subject: Subject, kernel: Kernel, parts: CandidateMoves) -> int:
    """Return how many variants there are, without a look at any move."""
    counts = subject.backend.xp.zeros(1, "int32")
    names = ("tours", "positions", "mates", "gains", "shared_gains", "offers")
    arguments = {**parts.arguments, **dict.fromkeys(names), "variant_counts": counts}
    subject.backend.launch(kernel, 1, {**arguments, "variants": -1})
    variants = int(subject.backend.to_numpy(counts)[0])
    subject.expect(
        0 < variants <= MOST_VARIANTS,
        f"variants({parts.arguments['degree']}) is {variants}",
        "variants(degree) says how many ways there are to go on, at least one",
    )
    return variants


def _offers(
    subject: Subject,
    kernel: Kernel,
    parts: CandidateMoves,
    variants: int,
    tours: NDArray[Any],
    mates: NDArray[Any],
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return gains, those by `each_gain`, and offers, of shape (row, city, rank, way, variant)."""
    backend, (rows, n) = subject.backend, tours.shape
    xp, shape = backend.xp, (rows, n, parts.arguments["breadth"], 2, variants)
    dtype = DTYPES[parts.moves.length]
    written = {
        "gains": xp.zeros(shape, dtype),
        "shared_gains": xp.zeros(shape, dtype),
        "offers": xp.zeros((*shape, OFFER_INTS), "int32"),
    }
    arguments = {
        **parts.arguments,
        **written,
        "tours": xp.asarray(tours),
        "positions": xp.asarray(np.argsort(tours, axis=1).astype(np.int32)),
        "mates": xp.asarray(mates),
        "variants": variants,
        "variant_counts": xp.zeros(rows, "int32"),
    }
    backend.launch(kernel, rows, arguments)
    gains, shared, offers = map(backend.to_numpy, written.values())
    return gains, shared, offers


def _every_third_edge(tours: NDArray[Any]) -> NDArray[Any]:
    """Return the other end of each city's fixed edge, the city itself where it has none."""
    n = tours.shape[1]
    mates = np.tile(np.arange(n, dtype=np.int32), (len(tours), 1))
    for row, tour in enumerate(tours):
        for place in range(0, n - 1, 3):
            a, b = tour[place : place + 2]
            mates[row, a], mates[row, b] = b, a
    return mates


def _offer(numbers: NDArray[Any]) -> moves.Offer:
    shape, forward, edges, *ends = numbers.tolist()
    return moves.Offer(shape, forward, edges, tuple(ends))


def _wrong_with(lengths: Any, tour: list[int], numbers: NDArray[Any], said: Any) -> str:
    """Return what is wrong with a move that is said to gain, empty where nothing is."""
    offer = _offer(numbers)
    try:
        found = moves.after(tour, offer)
    except moves.NotAMove as error:
        return f"{offer} is said to gain {said}, but is not a move: {error}"
    before, there = (moves.edges_of(cities) for cities in (tour, found))
    if not offer.forward:  # the path runs against the tour
        there = moves.edges_of(found[::-1])
    gained = moves.length(lengths, before) - moves.length(lengths, there)
    rounding = 0 if isinstance(gained.item(), int) else ROUNDING * moves.length(lengths, before)
    if abs(said - gained) <= rounding:
        return ""
    removed, added = moves.length(lengths, offer.removed), moves.length(lengths, offer.added)
    return (
        f"{offer} is said to gain {said}, but makes the tour {gained} shorter: edges "
        f"{offer.removed} of {removed} leave, {offer.added} of {added} come"
    )
