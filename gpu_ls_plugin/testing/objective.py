"""The check of an objective: its C++ beside its Python face, tour by tour and in searches."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.acceptance import Always
from gpu_ls_plugin.backends.composition import Kernel, metric_kernel
from gpu_ls_plugin.candidates import All, Nearest
from gpu_ls_plugin.exceptions import UnsupportedProblemError
from gpu_ls_plugin.neighbourhoods import LinKernighan, Neighbourhood, OrOpt, ThreeOpt, TwoOpt
from gpu_ls_plugin.neighbourhoods.composed import CandidateMoves
from gpu_ls_plugin.objectives.base import Objective
from gpu_ls_plugin.objectives.under import searched
from gpu_ls_plugin.perturbations import DoubleBridge
from gpu_ls_plugin.pivoting import Best, Multi, RandomK
from gpu_ls_plugin.searches.chains.start import Start
from gpu_ls_plugin.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.searches.local_search import LocalSearch
from gpu_ls_plugin.testing import engines, moves, probe, small_problems
from gpu_ls_plugin.testing.objective_faces import check_faces, rounding
from gpu_ls_plugin.testing.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gpu_ls_plugin.problems.tsp import TSP

PROBED, JUDGED = 2, 64  # tours whose moves are compared, and those that may be results
STRETCHES, KICKS = 4, 10  # of chains, between comparisons
LISTS = Nearest(7)
COMPOSING = "functor, header and source() must name and define the C++ struct of the objective"
GAIN = (
    "gain(change, shorter) must return shorter, and what costs() has for edges that leave less "
    "what it has for those that come, or forbidden<Gain>(); words() must hand over the same data "
    "that costs() reads"
)
FEASIBLE = "feasible() must return the same in C++ and in Python"


def check_objective(
    objective: Objective,
    problems: Sequence[TSP] | None = None,
    *,
    backend: str = "auto",
    seed: int = 0,
) -> None:
    """Raise unless both faces of an objective agree, alone and in searches.

    `costs` and `feasible` must go by each tour alone, and `by_edges` and `length_alone` be true.
    What moves of random tours gain in C++ is compared with costs before and after them, and which
    tours may be results with the Python face. Chains must know what their tours cost, and keep a
    tour that may be a result; then searches of every kind that takes such an objective go by it.

    Parameters
    ----------
    objective : Objective
    problems : sequence of TSP, optional
        Those that `check` accepts are examined, the largest in searches: of 90 cities or so. Some
        of their tours should be feasible, also such as chains find. By default random and
        degenerate ones of several metrics.
    backend : {"auto", "cpu", "cuda"}
    seed : int

    Raises
    ------
    PartCheckError
        With the reason, the move or tour, and the remedy.
    """
    subject = Subject.of("objective", objective, backend, seed, Objective)
    served = _served(subject, _usual(seed) if problems is None else problems)
    for problem in served:
        check_faces(subject, problem)
    large = max(served, key=lambda problem: problem.n)
    if not objective.length_alone:
        offered = [_check_gains(subject, problem) for problem in served if problem.n > 4]
        subject.expect(
            sum(offered),
            "no move gains in any random tour",
            "gain() must return a positive number where a move makes the tour cheaper",
        )
        for problem in served:
            _check_feasible(subject, problem, subject.tours(problem, JUDGED))
        _check_chains(subject, large)
    _check_searches(subject, large)


def _usual(seed: int) -> list[TSP]:
    large = small_problems.planar("EUC_2D", seed, engines.CITIES)[0]
    return [*small_problems.of_several_metrics(seed), large]


def _served(subject: Subject, problems: Sequence[TSP]) -> list[TSP]:
    """Return the problems under the objective, without those that it refuses."""
    served = []
    for problem in problems:
        remedy = "raise UnsupportedProblemError for problems that it makes no sense on"
        with subject.blamed("check()", remedy, where=problem):
            try:
                served.append(problem.under(subject.part))
            except UnsupportedProblemError:
                continue
    subject.expect(served, "it refuses every problem", "pass problems=[...] that check() accepts")
    return served


def _moves_of(problem: TSP) -> list[Neighbourhood]:
    return [TwoOpt(), OrOpt(3)] if problem.symmetric else [OrOpt(3)]


# ---- Moves and tours, one by one ----------------------------------------------------------------


def _check_gains(subject: Subject, problem: TSP) -> int:
    """Compare all offers in some tours with costs; return how many there are."""
    backend, n = subject.backend, problem.n
    neighbourhoods = [*_moves_of(problem), LinKernighan(3) if problem.symmetric else ThreeOpt()]
    tours = subject.tours(problem, PROBED)
    mates = np.tile(np.arange(n, dtype=np.int32), (PROBED, 1))
    with subject.blamed("composing its kernel", COMPOSING, where=problem):
        parts = CandidateMoves(backend, problem, neighbourhoods, Nearest(min(7, n - 1)))
        kernel = probe.kernel_of(problem, parts, parts.moves.functor, backend)
        variants = probe.variants_of(subject, kernel, parts)
        asked = partial(probe.offers_in, backend, kernel, parts, variants, tours, mates)
        subject.rehearse(asked, "gain()", where=problem)
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
    said = np.array([gains[place] for place in places])
    wrong = np.nonzero(np.abs(said - gained) > rounding(problem, before))[0]
    for which in wrong[:1]:
        offer = found[which]
        raise subject.fault(
            f"in row {rows[which]} {offer} is said to gain {said[which]}, but makes the tour "
            f"{gained[which]} cheaper: edges {offer.removed} leave, {offer.added} come",
            GAIN,
            where=problem,
        )
    return len(places)


def _feasible_kernel(problem: TSP, team: str) -> Kernel:
    return metric_kernel(
        "probe_feasible",
        searched(problem),
        header="testing/probe_feasible.cuh",
        body="gls::ProbeFeasible<{team}, {metric}>",
        parameters="const void* metric_data, int n, int asked, const int* tours, int* feasible",
        team=team,
    )


def _check_feasible(subject: Subject, problem: TSP, tours: NDArray[Any]) -> None:
    """Compare both faces on some tours."""
    backend, rows = subject.backend, len(tours)
    found = backend.xp.zeros(rows, "int32")
    with subject.blamed("its kernel", COMPOSING, where=problem):
        kernel = _feasible_kernel(problem, backend.warp())  # as chains ask
        arguments = {
            "metric_data": backend.search_data(problem),
            "n": problem.n,
            "tours": backend.xp.asarray(tours),
            "feasible": found,
        }
        backend.launch(kernel, rows, {**arguments, "asked": 0})  # compiles, and asks nothing
        ask = partial(backend.launch, kernel, rows, {**arguments, "asked": rows})
        subject.rehearse(ask, "feasible()", where=problem)
        ask()
    there = backend.to_numpy(found).astype(bool)
    here = subject.part.feasible(problem, tours)
    for row in np.nonzero(there != here)[0]:
        raise subject.fault(
            f"feasible() is {there[row]} in C++, {here[row]} in Python of {tours[row].tolist()}",
            FEASIBLE,
            where=problem,
        )


# ---- Searches -----------------------------------------------------------------------------------


def _check_chains(subject: Subject, problem: TSP) -> None:
    """Let chains kick, and compare what they know of their tours with the Python face."""
    backend, to_numpy = subject.backend, subject.backend.to_numpy
    feasible = partial(subject.part.feasible, problem)
    local = LocalSearch(_moves_of(problem), LISTS)
    search = IteratedLocalSearch(local, DoubleBridge(30), Always(), part=None)
    with subject.blamed("chains", COMPOSING, where=problem):
        tours = local(problem, subject.tours(problem, engines.ROWS), backend=backend.name).tours
        chains = search.chains(Start(backend, problem, backend.xp.asarray(tours), subject.seed))
    for stretch in range(1, STRETCHES + 1):
        before = feasible(to_numpy(chains.best_tours))
        with subject.blamed("chains", GAIN, where=problem):
            chains.advance(stretch * KICKS, 1.0, 0.0, 60.0)
        for which in ("", "best_"):
            found, said = (to_numpy(vars(chains)[f"{which}{of}"]) for of in ("tours", "costs"))
            found = subject.expect_tours(problem, found, len(tours), "chains")
            costs = problem.cost(found)
            subject.expect(
                (np.abs(said - costs) <= rounding(problem, costs)).all(),
                f"after {stretch * KICKS} kicks chains have {which}costs {said}, but {which}tours "
                f"of {costs}",
                "gain() must be exact of kicks (double bridges), too, and where it is negative",
                where=problem,
            )
            _check_feasible(subject, problem, found)
        lost = before & ~feasible(to_numpy(chains.best_tours))
        subject.expect(
            not lost.any(),
            "chains have given up a best tour that may be a result for one that may not",
            FEASIBLE,
            where=problem,
        )


def _check_searches(subject: Subject, problem: TSP) -> None:
    """Search by every engine that takes the objective."""
    local = LocalSearch(_moves_of(problem), LISTS)
    engines.expect_sound_everywhere(subject, problem, local, GAIN)
    if subject.part.length_alone:  # searches are those without an objective
        return
    several = {"a descent by best moves": LocalSearch(_moves_of(problem), LISTS, Best())}
    if subject.part.by_edges:
        several["a descent by independent moves"] = LocalSearch(_moves_of(problem), LISTS, Multi())
    if problem.symmetric:
        several["exhaustive 2-opt"] = LocalSearch([TwoOpt()], All(), Best())
        several["sampled 2-opt"] = LocalSearch([TwoOpt()], All(), RandomK(500))
    for who, search in several.items():
        engines.expect_sound(subject, problem, search, who, GAIN)
