"""Populations of pymoo that are filled when somebody looks at them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.evaluator import Evaluator
from pymoo.core.population import Population
from pymoo.core.result import Result

import gpu_ls_pymoo.individuals as individuals
from gpu_ls_plugin.backends.arrays import on_host
from gpu_ls_pymoo.domains import view_of

if TYPE_CHECKING:
    from gpu_ls_plugin.evolution.generations import evolution
    from gpu_ls_pymoo.view import Chosen


class LazyPopulation:
    """Stands for a pymoo Population of different tours, the cheapest first, and becomes it once.

    Parameters
    ----------
    problem : pymoo problem
        Of tours, an `AssignmentProblem`, `CVRPProblem`, or one whose `fitness` is known.
    population : Population of `gpu_ls_plugin.evolution`
        Where the tours are. Who changes it has to fill before what is to be kept.
    generation : int
        Which the individuals are told.
    best_only : bool
        Whether the cheapest tour is all that is wanted.
    """

    def __init__(
        self,
        problem: Any,
        population: evolution.Bred,
        generation: int,
        *,
        best_only: bool = False,
    ) -> None:
        self.population = population
        self._problem, self._generation, self._best_only = problem, generation, best_only
        self._filled: Any = None
        self._rows: Any = None  # of it, as they were

    def fill(self) -> Any:
        """Return the Population, always the same one."""
        if self._filled is None:
            found, view = self._chosen(), view_of(self._problem)
            self._rows = found.rows
            self._filled = Population.empty(len(self._rows))
            values = view.fitness(self._rows, found.costs)
            individuals.write(self._filled, self._rows, values)
            if values is None:  # it has constraints, which only the problem can tell
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
        """Return whether somebody has put other tours into the Population."""
        if self._filled is None:
            return False
        return not np.array_equal(self._filled.get("X"), self._rows)

    def is_of(self, pop: Any) -> bool:
        """Return whether `pop` stands for the same tours: it is this, or what this has become."""
        return pop is self or (pop is not None and pop is self._filled and not self.changed())


class LazyAttribute:
    """Attribute that holds a Population, or one that is filled when somebody looks."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, holder: Any, owner: type | None = None) -> Any:
        if holder is None:
            return self
        value = self.unlooked(holder)
        return value.fill() if isinstance(value, LazyPopulation) else value

    def __set__(self, holder: Any, value: Any) -> None:
        vars(holder)[self._name] = value

    def unlooked(self, holder: Any) -> Any:
        """Return the value as it is."""
        return vars(holder).get(self._name)


class LazyResult(Result):
    """pymoo's result of a run whose population nobody has looked at yet."""

    pop = LazyAttribute()
