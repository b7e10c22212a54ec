"""NSGA-II over local optima of weighted sums."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.core.duplicate import NoDuplicateElimination
from pymoo.core.population import Population
from pymoo.termination.max_gen import MaximumGenerationTermination

import gpu_ls_pymoo.individuals as individuals
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidTypeError
from gpu_ls_plugin.core.rows import canonical
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.batches.kick import Kick
from gpu_ls_plugin.evolution.batches.rows import checked
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.tours.construction.random_tours import random_tours
from gpu_ls_plugin.tours.crossovers.base import Recombination
from gpu_ls_plugin.tours.crossovers.edge_assembly import EdgeAssembly
from gpu_ls_plugin.tours.crossovers.tour_crossovers import OrderRecombination
from gpu_ls_plugin.tours.fronts.front import Front
from gpu_ls_plugin.tours.fronts.pareto_search import ParetoLocalSearch
from gpu_ls_plugin.tours.fronts.scalarised import ScalarisedGeneration
from gpu_ls_plugin.tours.fronts.weights import RandomWeights, Weights
from gpu_ls_pymoo.clock import on_clock, seconds_left
from gpu_ls_pymoo.multi_objective import MultiObjectiveTSPProblem
from gpu_ls_pymoo.search import AlgorithmRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gpu_ls_plugin.evolution.batches.rows import Tours

PARETO = ParetoLocalSearch()


class MemeticNSGA2(ShownParameters, NSGA2):
    """NSGA-II over local optima, with an archive of all non-dominated tours.

    In a generation, each child gets its own weights for the objectives. One parent is the tour of
    the archive with the lowest weighted cost; the other parent is a tour near it in the archive.
    All children are searched in one batch, each with its own weights. Then a Pareto local search
    evaluates neighbours of some tours of the archive. Survival is by rank and crowding (Deb et al.
    2002). A run returns the archive: `result.F` and `result.X` are its costs and tours.

    A time limit ends the last generation early. Children count as evaluations in ``n_eval``;
    neighbours in the Pareto local search do not.

    Parameters
    ----------
    pop_size : int
        Number of tours in the population, at least 2.
    search : callable or str, optional
        A search of gpu_ls_plugin that supports weights for each row, or its text: `LocalSearch`
        with `First()` on candidate lists, or an `IteratedLocalSearch` that repairs with it. By
        default, Lin-Kernighan steps, or 3-opt and Or-opt if lengths are asymmetric.
    crossover : Recombination, optional
        Crosses the parents of each child by its weights. By default, edge assembly, or order
        crossover if lengths are asymmetric.
    weights : Weights
        Draws the weights of the children.
    pareto : ParetoLocalSearch, optional
        Adds neighbours of tours to the archive. None, the default for asymmetric lengths: only
        children enter the archive.
    front_size : int
        Maximum number of tours in the archive.
    sampling : array (P, n) or Population, optional
        Initial population, which is checked but not searched. By default, random tours that the
        algorithm searches.
    n_offsprings : int, optional
        Number of children per generation; None: `pop_size`.
    backend : str
        "auto", "cpu" or "cuda".
    moves, kicks : int, optional
        As in `LocalSearchMutation`.
    termination : pymoo termination or tuple, optional
        Used if `minimize` gets no termination; None: 100 generations.

    Attributes
    ----------
    front : Front
        The archive: non-dominated tours, their costs, and which of them have been searched.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        A parameter is of the wrong kind or out of range.
    UnsupportedProblemError
        When a run begins: the search, crossover or Pareto local search does not fit the problem.
    """

    front: Front

    def __init__(
        self,
        pop_size: int = 100,
        search: Callable[..., Any] | str | None = None,
        *,
        crossover: Recombination | None = None,
        weights: Weights | None = None,
        pareto: ParetoLocalSearch | None = PARETO,
        front_size: int = 10_000,
        sampling: Any = None,
        n_offsprings: int | None = None,
        backend: str = "auto",
        moves: int | None = None,
        kicks: int | None = None,
        termination: Any = None,
        **kwargs: Any,
    ) -> None:
        self._usual_crossover, self._usual_pareto = crossover is None, pareto is PARETO
        crossover = EdgeAssembly() if crossover is None else crossover
        weights = RandomWeights() if weights is None else weights
        for name, part, kind in (
            ("crossover", crossover, Recombination),
            ("weights", weights, Weights),
            ("pareto", pareto, ParetoLocalSearch | None),
        ):
            if not isinstance(part, kind):
                raise InvalidTypeError(
                    f"{name}: {part!r:.80} is not a {name} object of gpu_ls_plugin"
                )
        if n_offsprings is not None:
            n_offsprings = checks.integer("n_offsprings", n_offsprings, least=1)
        improver = Improver(search, backend, moves, kicks, thorough=moves is None)
        self.generation = ScalarisedGeneration(crossover, improver, Kick(backend=backend), weights)
        self.pareto = pareto
        self.most = checks.integer("front_size", front_size, least=2)
        self.starts = sampling
        super().__init__(
            pop_size=checks.integer("pop_size", pop_size, least=2),
            sampling=None,
            crossover=None,
            mutation=None,
            eliminate_duplicates=NoDuplicateElimination(),
            n_offsprings=n_offsprings,
            **kwargs,
        )
        self.termination = termination or MaximumGenerationTermination(100)

    def _setup(self, problem: Any, **kwargs: Any) -> None:
        """Check the problem and compile before the clock of a time limit starts."""
        if not isinstance(problem, MultiObjectiveTSPProblem):
            kind = type(problem).__name__
            raise InvalidTypeError(
                f"problem: {kind} is not a gpu_ls_pymoo.MultiObjectiveTSPProblem; pass its "
                "objectives to that class. For permutations with other objectives, use NSGA2("
                "sampling=PermutationRandomSampling(), mating=MemeticMating()) (docs/pymoo.md)"
            )
        lengths = problem.lengths()
        if not lengths.symmetric:
            self._reverse_nothing()
        if self.pareto is not None:
            self.pareto.check(lengths)
        for size in {self.pop_size, self.n_offsprings}:
            self.generation.prepare(problem.tours, size)

    def _reverse_nothing(self) -> None:
        """Replace default parts with ones that do not reverse paths."""
        if self._usual_crossover:
            self.generation = replace(self.generation, crossover=OrderRecombination())
        if self._usual_pareto:
            self.pareto = None

    def _initialize_infill(self) -> Any:
        tours, state = self.problem.tours, self.random_state
        if self.starts is not None:
            given = self.starts.get("X") if isinstance(self.starts, Population) else self.starts
            return self._population(checked(given, tours.n, "sampling"))
        seed, place = int(state.integers(2**63)), self.generation.improver.backend
        starts = random_tours(tours.objectives[0], self.pop_size, seed=seed, backend=place)
        with on_clock(self):
            found = self.generation.begin(tours, starts, state, AlgorithmRun(self))
        return self._population(found)

    def _initialize_advance(self, infills: Any = None, **kwargs: Any) -> None:
        self.front = Front.of(*_of(self.problem, infills))
        super()._initialize_advance(infills=infills, **kwargs)

    def _infill(self) -> Any:
        tours, state = self.problem.tours, self.random_state
        with on_clock(self):
            made = self.generation(
                tours,
                self.front.tours,
                self.front.costs,
                self.n_offsprings,
                state,
                AlgorithmRun(self),
            )
            if self.pareto is not None:
                self.front = self.pareto(tours, self.front, state, seconds_left(self), self.most)
        return self._population(made)

    def _advance(self, infills: Any = None, **kwargs: Any) -> None:
        if infills is not None:
            self.front = self.front.joined(*_of(self.problem, infills), self.most)
            infills = infills[self._fresh(infills)]
        super()._advance(infills=infills if infills is not None and len(infills) else None)

    def _fresh(self, infills: Any) -> NDArray[np.bool_]:
        """Return which tours differ in costs from the population and from all earlier tours."""
        both = np.concatenate([self.pop.get("F"), infills.get("F")])
        _, first = np.unique(both, axis=0, return_index=True)
        fresh = np.zeros(len(both), np.bool_)
        fresh[first] = True
        return fresh[len(self.pop) :]

    def _population(self, tours: Tours) -> Any:
        """Return tours in canonical form as individuals that pymoo has to evaluate."""
        written = canonical(tours, symmetric=self.problem.tours.symmetric)
        made = Population.empty(len(written))
        individuals.write(made, written, None)
        return made

    def result(self) -> Any:
        """Return the result of the run; its `opt`, `X` and `F` are those of the archive."""
        if getattr(self, "front", None) is not None:
            found = self._population(self.front.tours)
            for individual, costs in zip(found, self.front.costs.astype(np.float64), strict=True):
                individual.set("F", costs)
            self.opt = found
        return super().result()


def _of(problem: Any, infills: Any) -> tuple[Tours, NDArray[Any]]:
    """Return the tours of evaluated individuals and their exact costs."""
    rows = infills.get("X").astype(np.int32)
    return rows, problem.tours.cost(rows)
