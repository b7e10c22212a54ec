"""Memetic mating: children of a generation are searched in one batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.mating import Mating
from pymoo.operators.crossover.ux import UniformCrossover
from pymoo.operators.mutation.nom import NoMutation
from pymoo.operators.selection.rnd import RandomSelection

import gpu_ls_pymoo
import gpu_ls_pymoo.individuals as individuals
from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import (
    InvalidParameterError,
    InvalidTypeError,
    UnsupportedProblemError,
)
from gpu_ls_plugin.core.problem import Problem
from gpu_ls_plugin.evolution.batches.distinct import DistinctSearch
from gpu_ls_plugin.evolution.batches.improver import Improver
from gpu_ls_plugin.evolution.batches.kick import Kick
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_plugin.runs.domain import domain_of
from gpu_ls_pymoo.crossover import OrderCrossover, SegmentCrossover
from gpu_ls_pymoo.mutation import DoubleBridgeMutation, PerturbationMutation
from gpu_ls_pymoo.problems import canonical_tours, view_of
from gpu_ls_pymoo.search import improve_distinct, known_tours

if TYPE_CHECKING:
    from collections.abc import Callable


class MemeticMating(ShownParameters, Mating):
    """Select, cross, mutate, and search all children of a generation in one batch.

    Children whose tours are already known are kicked before the search, because known tours are
    usually local optima, which the search would return unchanged. If the search returns a known
    tour, a kicked tour replaces it, but is not searched, so that one batch per generation suffices.
    If kicks find no new tour, as on tiny problems, nothing is searched and one known tour is
    returned, since an empty generation would end the run.

    Use it as ``GA(mating=MemeticMating())`` or through `MemeticGA`. It eliminates duplicates
    itself, in canonical form.

    Parameters
    ----------
    search : callable or str, optional
        As in `LocalSearchMutation`; None: `default_search`.
    selection, crossover, mutation : pymoo operators, optional
        By default `RandomSelection()`, `SegmentCrossover()` and ``DoubleBridgeMutation(prob=0.5)``;
        for sequences, `OrderCrossover()` and ``PerturbationMutation(prob=0.5)``. (Tournaments are
        better only during the first thirty generations or so; after that, survival selects strongly
        enough.)
    backend, moves, kicks
        As in `LocalSearchMutation`.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        As in `LocalSearchMutation`.
    """

    def __init__(
        self,
        search: Callable[..., Any] | str | None = None,
        selection: Any = None,
        crossover: Any = None,
        mutation: Any = None,
        backend: str = "auto",
        moves: int | None = None,
        kicks: int | None = None,
    ) -> None:
        super().__init__(
            selection or RandomSelection(),
            crossover or SegmentCrossover(backend=backend),
            mutation or DoubleBridgeMutation(prob=0.5, backend=backend),
        )
        self._usual = {"crossover": crossover is None, "mutation": mutation is None}
        self.search = DistinctSearch(Improver(search, backend, moves, kicks), Kick(backend=backend))

    def prepare(self, problem: Any, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        self._suit(problem)
        for operator in (self.crossover, self.mutation):
            if hasattr(operator, "prepare"):
                operator.prepare(problem, size)
        view = view_of(problem)
        self.search.prepare(view.for_compiling(size, gpu_ls_pymoo.PositionWeights()), size)

    def do(
        self,
        problem: Any,
        pop: Any,
        n_offsprings: int,
        random_state: Any = None,
        algorithm: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Return up to `n_offsprings` new tours with their fitness, at least one.

        Parameters
        ----------
        problem : pymoo problem
        pop : Population
            At least one parent; not changed.
        n_offsprings : int
            Number of children, at least 1.
        random_state : numpy.random.Generator, optional
            By default, a generator with a random seed.
        algorithm : pymoo algorithm, optional
            Its time limit ends the search early.

        Returns
        -------
        Population

        Raises
        ------
        InvalidParameterError, InvalidTypeError
            There is no parent, or `n_offsprings` is not a positive integer.
        InvalidTourError
            A parent or child is not a tour.
        """
        checks.integer("n_offsprings", n_offsprings, least=1)
        if not len(pop):
            raise InvalidParameterError("pop: no parents; start with at least one tour")
        self._suit(problem)
        random_state = np.random.default_rng(random_state)
        off = self._do(
            problem, pop, n_offsprings, random_state=random_state, algorithm=algorithm, **kwargs
        )[:n_offsprings]
        rows, known = canonical_tours(problem, off.get("X")), known_tours(problem, pop)
        tours, values, new = improve_distinct(
            self.search, problem, rows, known, random_state, algorithm
        )
        if values is not None:
            individuals.count(algorithm, len(tours))
        if not new.any():
            new[0] = True
        off = off[new]
        individuals.write(off, tours[new], None if values is None else values[new])
        return off

    def _suit(self, problem: Any) -> None:
        """Replace the default operators if rows are not tours."""
        try:
            found = view_of(problem).writer()
        except (InvalidTypeError, UnsupportedProblemError):
            return  # the operators or the search raise the error
        if not isinstance(found, Problem) or found.tsp is not None:
            return
        permutations = domain_of(found).permutations
        backend = self.search.improver.backend
        if self._usual["crossover"]:
            self.crossover = OrderCrossover(backend=backend) if permutations else UniformCrossover()
        if self._usual["mutation"]:
            kick = PerturbationMutation(prob=0.5, backend=backend)
            self.mutation = kick if permutations else NoMutation()
