"""Checks that the C++ of an objective agrees with its Python methods, alone and in searches."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.runs.acceptance import Always
from gpu_ls_plugin.testing import probe, search_checks, small_problems
from gpu_ls_plugin.testing.objective_chains import COMPOSING, check_chains, check_feasible, rounding
from gpu_ls_plugin.testing.subject import Subject
from gpu_ls_plugin.tours.candidates.nearest import All, Nearest
from gpu_ls_plugin.tours.engines.pivoting import Best, Multi, RandomK
from gpu_ls_plugin.tours.kicks.double_bridge import DoubleBridge
from gpu_ls_plugin.tours.moves.composed import CandidateMoves
from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighan
from gpu_ls_plugin.tours.moves.reconnections import ThreeOpt, TwoOpt
from gpu_ls_plugin.tours.moves.segment_moves import OrOpt
from gpu_ls_plugin.tours.problem.objective import DIRECTED, Objective
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.tours.moves.base import Neighbourhood
    from gpu_ls_plugin.tours.problem.tsp import TSP

PROBED, JUDGED = 2, 64  # number of tours to check moves, and to check feasible()
LISTS = Nearest(7)
ROWS = 6  # number of tours for the checks of Python methods
PAIRS = 200  # number of tours in which two paths are reversed, each path alone and both together
FEWEST = 5  # minimum number of cities for two paths without a common edge
BY_TOUR = (
    "the value of a tour may depend only on which cities are neighbours in it, and on their order "
    "if lengths are directed"
)
OF_KICKS = "gain() must be exact for kicks (double bridges), too, even if it is negative"
GAIN = (
    "gain(change, shorter) must return shorter, plus the costs() of the removed edges, minus those "
    "of the added edges, or forbidden<Gain>() to forbid the move; words() must pass the data that "
    "costs() reads"
)


def check_objective(
    objective: Objective,
    problems: Sequence[TSP] | None = None,
    *,
    backend: str = "auto",
    seed: int = 0,
) -> None:
    """Raise unless the C++ and the Python of an objective agree, alone and in searches.

    `costs` and `feasible` must depend on each tour only. If `by_edges` or `length_alone` is True,
    the claim must be correct. Unless the objective is `directed`, a tour and its reverse must
    cost the same if lengths are symmetric. The check compares the gains of moves in C++ with the
    costs before and after the moves, and `feasible` in C++ with `feasible` in Python. Chains must
    have exact costs and never replace a feasible best tour by an infeasible one. Finally, each kind
    of search that accepts the objective uses it.

    Parameters
    ----------
    objective : Objective
    problems : sequence of TSP, optional
        By default random and degenerate ones of several metrics. Problems that the objective's
        `check` refuses are skipped. Searches run on the largest one, of about 90 cities. Some
        random tours and some that chains find should be feasible.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        The message gives the reason, the move or tour, and a remedy.
    """
    subject = Subject.of("objective", objective, backend, seed, Objective)
    given = _usual(seed) if problems is None else problems
    served = subject.served(given, lambda problem: problem.under(objective))
    for problem in served:
        _check_python(subject.on(problem), problem)
    large = max(served, key=lambda problem: problem.n)
    if not objective.length_alone:
        offered = [_check_gains(subject, problem) for problem in served if problem.n > 4]
        remedy = "gain() must return a positive number if a move makes the tour cheaper"
        subject.expect(sum(offered), "no move of any random tour has a gain", remedy)
        for problem in served:
            check_feasible(subject, problem, subject.tours(problem, JUDGED))
        local = LocalSearch(_moves_of(large), LISTS)
        kicked = IteratedLocalSearch(local, DoubleBridge(30), Always(), part=None)
        check_chains(subject, large, kicked, f"{OF_KICKS}; {_gain_of(objective)}")
    _check_searches(subject, large)


def _usual(seed: int) -> list[TSP]:
    large = small_problems.planar("EUC_2D", seed, search_checks.CITIES)[0]
    return [*small_problems.of_several_metrics(seed), large]


def _moves_of(problem: TSP) -> list[Neighbourhood]:
    return [TwoOpt(), OrOpt(3)] if problem.symmetric else [OrOpt(3)]


# ---- Python methods ------------------------------------------------------------------------------


def _check_python(subject: Subject, problem: TSP) -> None:
    """Raise unless `costs` and `feasible` depend on each tour only, and the claims are true."""
    part, tours = subject.part, subject.tours(problem, ROWS)
    _check_method(subject, problem, "costs", np.dtype(problem.cost_dtype), tours)
    _check_method(subject, problem, "feasible", np.dtype(bool), tours)
    if part.length_alone:
        subject.expect(
            not part.costs(problem, tours).any() and part.feasible(problem, tours).all(),
            "length_alone is True, but costs() has values other than 0, or feasible() has False",
            "remove length_alone: with it, searches ignore the objective",
        )
    if part.by_edges and problem.n >= FEWEST:
        _check_sum(subject, problem)


def _check_method(
    subject: Subject, problem: TSP, name: str, dtype: np.dtype[Any], tours: NDArray[np.int32]
) -> None:
    """Compare the values of tours with those of the same tours, rotated or in other batches."""

    def values(rows: NDArray[np.int32]) -> NDArray[Any]:
        remedy = f"return a NumPy array of shape (P,) and type {dtype}"
        with subject.blamed(f"{name}()", remedy):
            found = getattr(subject.part, name)(problem, rows)
        subject.expect(
            isinstance(found, np.ndarray)
            and found.shape == (len(rows),)
            and found.dtype == dtype
            and np.isfinite(found).all(),
            f"{name}() returned {' '.join(repr(found).split()):.200} for {len(rows)} tours",
            f"{remedy}, of finite numbers",
        )
        return np.array(found)

    def compare(expected: NDArray[Any], rows: NDArray[np.int32], given: str, remedy: str) -> None:
        found = values(rows)
        alike = np.array_equal(expected, found)
        if dtype.kind == "f":
            alike = bool((np.abs(expected - found) <= rounding(problem, expected)).all())
        subject.expect(alike, f"{name}() returned {found}, not {expected}, for {given}", remedy)

    own = tours.copy()
    first = values(own)
    subject.expect_equal(own, tours, f"{name}() changed the tours in place", "work on a copy")
    remedy = "it must not depend on earlier calls or on a random generator"
    compare(first, tours, "the same tours when called again", remedy)
    compare(first[1:3], tours[1:3], "rows 1 and 2 without the other rows", BY_TOUR)
    rotated = np.roll(tours, problem.n // 3 + 1, axis=1)
    compare(first, rotated, "the same tours that begin at another city", BY_TOUR)
    if problem.symmetric and not problem.objective.directed:
        reversed_ = np.ascontiguousarray(tours[:, ::-1])
        remedy = f"{BY_TOUR}; if the direction matters: {DIRECTED}"
        compare(first, reversed_, "the same tours in the other direction", remedy)


def _check_sum(subject: Subject, problem: TSP) -> None:
    """Reverse two paths, alone and together: if costs are sums over edges, the changes add up."""
    random = np.random.default_rng([subject.seed, problem.n])
    base = subject.tours(problem, PAIRS)
    first, second, both = base.copy(), base.copy(), base.copy()
    for row, tour in enumerate(base):
        a, b, c, d = np.sort(random.choice(np.arange(1, problem.n + 1), 4, replace=False))
        for paths in (first, both):
            paths[row, a:b] = tour[a:b][::-1]
        for paths in (second, both):
            paths[row, c:d] = tour[c:d][::-1]
    costs = [subject.part.costs(problem, tours) for tours in (base, first, second, both)]
    change = costs[0] - costs[1] - costs[2] + costs[3]
    for wrong in np.nonzero(np.abs(change) > rounding(problem, costs[0]))[0]:
        raise subject.fault(
            f"by_edges is True, but costs() is not a sum over edges: a tour costs {costs[0][wrong]}"
            f", {costs[1][wrong]} with one path reversed, {costs[2][wrong]} with another path "
            f"reversed that has no edge in common with it, and {costs[3][wrong]} with both",
            "remove by_edges: independent moves and parts of tours need a sum over edges",
        )


# ---- Moves and tours, one by one ----------------------------------------------------------------


def _check_gains(subject: Subject, problem: TSP) -> int:
    """Compare the gains of all moves in a few tours with costs; return the number of moves."""
    backend, n, here = subject.backend, problem.n, subject.on(problem)
    neighbourhoods = [*_moves_of(problem), LinKernighan(3) if problem.symmetric else ThreeOpt()]
    tours = subject.tours(problem, PROBED)
    mates = np.tile(np.arange(n, dtype=np.int32), (PROBED, 1))
    with here.blamed("composing its kernel", COMPOSING):
        parts = CandidateMoves(backend, problem, neighbourhoods, Nearest(min(7, n - 1)))
        kernel = probe.kernel_of(problem, parts, parts.moves.functor, backend)
        variants = probe.variants_of(subject, kernel, parts)
        asked = partial(probe.offers_in, backend, kernel, parts, variants, tours, mates)
        here.rehearse(asked, "gain()")
        gains, _, offers = asked()
    places = list(zip(*np.nonzero(gains > 0), strict=True))
    if not places:
        return 0
    found = [probe.offer_of(offers[place]) for place in places]
    rows = [place[0] for place in places]
    after = [
        probe.after(tours[row].tolist(), offer)[:: 1 if offer.forward else -1]
        for row, offer in zip(rows, found, strict=True)
    ]
    before = problem.cost(tours)[rows]
    gained = before - problem.cost(after)
    claims = np.array([gains[place] for place in places])
    wrong = np.nonzero(np.abs(claims - gained) > rounding(problem, before))[0]
    for which in wrong[:1]:
        offer = found[which]
        raise here.fault(
            f"in row {rows[which]}, {offer} claims to gain {claims[which]}, but makes the tour "
            f"{gained[which]} cheaper: it removes the edges {offer.removed} and adds {offer.added}",
            _gain_of(problem.objective),
        )
    return len(places)


def _gain_of(objective: Objective) -> str:
    """Return the remedy for gains in C++ that differ from costs in Python."""
    return f"{GAIN}; {DIRECTED}" if objective.directed else GAIN


# ---- Searches -----------------------------------------------------------------------------------


def _check_searches(subject: Subject, problem: TSP) -> None:
    """Search with each engine that accepts the objective."""
    local = LocalSearch(_moves_of(problem), LISTS)
    remedy = _gain_of(problem.objective)
    search_checks.expect_sound_everywhere(subject, problem, local, remedy)
    if subject.part.length_alone:  # the engines are the same as without an objective
        return
    several = {"a descent by best moves": LocalSearch(_moves_of(problem), LISTS, Best())}
    turns = not subject.part.directed
    if subject.part.by_edges and turns:
        several["a descent by independent moves"] = LocalSearch(_moves_of(problem), LISTS, Multi())
    if problem.symmetric and turns:
        several["exhaustive 2-opt"] = LocalSearch([TwoOpt()], All(), Best())
        several["sampled 2-opt"] = LocalSearch([TwoOpt()], All(), RandomK(500))
    for name, search in several.items():
        search_checks.expect_sound(subject, problem, search, name, remedy)
