"""Populations of pymoo that are made when they are first accessed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.evaluator import Evaluator
from pymoo.core.population import Population
from pymoo.core.result import Result

import gpu_ls_pymoo.individuals as individuals
from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_pymoo.problems import view_of

if TYPE_CHECKING:
    from gpu_ls_plugin.evolution.generations import evolution
    from gpu_ls_pymoo.view import Chosen


class LazyPopulation:
    """Makes a pymoo Population of different tours, the cheapest first, on the first `fill`.

    Parameters
    ----------
    problem : pymoo problem
        A problem that has a `View`.
    population : Population of `gpu_ls_plugin.evolution`
        The tours. Call `fill` before they change if the old ones are still needed.
    generation : int
        The number of the generation, which the individuals get.
    best_only : bool
        Whether to make only the cheapest tour.
    """

    def __init__(
        self, problem: Any, population: evolution.Bred, generation: int, *, best_only: bool = False
    ) -> None:
        self.population = population
        self._problem, self._generation, self._best_only = problem, generation, best_only
        self._filled: Any = None
        self._rows: Any = None  # X of `_filled` when it was made

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
        return view_of(self._problem).different(tours, costs)

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
