"""The check of an objective: its C++ against its Python methods, by tour and in searches."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.testing import moves, probe, search_checks, small_problems
from gpu_ls_plugin.testing.objective_chains import COMPOSING, check_chains, check_feasible
from gpu_ls_plugin.testing.objective_python import check_python, rounding
from gpu_ls_plugin.testing.subject import Subject
from gpu_ls_plugin.tours.candidates.nearest import All, Nearest
from gpu_ls_plugin.tours.engines.pivoting import Best, Multi, RandomK
from gpu_ls_plugin.tours.moves.composed import CandidateMoves
from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighan
from gpu_ls_plugin.tours.moves.reconnections import ThreeOpt, TwoOpt
from gpu_ls_plugin.tours.moves.segment_moves import OrOpt
from gpu_ls_plugin.tours.problem.objective import DIRECTED, Objective
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpu_ls_plugin.tours.moves.base import Neighbourhood
    from gpu_ls_plugin.tours.problem.tsp import TSP

PROBED, JUDGED = 2, 64  # tours for the check of moves, and for that of feasible()
LISTS = Nearest(7)
GAIN = (
    "gain(change, shorter) must return shorter, plus the costs() of the removed edges, minus those "
    "of the added edges; or forbidden<Gain>(); words() must pass the data that costs() reads"
)


def check_objective(
    objective: Objective,
    problems: Sequence[TSP] | None = None,
    *,
    backend: str = "auto",
    seed: int = 0,
) -> None:
    """Raise unless C++ and Python of an objective agree, alone and in searches.

    `costs` and `feasible` must depend on each tour only, and the claims `by_edges` and
    `length_alone` must be true. Unless the objective is `directed`, a tour and its reverse must
    cost the same if lengths are symmetric. The check compares the gains of moves in C++ with the
    costs before and after the moves, and `feasible` in C++ with Python. Chains must have exact
    costs and never replace a feasible best tour by an infeasible one. Then each kind of search that
    accepts the objective uses it.

    Parameters
    ----------
    objective : Objective
    problems : sequence of TSP, optional
        By default random and degenerate ones of several metrics. Problems that the objective's
        `check` refuses are skipped. The largest is used in searches: about 90 cities. Some random
        tours and some that chains find should be feasible.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        The message has the reason, the move or tour, and a remedy.
    """
    subject = Subject.of("objective", objective, backend, seed, Objective)
    given = _usual(seed) if problems is None else problems
    served = subject.served(given, lambda problem: problem.under(objective))
    for problem in served:
        check_python(subject.on(problem), problem)
    large = max(served, key=lambda problem: problem.n)
    if not objective.length_alone:
        offered = [_check_gains(subject, problem) for problem in served if problem.n > 4]
        subject.expect(
            sum(offered),
            "no move of any random tour has a gain",
            "gain() must return a positive number if a move makes the tour cheaper",
        )
        for problem in served:
            check_feasible(subject, problem, subject.tours(problem, JUDGED))
        check_chains(subject, large, LocalSearch(_moves_of(large), LISTS), _gain_of(objective))
    _check_searches(subject, large)


def _usual(seed: int) -> list[TSP]:
    large = small_problems.planar("EUC_2D", seed, search_checks.CITIES)[0]
    return [*small_problems.of_several_metrics(seed), large]


def _moves_of(problem: TSP) -> list[Neighbourhood]:
    return [TwoOpt(), OrOpt(3)] if problem.symmetric else [OrOpt(3)]


# ---- Moves and tours, one by one ----------------------------------------------------------------


def _check_gains(subject: Subject, problem: TSP) -> int:
    """Compare the gains of all moves in some tours with costs; return their number."""
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
        moves.after(tours[row].tolist(), offer)[:: 1 if offer.forward else -1]
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
