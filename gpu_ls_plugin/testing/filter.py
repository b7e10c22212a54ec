"""Checks that a filter keeps the same moves in each mode, and that descents can use it."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.backends import available
from gpu_ls_plugin.testing import search_checks, small_problems
from gpu_ls_plugin.testing.subject import Subject
from gpu_ls_plugin.tours.candidates.nearest import All
from gpu_ls_plugin.tours.engines.pivoting import Best
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

ROWS, CITIES = 3, 10  # number of rows of a batch, and of cities of the usual problem
# Maximum number of cities by the number of edges of a move; small, since the check lists all moves.
MOST_CITIES = {2: 20, 3: CITIES}
NEIGHBOURHOODS = {2: TwoOpt(), 3: ThreeOpt()}
# The added edges of each way to reconnect a tour. The ends of the removed edges are numbered
# 0, 1, 2, ... along the tour.
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
    "any() must be true for the openings of each kept move: for all of them if kRotations and "
    "rotations() are 1, else for one of the first rotations() openings; if in doubt, return true"
)
WORDS = (
    "functor(), source(), words() and state_words() must define a filter as filter.cuh describes"
)


def check_filter(
    test: Filter,
    keeps: Keeps | None = None,
    problems: Sequence[TSP] | None = None,
    *,
    backend: str = "auto",
    seed: int = 0,
) -> None:
    """Raise unless a filter keeps the same moves in each mode.

    The check applies the filter to all 2-opt and 3-opt moves of small tours in both modes: move by
    move, and through openings, which are the beginnings that moves share (filter.cuh). It does so
    in whole batches and in parts, on the backend and on the CPU. 2-opt descents with the filter
    must have exact costs, must not make a tour worse, and must end at the same tours in both modes.

    Parameters
    ----------
    test : Filter
    keeps : callable, optional
        ``keeps(problem, removed, added)`` returns whether the filter must keep a move, given its
        removed and added edges as pairs of cities. Omit it if the filter is random or depends on
        the course of a search.
    problems : sequence of TSP, optional
        Problems of up to 20 cities; larger ones are skipped. By default random and degenerate ones.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        The message gives the reason, the move and a remedy.
    """
    subject = Subject.of("filter", test, backend, seed, Filter)
    given = problems or small_problems.planar("EUC_2D", seed, CITIES)
    for edges in NEIGHBOURHOODS:
        for problem in (one for one in given if one.n <= MOST_CITIES[edges]):
            _check_kept(subject.on(problem), problem, edges, keeps, again=problem is given[0])
    found = []
    for mode in ("masked", "openings"):
        descent = LocalSearch([FilteredNeighbourhood(TwoOpt(), test, mode)], All(), Best())
        found.append(search_checks.expect_sound(subject, given[0], descent, "a descent", WORDS))
    wrong = "2-opt descents end at different tours if openings are tested"
    subject.on(given[0]).expect_equal(found[0].tours, found[1].tours, wrong, OPENINGS)


def _check_kept(
    subject: Subject, problem: TSP, edges: int, keeps: Keeps | None, *, again: bool
) -> None:
    """Compare kept moves between modes, batches and backends; if `again`, also between calls."""
    tours = subject.tours(problem, ROWS)

    def kept(mode: str = "masked", rows: slice = slice(None), **options: Any) -> list[Moves]:
        with subject.blamed("a launch of its kernel", WORDS):
            return _kept(subject, problem, edges, mode, tours[rows], **options)

    def compare(one: list[Moves], other: list[Moves], wrong: str, remedy: str) -> None:
        for row, (first, second) in enumerate(zip(one, other, strict=True)):
            if differing := sorted(set(first) ^ set(second)):
                *positions, way = differing[0]
                which = "first" if differing[0] in first else "second"
                text = f"{wrong}: only the {which} keeps the {edges}-opt move after positions "
                raise subject.fault(f"{text}{tuple(positions)}, way {way}, of row {row}", remedy)

    whole = kept()
    if keeps is not None:
        by_force = [_by_force(problem, tour.tolist(), edges, keeps) for tour in tours]
        compare(
            whole, by_force, "the functor and keeps() keep different moves",
            "the functor's Test::keeps(position) must agree with keeps() for each move",
        )  # fmt: skip
    if again:
        remedy = "a filter may depend only on the seed, the row, the pass and the move"
        compare(whole, kept(), "two calls keep different moves", remedy)
        rest = kept(rows=slice(1, None), first_row=1)
        wrong = "a batch and the same batch without row 0 keep different moves"
        compare(whole[1:], rest, wrong, remedy)
    improving_only = subject.part.rotations(edges) > 1  # openings may then drop other moves
    masked, openings = (
        [{m: gain for m, gain in row.items() if gain > 0 or not improving_only} for row in rows]
        for rows in (whole, kept("openings"))
    )
    compare(masked, openings, "tests by move and by opening keep different moves", OPENINGS)
    if subject.backend.name != "cpu" and available()["cpu"] is None:
        host = kept(backend="cpu")
        remedy = "compute in integers or float64, with lengths from the tour's length(p, q)"
        compare(whole, host, "GPU and CPU keep different moves", remedy)


def _kept(
    subject: Subject,
    problem: TSP,
    edges: int,
    mode: str,
    tours: Any,
    backend: str = "",
    first_row: int = 0,
) -> list[Moves]:
    """Return the gain of each kept move of each tour, by positions and way."""
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
    n, kept = problem.n, {}
    for positions in combinations(range(n), edges):
        if edges == 2 and positions[1] - positions[0] in (1, n - 1):
            continue  # adjacent edges: the tour would stay as it is
        ends = [tour[(p + end) % n] for p in positions for end in (0, 1)]
        removed = list(zip(ends[::2], ends[1::2], strict=True))
        for way, pairs in enumerate(ADDED[edges]):
            added = [(ends[x], ends[y]) for x, y in pairs]
            if keeps(problem, removed, added):
                kept[*positions, way] = 0
    return kept
