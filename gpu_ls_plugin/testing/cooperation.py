"""The check of a cooperation: chains whose tours and costs it has changed, beside the referee."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gpu_ls_plugin.runs.acceptance import Always
from gpu_ls_plugin.testing import engines, small_problems
from gpu_ls_plugin.testing.subject import Subject
from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.cooperation.base import Cooperation
from gpu_ls_plugin.tours.engines.chains.start import Start
from gpu_ls_plugin.tours.kicks.double_bridge import DoubleBridge
from gpu_ls_plugin.tours.kicks.on_backend import Restart
from gpu_ls_plugin.tours.moves.reconnections import TwoOpt
from gpu_ls_plugin.tours.searches.iterated import IteratedLocalSearch
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from gpu_ls_plugin.tours.problem.tsp import TSP

CHAINS = (7, 1)  # of a batch: a single one has nobody to learn from
EXCHANGES = 3
SOUND = (
    "exchange() must leave costs and best_costs what tours and best_tours cost, and best tours "
    "never worse: chains.take() and chains.keep_best() do so"
)


def check_cooperation(
    cooperation: Cooperation,
    *,
    backend: str = "auto",
    seed: int = 0,
    problem: TSP | None = None,
) -> None:
    """Raise unless chains that cooperate stay sound.

    Between exchanges chains kick in one kernel and from the host; after each one every chain's
    tours must be tours, cost what is said, and its best must not be worse than before.

    Parameters
    ----------
    cooperation : Cooperation
    backend : {"auto", "cpu", "cuda"}
    seed : int
    problem : TSP, optional
        Of integer lengths, on which chains cooperate; by default one of tours.

    Raises
    ------
    PartCheckError
        With the reason, the chain and the remedy.
    """
    subject = Subject.of("cooperation", cooperation, backend, seed, Cooperation)
    if problem is None:
        problem = small_problems.planar("EUC_2D", seed, engines.CITIES)[0]
    local = LocalSearch([TwoOpt()], Nearest(6))
    for who, kick in (("chains", DoubleBridge(30)), ("chains driven from the host", Restart())):
        search = IteratedLocalSearch(local, kick, Always(), cooperation=cooperation)
        for size in CHAINS:
            _check_exchanges(subject.on(problem), problem, search, size, f"{who}, {size} of them,")
        engines.expect_sound(subject, problem, search, who, SOUND)


def _check_exchanges(
    subject: Subject, problem: TSP, search: IteratedLocalSearch, size: int, who: str
) -> None:
    """Let chains kick and exchange in turn."""
    backend, part = subject.backend, subject.part
    tours = backend.xp.asarray(subject.tours(problem, size))
    chains = search.chains(Start(backend, problem, tours, subject.seed))
    for exchange in range(1, EXCHANGES + 1):
        kicks = int(chains.kicks.max())
        chains.advance(kicks + 3, 1.0, 0.0, 60.0)
        before = backend.to_numpy(chains.best_costs).copy()
        with subject.blamed(f"exchange() of {who}", SOUND):
            part.exchange(chains, 0.0, 60.0, 50)
        for which in ("", "best_"):
            said = backend.to_numpy(vars(chains)[f"{which}costs"])
            found = vars(chains)[f"{which}tours"]
            found = subject.expect_tours(problem, found, size, f"after exchange {exchange}, {who}")
            costs = problem.cost(found)
            subject.expect(
                np.array_equal(said, costs),
                f"after exchange {exchange} {who} have {which}costs {said}, but {which}tours of "
                f"{costs}",
                SOUND,
            )
        best = backend.to_numpy(chains.best_costs).min()
        subject.expect(
            best <= before.min(),
            f"exchange {exchange} of {who} lost the best tour of all: {best} after {before.min()}",
            SOUND,
        )
