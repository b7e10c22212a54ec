"""Generations of tours; each tour is improved under different weights of the objectives."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gpu_ls_plugin.tours.candidates.nearest import Nearest
from gpu_ls_plugin.tours.construction.random_tours import random_tours
from gpu_ls_plugin.tours.fronts.weights import places_of, spans
from gpu_ls_plugin.tours.moves.lin_kernighan import LinKernighan
from gpu_ls_plugin.tours.moves.reconnections import ThreeOpt
from gpu_ls_plugin.tours.moves.segment_moves import OrOpt
from gpu_ls_plugin.tours.searches.local_search import LocalSearch

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gpu_ls_plugin.core.result import Result
    from gpu_ls_plugin.runs.framework_run import FrameworkRun
    from gpu_ls_plugin.tours.crossovers.base import Recombination
    from gpu_ls_plugin.tours.fronts.weights import Weights
    from gpu_ls_plugin.tours.problem.multi_objective import MultiObjectiveTSP
    from gpu_ls_plugin.tours.problem.tsp import TSP
    from gpu_ls_plugin.tours.problem.weighted import WeightedTSP

MATES = 20  # a child's second parent is the best tour under its weights or one of the next few
# Searches for estimates of the ideal and nadir points.
SEARCH = LocalSearch([LinKernighan(3)], candidates=Nearest(8))
DIRECTED = LocalSearch([ThreeOpt(), OrOpt(3)], candidates=Nearest(10))  # reverses no path
OTHERS = 0.05  # total weight of all other objectives, so that tours are not arbitrarily bad in them

_cache: weakref.WeakKeyDictionary[MultiObjectiveTSP, Any] = weakref.WeakKeyDictionary()


def payoffs(
    problem: MultiObjectiveTSP, backend: str = "auto"
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return estimates of the ideal and nadir points of a problem, both of shape (M,) (cached).

    Estimates come from a payoff table: for each objective, one tour is improved with little weight
    on the other objectives. Estimates are the same in each process and on each backend.
    """
    if problem not in _cache:
        size = problem.n_objectives
        weights = np.where(np.eye(size) > 0, 1.0 - OTHERS, OTHERS / (size - 1)) / problem.scales
        tours = random_tours(problem.objectives[0], size, seed=0, backend=backend)
        search = SEARCH if problem.symmetric else DIRECTED
        found = search(problem.weighted(weights), tours, backend=backend).tours
        table = problem.cost(found).astype(np.float64)
        _cache[problem] = table.min(axis=0), table.max(axis=0)
    ideal, nadir = _cache[problem]
    return ideal, nadir


def weighted_for(
    problem: MultiObjectiveTSP,
    tours: NDArray[np.int32],
    weights: Weights,
    random_state: np.random.Generator,
    backend: str = "auto",
) -> WeightedTSP:
    """Return the weighted problem for tours (P, n), with weights drawn for each tour's costs."""
    drawn = _draw_weights(problem, problem.cost(tours), weights, random_state, backend)
    return _scalarised(problem, drawn, weights, backend)


def _scalarised(
    problem: MultiObjectiveTSP, drawn: NDArray[np.float64], weights: Weights, backend: str
) -> WeightedTSP:
    return weights.scalarised(problem, drawn, payoffs(problem, backend)[0])


def _draw_weights(
    problem: MultiObjectiveTSP,
    costs: NDArray[Any],
    weights: Weights,
    random_state: np.random.Generator,
    backend: str,
) -> NDArray[np.float64]:
    """Return weights for unscaled costs: those of the rule, divided by the objectives' spans."""
    ideal, nadir = payoffs(problem, backend)
    places = np.clip(places_of(costs, ideal, nadir), 0.0, 1.0)
    return weights.draw(places, random_state) / spans(ideal, nadir)


class Kicks(Protocol):
    """What a generation calls to kick batches of tours, such as the operator `Kick`."""

    def prepare(self, problem: TSP) -> None:
        """Compile kernels before a timed run."""

    def __call__(
        self, problem: TSP, rows: ArrayLike, random_state: np.random.Generator
    ) -> NDArray[np.int32]:
        """Return kicked copies of tours (P, n)."""


