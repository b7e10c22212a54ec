"""Searches of pymoo's rows within the run of an algorithm."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.evolution.batches.distinct import offspring_of
from gpu_ls_plugin.evolution.batches.rows import keys
from gpu_ls_plugin.evolution.timed_run import add_search
from gpu_ls_pymoo.clock import on_clock, progress, seconds_left
from gpu_ls_pymoo.problems import canonical_tours, view_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.evolution.batches.distinct import DistinctSearch, Offspring
    from gpu_ls_plugin.evolution.batches.improver import Improver
    from gpu_ls_plugin.evolution.batches.rows import Tours
    from gpu_ls_pymoo.view import Fitness, Weighting

STATISTICS = "local_search"  # key in `algorithm.data`: counts of all searches of a run


@dataclass(frozen=True)
class AlgorithmRun:
    """The run of a pymoo algorithm: it limits the time of searches, and collects their counts.

    Ctrl-C in a search ends the run after the current generation.
    """

    algorithm: Any  # None outside a run

    def seconds_left(self) -> float:
        """Return how many seconds a search may take until the algorithm's time limit."""
        return seconds_left(self.algorithm)

    def progress(self) -> float:
        """Return the share of the run that has passed."""
        return progress(self.algorithm)

    def account(self, statistics: Statistics) -> None:
        """Add the counts of a search to those of the run."""
        if self.algorithm is None:
            return
        add_search(self.algorithm.data.setdefault(STATISTICS, Statistics()), statistics)
        if statistics.interrupted:
            self.algorithm.termination.terminate()


class Batch(NamedTuple):
    """Tours (P, n) in canonical form, their fitness if it is known, and which tours are new."""

    tours: Tours
    values: Fitness | None
    new: NDArray[np.bool_]


def improve(
    improver: Improver,
    problem: Any,
    rows: ArrayLike,
    random_state: Generator,
    algorithm: Any,
    weights: Weighting | None = None,
) -> tuple[Tours, Fitness | None]:
    """Search all rows (P, n) in one batch, within the time that the algorithm has left.

    `weights` draws weights if there are several objectives. Each call draws one number from
    `random_state`. Returns improved tours in canonical form, int32 (P, n), in the order of the
    rows, and their F as in `View.fitness`.
    """
    with on_clock(algorithm):
        view = view_of(problem)
        tsp = view.for_search(rows, weights, random_state, improver.backend)
        searching = view.searching(improver, weights)
        tours, costs = searching(tsp, rows, random_state, AlgorithmRun(algorithm))
    return tours, view.fitness(tours, costs)


def improve_distinct(
    search: DistinctSearch,
    problem: Any,
    rows: ArrayLike,
    known: set[bytes],
    random_state: Generator,
    algorithm: Any,
    weights: Weighting | None = None,
) -> Batch:
    """Search all rows in one batch, so that they differ from each other and from known tours.

    `known` has the keys of known tours in canonical form; other parameters are as in `improve`. If
    all tours stay known despite kicks, nothing is searched, and `values` is None. If a row is not a
    tour, the error names it.
    """
    run = AlgorithmRun(algorithm)
    with on_clock(algorithm):
        view = view_of(problem)
        tsp = view.for_search(rows, weights, random_state, search.improver.backend)
        search = replace(search, improver=view.searching(search.improver, weights))
        tours, costs, new = search(tsp, rows, known, random_state, run)
    return Batch(tours, view.fitness(tours, costs) if new.any() else None, new)


def known_tours(problem: Any, *populations: Any) -> set[bytes]:
    """Return the keys of the tours in populations; a population may be empty or None."""
    rows = [pop.get("X") for pop in populations if pop is not None and len(pop)]
    return {key for some in rows for key in keys(canonical_tours(problem, some))}


def offspring_so_far(algorithm: Any) -> Offspring:
    """Return the record of the current generation's offspring; the caller adds new tours to it.

    pymoo mates up to a hundred times in a generation if offspring are duplicates.
    """
    return offspring_of(algorithm, getattr(algorithm, "n_gen", None))
