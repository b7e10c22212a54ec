"""The check of a filter: which moves it keeps, in every way of asking it, and descents by it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.backends import available
from gpu_ls_plugin.testing import engines, small_problems
from gpu_ls_plugin.testing.subject import Subject
from gpu_ls_plugin.tours.candidates.nearest import All
from gpu_ls_plugin.tours.engines.pivoting.best import Best
from gpu_ls_plugin.tours.filters.base import Filter
from gpu_ls_plugin.tours.filters.filtered_neighbourhood import FilteredNeighbourhood
from gpu_ls_plugin.tours.moves.reconnections import ThreeOpt, TwoOpt
from gpu_ls_plugin.tours.searches.best_moves import best_moves
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gpu_ls_plugin.tours.problem.tsp import TSP

    Edge = tuple[int, int]
    Keeps = Callable[[TSP, list[Edge], list[Edge]], bool]
    Moves = dict[tuple[int, ...], Any]

ROWS, CITIES = 3, 10
MOST_CITIES = {2: 20, 3: CITIES}  # all of whose moves are listed
NEIGHBOURHOODS = {2: TwoOpt(), 3: ThreeOpt()}
# Ends a, b, c, ... of the removed edges along the tour = 0, 1, 2, ...: edges that come, by the way.
ADDED = {
    2: (((0, 2), (1, 3)),),
    3: (
        ((0, 3), (1, 4), (2, 5)),
        ((0, 2), (1, 4), (3, 5)),
        ((0, 3), (2, 4), (1, 5)),
        ((1, 3), (0, 4), (2, 5)),
    ),
}
OPENINGS = (
    "any() must be true for an opening of every move that is kept: for each where kRotations and "
    "rotations() are 1, else for one of the first so many; where it is not sure, true"
)
WORDS = "functor(), source(), words() and state_words() must define the filter of filter.cuh"


def check_filter(
    test: Filter,
    keeps: Keeps | None = None,
    problems: Sequence[TSP] | None = None,
    *,
    backend: str = "auto",
    seed: int = 0,
) -> None:
    """Raise unless a filter keeps the same moves however it is asked.

    All 2-opt and 3-opt moves of small tours are tested move by move and through openings, in whole
    batches and in parts, and on the CPU as on the backend. Descents of 2-opt
    by it must be exact and never worse, the same in both ways.

    Parameters
    ----------
    test : Filter
    keeps : callable, optional
        ``keeps(problem, removed, added)`` says by brute force whether a move is kept, given the
        edges that leave and come as pairs of cities. Leave it out where that is random, or depends
        on the course of a search.
    problems : sequence of TSP, optional
        Of up to 20 cities (more are left out); by default random and degenerate ones.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        With the reason, the move and the remedy.
    """
    subject = Subject.of("filter", test, backend, seed, Filter)
    given = problems or small_problems.planar("EUC_2D", seed, CITIES)
    for edges in NEIGHBOURHOODS:
        for problem in (one for one in given if one.n <= MOST_CITIES[edges]):
            _check_kept(subject.on(problem), problem, edges, keeps, again=problem is given[0])
    found = [
        engines.expect_sound(subject, given[0], _descent(test, mode), "a descent", WORDS)
        for mode in ("masked", "openings")
    ]
    subject.on(given[0]).expect(
        np.array_equal(found[0].tours, found[1].tours),
        "descents by 2-opt end at different tours where openings are tested",
        OPENINGS,
    )


def _descent(test: Filter, mode: str) -> LocalSearch:
    return LocalSearch([FilteredNeighbourhood(TwoOpt(), test, mode)], All(), Best())


def _check_kept(
    subject: Subject, problem: TSP, edges: int, keeps: Keeps | None, *, again: bool
) -> None:
    """Compare the moves that are kept in several ways of asking, the same way `again` too."""
    tours = subject.tours(problem, ROWS)

    def kept(mode: str = "masked", rows: slice = slice(None), **options: Any) -> list[Moves]:
        with subject.blamed("a launch of its kernel", WORDS):
            return _kept(subject, problem, edges, mode, tours[rows], **options)

    def compare(one: list[Moves], other: list[Moves], wrong: str, remedy: str) -> None:
        for row, (mine, its) in enumerate(zip(one, other, strict=True)):
            if differing := sorted(set(mine) ^ set(its)):
                said = f"{wrong}: the {edges}-opt move after positions {differing[0][:-1]}, way "
                which = "first" if differing[0] in mine else "second"
                said += f"{differing[0][-1]}, of row {row} is kept by the {which} alone"
                raise subject.fault(said, remedy)

    whole = kept()
    if keeps is not None:
        by_force = [_by_force(problem, tour.tolist(), edges, keeps) for tour in tours]
        compare(
            whole, by_force, "kept is not what keeps() says",
            "the functor's Test::keeps(position) must agree with it for every move",
        )  # fmt: skip
    if again:
        remedy = "it may depend on the seed, the row, the pass and the move alone"
        compare(whole, kept(), "kept changes from call to call", remedy)
        rest = kept(rows=slice(1, None), first_row=1)
        compare(whole[1:], rest, "kept depends on the rest of the batch", remedy)
    improving_only = subject.part.rotations(edges) > 1
    masked, openings = (
        [_of_interest(row, improving_only) for row in way] for way in (whole, kept("openings"))
    )
    compare(masked, openings, "kept differs where openings are tested", OPENINGS)
    if subject.backend.name != "cpu" and available()["cpu"] is None:
        host = kept(backend="cpu")
        remedy = "compute in integers or float64, and take lengths from the tour's length(p, q)"
        compare(whole, host, "kept differs on the CPU", remedy)


def _of_interest(kept: Moves, improving_only: bool) -> Moves:
    """Return the moves about which several ways of asking must agree."""
    return {move: gain for move, gain in kept.items() if gain > 0 or not improving_only}


def _kept(
    subject: Subject,
    problem: TSP,
    edges: int,
    mode: str,
    tours: Any,
    backend: str = "",
    first_row: int = 0,
) -> list[Moves]:
    """Return the gains of all moves that are kept, by positions and way, of each tour."""
    n = problem.n
    total = n * (n - 3) // 2 if edges == 2 else 4 * (n * (n - 1) * (n - 2) // 6)
    found = best_moves(
        FilteredNeighbourhood(NEIGHBOURHOODS[edges], subject.part, mode),
        problem,
        tours,
        max(1, total),
        seed=subject.seed,
        backend=backend or subject.backend.name,
        first_row=first_row,
    )
    return [
        {
            (*positions, way): gain
            for positions, way, gain in zip(at.tolist(), ways.tolist(), gains, strict=True)
            if way >= 0
        }
        for at, ways, gains in zip(found.positions, found.ways, found.gains, strict=True)
    ]


def _by_force(problem: TSP, tour: list[int], edges: int, keeps: Keeps) -> Moves:
    """Return the moves that `keeps` keeps."""
    n = problem.n
    moves = _two_opt(n) if edges == 2 else _three_opt(n)
    kept = {}
    for move in moves:
        ends = [tour[(p + end) % n] for p in move[:-1] for end in (0, 1)]
        removed = list(zip(ends[::2], ends[1::2], strict=True))
        added = [(ends[x], ends[y]) for x, y in ADDED[edges][move[-1]]]
        if keeps(problem, removed, added):
            kept[move] = 0
    return kept


def _two_opt(n: int) -> list[tuple[int, ...]]:
    return [(i, j, 0) for i in range(n) for j in range(i + 2, n) if j - i <= n - 2]


def _three_opt(n: int) -> list[tuple[int, ...]]:
    ways = range(len(ADDED[3]))
    return [
        (i, j, k, way)
        for i in range(n)
        for j in range(i + 1, n)
        for k in range(j + 1, n)
        for way in ways
    ]
