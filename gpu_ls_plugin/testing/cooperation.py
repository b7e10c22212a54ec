"""Checks the tours and costs of cooperating chains after each exchange."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.routes.moves.between_routes import RouteMoves
from gpu_ls_plugin.routes.removals.string_removal import StringRemoval
from gpu_ls_plugin.runs.acceptance import Always
from gpu_ls_plugin.testing import search_checks, small_problems
from gpu_ls_plugin.testing.subject import Subject
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.cooperation.base import Cooperation
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.kicks.double_bridge import DoubleBridge
from gpu_ls_plugin.tours.kicks.restart import Restart
from gpu_ls_plugin.tours.moves.reconnections import TwoOpt
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.problem.tsp import TSP

CHAINS = (7, 1)  # numbers of chains in a batch; a single chain has no others to exchange with
EXCHANGES = 3  # number of exchanges in each batch
SOUND = (
    "after exchange(), costs and best_costs must be those of tours and best_tours, and the best "
    "tour must not get worse; chains.take() and chains.keep_best() ensure this"
)


def check_cooperation(
    cooperation: Cooperation, *, backend: str = "auto", seed: int = 0, problem: TSP | None = None
) -> None:
    """Raise unless cooperating chains keep valid tours and exact costs.

    Chains run first in one kernel, and then again driven from the host. After each of several
    exchanges, tours must be permutations, costs must be exact, and the best tour of all chains must
    not be worse than before.

    Parameters
    ----------
    cooperation : Cooperation
    backend : {"auto", "cpu", "cuda"}
    seed : int
    problem : TSP, optional
        Problem with integer lengths; by default one in the plane.

    Raises
    ------
    PartCheckError
        The message gives the reason, the chains and a remedy.
    """
    subject = Subject.of("cooperation", cooperation, backend, seed, Cooperation)
    if problem is None:
        problem = small_problems.planar("EUC_2D", seed, search_checks.CITIES)[0]
    if problem.objective.length_alone:
        local = LocalSearch([TwoOpt()], Nearest(6))
        kicks = {"chains": DoubleBridge(30), "chains driven from the host": Restart()}
    else:
        local = LocalSearch([RouteMoves()], Nearest(6))
        kicks = {"chains of routes": StringRemoval()}
    for name, kick in kicks.items():
        search = IteratedLocalSearch(local, kick, Always(), cooperation=cooperation)
        for size in CHAINS:
            _check_exchanges(subject.on(problem), problem, search, size, f"{size} {name}")
        search_checks.expect_sound(subject, problem, search, name, SOUND)


def _check_exchanges(
    subject: Subject, problem: TSP, search: IteratedLocalSearch, size: int, name: str
) -> None:
    """Let chains kick and exchange in turn, and check them after each exchange."""
    backend, part = subject.backend, subject.part
    tours = backend.xp.asarray(subject.tours(problem, size))
    chains = search.chains(Start(backend, problem, tours, subject.seed))
    for exchange in range(1, EXCHANGES + 1):
        kicks = int(chains.kicks.max())
        chains.advance(kicks + 3, 1.0, 0.0, 60.0)
        before = backend.to_numpy(chains.best_costs).copy()
        with subject.blamed(f"exchange() of {name}", SOUND):
            part.exchange(chains, 0.0, 60.0, 50)
        for which in ("", "best_"):
            reported = backend.to_numpy(vars(chains)[f"{which}costs"])
            found = vars(chains)[f"{which}tours"]
            when = f"after exchange {exchange}, {name}"
            found = subject.expect_tours(problem, found, size, when)
            costs = problem.cost(found)
            text = f"{when} have {which}costs {reported}, but the costs of {which}tours are {costs}"
            subject.expect_equal(reported, costs, text, SOUND)
        best = backend.to_numpy(chains.best_costs).min()
        subject.expect(
            best <= before.min(),
            f"exchange {exchange} of {name} lost the best tour: the best cost was {before.min()}, "
            f"now it is {best}",
            SOUND,
        )