class Improvement(Protocol):
    """What a generation calls to improve batches of tours, such as the operator `Improver`."""

    @property
    def backend(self) -> str:
        """The backend: "auto", "cpu" or "cuda"."""

    def prepare(self, problem: TSP, size: int) -> None:
        """Compile kernels for batches of `size` tours before a timed run."""

    def search_rows(
        self,
        problem: TSP,
        tours: Any,
        random_state: np.random.Generator,
        run: FrameworkRun | None = None,
    ) -> Result | None:
        """Return the result of searching the tours; None if the run has no time left."""


@dataclass(frozen=True)
class ScalarisedGeneration:
    """Makes children. The weights drawn for a child select its parents and guide its search.

    The first parent is the best known tour under the child's weights; the second one is drawn from
    the best few. If a child is not better than its first parent, a kicked copy of this parent
    replaces the child before the search. Weights are drawn for the scaled costs of random known
    tours. Crossing and search use the backend of `improver`.
    """

    crossover: Recombination
    improver: Improvement
    kick: Kicks
    weights: Weights

    def prepare(self, problem: MultiObjectiveTSP, size: int) -> None:
        """Compile kernels for batches of `size` tours before a timed run."""
        weighted = problem.weighted(np.ones((size, problem.n_objectives)))
        tours = np.tile(np.arange(problem.n, dtype=np.int32), (size, 1))
        payoffs(problem, self.improver.backend)
        self.kick.prepare(problem.objectives[0])
        self.crossover.cross(weighted, tours, tours, seed=0, backend=self.improver.backend)
        scalarised = _scalarised(problem, weighted.weights, self.weights, self.improver.backend)
        self.improver.prepare(scalarised, size)

    def begin(
        self,
        problem: MultiObjectiveTSP,
        tours: NDArray[np.int32],
        random_state: np.random.Generator,
        run: FrameworkRun | None = None,
    ) -> NDArray[np.int32]:
        """Return the initial population `tours` (P, n) after improving each tour."""
        backend = self.improver.backend
        scalarised = weighted_for(problem, tours, self.weights, random_state, backend)
        return self._searched(scalarised, tours, random_state, run)

    def __call__(
        self,
        problem: MultiObjectiveTSP,
        tours: NDArray[np.int32],
        costs: NDArray[Any],
        children: int,
        random_state: np.random.Generator,
        run: FrameworkRun | None = None,
    ) -> NDArray[np.int32]:
        """Return improved children (children, n) of known tours (A, n) with costs (A, M)."""
        backend = self.improver.backend
        some = random_state.integers(len(tours), size=children)
        drawn = _draw_weights(problem, costs[some], self.weights, random_state, backend)
        totals = drawn @ costs.T.astype(np.float64)
        first, second = _choose_parents(totals, random_state)
        weighted = problem.weighted(drawn)
        seed = int(random_state.integers(2**63))
        crossed = self.crossover.cross(
            weighted, tours[first], tours[second], seed=seed, backend=backend
        )
        known = totals[np.arange(children), first]
        same = weighted.cost(crossed) >= known * (1.0 - 1e-9)
        if same.any():
            crossed[same] = self.kick(problem.objectives[0], tours[first[same]], random_state)
        scalarised = _scalarised(problem, drawn, self.weights, backend)
        return self._searched(scalarised, crossed, random_state, run)

    def _searched(
        self,
        scalarised: WeightedTSP,
        tours: NDArray[np.int32],
        random_state: np.random.Generator,
        run: FrameworkRun | None,
    ) -> NDArray[np.int32]:
        found = self.improver.search_rows(scalarised, tours, random_state, run)
        return tours if found is None else found.tours


def _choose_parents(
    totals: NDArray[np.float64], random_state: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return, for each row of totals (P, A), the lowest column and one of the lowest few."""
    size, known = totals.shape
    first = totals.argmin(axis=1)
    few = min(MATES, known - 1)
    if few < 1:
        return first, first
    near = np.argpartition(totals, few, axis=1)[:, : few + 1]
    chosen = random_state.integers(few + 1, size=size)
    second = near[np.arange(size), chosen]
    return first, second
