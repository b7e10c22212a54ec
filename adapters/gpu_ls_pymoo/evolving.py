"""A genetic algorithm of pymoo whose population stays on the device of the search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.algorithms.base.genetic import GeneticAlgorithm
from pymoo.core.evaluator import Evaluator
from pymoo.core.population import Population
from pymoo.core.result import Result

import gpu_ls_pymoo.individuals as individuals
from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_pymoo.clock import on_clock
from gpu_ls_pymoo.problems import view_of
from gpu_ls_pymoo.search import AlgorithmRun

if TYPE_CHECKING:
    from gpu_ls_plugin.evolution.generations import evolution
    from gpu_ls_plugin.evolution.generations.evolution import Evolution
    from gpu_ls_pymoo.view import Chosen


class LazyPopulation:
    """Makes a pymoo Population of distinct tours, the cheapest first, on the first `fill`.

    `fill` copies the tours: call it before the tours of `population` change if you still need the
    old ones. Each individual gets the number of the `generation`. With `best_only`, the Population
    has only the cheapest tour.
    """

    def __init__(
        self, problem: Any, population: evolution.Bred, generation: int, *, best_only: bool = False
    ) -> None:
        self.population = population
        self._problem, self._generation, self._best_only = problem, generation, best_only
        self._filled: Any = None
        self._rows: Any = None  # X of `_filled` when `fill` made it

    def fill(self) -> Any:
        """Return the Population; later calls return the same object."""
        if self._filled is None:
            found, view = self._chosen(), view_of(self._problem)
            self._rows = found.rows
            self._filled = Population.empty(len(self._rows))
            values = view.fitness(self._rows, found.costs)
            individuals.write(self._filled, self._rows, values)
            if values is None:  # only the problem can evaluate its constraints
                Evaluator().eval(self._problem, self._filled)
            self._filled.set("n_gen", self._generation, "n_iter", self._generation)
        return self._filled

    def _chosen(self) -> Chosen:
        """Return the tours on the host."""
        population, rows = self.population, slice(None)
        if self._best_only:
            best = int(population.costs.argmin())
            rows = slice(best, best + 1)
        tours, costs = on_host(population.tours[rows]), on_host(population.costs[rows])
        return view_of(self._problem).different_rows(tours, costs)

    def changed(self) -> bool:
        """Return whether the tours of the Population were replaced after it was made."""
        if self._filled is None:
            return False
        return not np.array_equal(self._filled.get("X"), self._rows)

    def is_of(self, pop: Any) -> bool:
        """Return whether `pop` is this object or the unchanged Population that it has made."""
        return pop is self or (pop is not None and pop is self._filled and not self.changed())


class LazyAttribute:
    """Attribute whose value may be a `LazyPopulation`; reading the attribute fills it."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, holder: Any, owner: type | None = None) -> Any:
        if holder is None:
            return self
        value = vars(holder).get(self._name)
        return value.fill() if isinstance(value, LazyPopulation) else value

    def __set__(self, holder: Any, value: Any) -> None:
        vars(holder)[self._name] = value


class LazyResult(Result):
    """pymoo's result of a run; its population is made when it is first accessed."""

    pop = LazyAttribute()


START_BEST = "start_best"  # key in `algorithm.data`: best fitness of the initial population


class EvolvingGA(ShownParameters, GeneticAlgorithm):
    """A GeneticAlgorithm in which an `Evolution`, if `_setup` sets one, makes the generations.

    ``pop``, ``off`` and ``opt`` are Populations of pymoo, made when they are first accessed. If you
    replace their tours, or `tell` offspring of your own, the evolution restarts from them. Without
    an evolution, the class behaves like pymoo's GeneticAlgorithm.

    Ctrl-C ends the run with the best result so far.
    """

    evolution: Evolution[Any] | None = None
    constructs = True  # whether the evolution makes the initial population
    pop, off, opt = LazyAttribute(), LazyAttribute(), LazyAttribute()

    _made: LazyPopulation | None = None  # the last generation

    def next(self) -> None:
        """Make one generation; Ctrl-C ends the run, inside and outside a search."""
        try:
            if self._evolves:
                self.advance(infills=self._next_generation())
            else:
                super().next()
        except KeyboardInterrupt:
            if not self.is_initialized:
                raise
            self._set_optimum()
            self.termination.terminate()
            self.termination.update(self)
            self.finalize()

    def infill(self) -> Any:
        """Return the next generation as a Population, for the caller to evaluate and `tell`."""
        if not self._evolves:
            return super().infill()
        _ = self.pop  # reading fills the Population before its tours change
        return self._next_generation().fill()

    def advance(self, infills: Any = None, **kwargs: Any) -> Any:
        """Continue with offspring as the next generation."""
        if self.archive is not None and isinstance(infills, LazyPopulation):
            infills = infills.fill()
        return super().advance(infills=infills, **kwargs)

    def result(self) -> Any:
        """Return the result; its population is made when it is first accessed."""
        pop = vars(self)["pop"]
        if not isinstance(pop, LazyPopulation):
            return super().result()
        self.pop = None
        try:
            found = super().result()
        finally:
            self.pop = pop
        found.__class__, found.pop = LazyResult, pop
        return found

    @property
    def _evolves(self) -> bool:
        return self.evolution is not None and (self.is_initialized or self.constructs)

    def _next_generation(self) -> LazyPopulation:
        assert self.evolution is not None
        if not self.is_initialized:
            self._initialize()
        view, run, before = view_of(self.problem), AlgorithmRun(self), vars(self)["pop"]
        solved = view.for_algorithms()
        with on_clock(self):
            if isinstance(before, LazyPopulation) and not before.changed():
                population = self.evolution.next(solved, before.population, self.random_state, run)
            else:
                pop = self.pop
                given = view.check_rows(pop.get("X"), "pop") if len(pop) else None
                population = self.evolution.start(solved, self.random_state, run, given)
        self.evaluator.n_eval += len(population)
        self._made = LazyPopulation(self.problem, population, self.n_iter)
        return self._made

    def _initialize_advance(self, infills: Any = None, **kwargs: Any) -> None:
        if self._has_made(infills):
            self.pop = self._made
        else:
            super()._initialize_advance(infills=infills, **kwargs)
        self._set_optimum()
        self.data[START_BEST] = float(self.opt.get("F").min())

    def _advance(self, infills: Any = None, **kwargs: Any) -> Any:
        if self._has_made(infills):
            self.pop = self._made
            return None
        return super()._advance(infills=infills, **kwargs)

    def _has_made(self, infills: Any) -> bool:
        return self._made is not None and self._made.is_of(infills)

    def _set_optimum(self) -> None:
        pop = vars(self)["pop"]
        if isinstance(pop, LazyPopulation) and not pop.changed():
            self.opt = LazyPopulation(self.problem, pop.population, self.n_iter, best_only=True)
        else:
            super()._set_optimum()
