"""One generation of tours, each searched by weights of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.tours.fronts.payoffs import payoffs
from gpu_ls_plugin.tours.fronts.weights import places_of, spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gpu_ls_plugin.runs.framework_run import FrameworkRun
    from gpu_ls_plugin.tours.crossovers.base import Recombination
    from gpu_ls_plugin.tours.fronts.improvement import Improvement, Kicks
    from gpu_ls_plugin.tours.fronts.weights import Weights
    from gpu_ls_plugin.tours.problem.multi_objective import MultiObjectiveTSP
    from gpu_ls_plugin.tours.problem.weighted import WeightedTSP

CLOSE = 20  # tours that are nearly the best by some weights, from which a mate is drawn


def weighted_for(
    problem: MultiObjectiveTSP,
    tours: NDArray[np.int32],
    weights: Weights,
    random_state: np.random.Generator,
    backend: str = "auto",
) -> WeightedTSP:
    """Return a problem of tours (P, n), each with the weights that a rule draws for its place."""
    drawn = _drawn(problem, problem.cost(tours), weights, random_state, backend)
    return _scalarised(problem, drawn, weights, backend)


def _scalarised(
    problem: MultiObjectiveTSP, drawn: NDArray[np.float64], weights: Weights, backend: str
) -> WeightedTSP:
    return weights.scalarised(problem, drawn, payoffs(problem, backend)[0])


def _drawn(
    problem: MultiObjectiveTSP,
    costs: NDArray[Any],
    weights: Weights,
    random_state: np.random.Generator,
    backend: str,
) -> NDArray[np.float64]:
    """Return weights for costs as they are: each divided by its objective's span of a front."""
    ideal, nadir = payoffs(problem, backend)
    places = np.clip(places_of(costs, ideal, nadir), 0.0, 1.0)
    drawn: NDArray[np.float64] = weights.draw(places, random_state) / spans(ideal, nadir)
    return drawn


@dataclass(frozen=True)
class ScalarisedGeneration:
    """Weights for each child, its parents by these, a crossing by these, and a search by these.

    The first parent is the best known tour by the child's weights, the second one of those next to
    it. A child that is not better than its first parent is kicked before it is searched. The
    backend of `improver` crosses and searches, and `weights` are told where some random tours lie.
    """

    crossover: Recombination
    improver: Improvement
    kick: Kicks
    weights: Weights

    def prepare(self, problem: MultiObjectiveTSP, size: int) -> None:
        """Compile for batches of `size` ahead of a timed run."""
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
        """Return searched tours of a start population, whatever their parents."""
        costs = problem.cost(tours)
        drawn = _drawn(problem, costs, self.weights, random_state, self.improver.backend)
        scalarised = _scalarised(problem, drawn, self.weights, self.improver.backend)
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
        """Return searched children (children, n) of known tours (A, n) with costs (A, M)."""
        place = self.improver.backend
        some = random_state.integers(len(tours), size=children)
        drawn = _drawn(problem, costs[some], self.weights, random_state, place)
        totals = drawn @ costs.T.astype(np.float64)
        first, second = _mates(totals, random_state)
        weighted = problem.weighted(drawn)
        seed = int(random_state.integers(2**63))
        crossed = self.crossover.cross(
            weighted, tours[first], tours[second], seed=seed, backend=place
        )
        known = totals[np.arange(children), first]
        same = weighted.cost(crossed) >= known * (1.0 - 1e-9)
        if same.any():
            crossed[same] = self.kick(problem.objectives[0], tours[first[same]], random_state)
        scalarised = _scalarised(problem, drawn, self.weights, place)
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


def _mates(
    totals: NDArray[np.float64], random_state: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return for each row of totals (P, A) the least, and another one of the least few."""
    size, known = totals.shape
    first = totals.argmin(axis=1)
    few = min(CLOSE, known - 1)
    if few < 1:
        return first, first
    near = np.argpartition(totals, few, axis=1)[:, : few + 1]
    chosen = random_state.integers(few + 1, size=size)
    second = near[np.arange(size), chosen]
    return first, second
