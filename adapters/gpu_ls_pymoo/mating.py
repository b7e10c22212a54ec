"""Memetic mating: parents in, one batch of searched children out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.mating import Mating
from pymoo.operators.selection.rnd import RandomSelection

import gpu_ls_pymoo.individuals as individuals
from gpu_ls_pymoo.crossover import SegmentCrossover
from gpu_ls_pymoo.kick import Kick
from gpu_ls_pymoo.mutation import DoubleBridgeMutation
from gpu_ls_pymoo.problems import as_tsp, fitness
from gpu_ls_pymoo.search import Improver
from gpu_ls_pymoo.tours import as_tours, canonical, keys, unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from gpu_ls_pymoo.problems import Fitness
    from gpu_ls_pymoo.tours import Tours

_TRIES = 4  # rounds of kicks before duplicates are given up


class MemeticMating(Mating):
    """Select, cross, mutate, and search all children of a generation in one batch.

    Children that are known tours before the search are kicked first, since the search would only
    return them. Those that are known after it are replaced by kicked, unsearched tours: there is
    never a second launch, and never an empty generation, which would end the run. Where not even
    kicks find a new tour (tiny problems), a child that is no news is returned.

    Use it as ``GA(mating=MemeticMating())`` or through `MemeticGA`. It takes care of duplicates
    itself, in canonical form.

    Parameters
    ----------
    search : callable or str, optional
        A search of gpu_ls_plugin, or a text for one such as "two_opt+or_opt/quadrant(10)";
        `default_search` if None.
    selection, crossover, mutation : pymoo operators, optional
        By default `RandomSelection()` (survival alone presses hard enough: a tournament is
        ahead for thirty generations and behind ever after), `SegmentCrossover()` and
        ``DoubleBridgeMutation(prob=0.5)``.
    backend : str
        "auto", "cpu" or "cuda".
    moves : int, optional
        Applied improving moves per tour and call; None: to the local optimum.
    kicks : int, optional
        Kicks per tour and call of an `IteratedLocalSearch`; None: its `kicks_per_city`
        where `moves` does not limit it.

    Raises
    ------
    InvalidTypeError, InvalidParameterError, UnknownPartError
        `search` is neither a search nor a text for one, or a limit is no non-negative integer.
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
            crossover or SegmentCrossover(),
            mutation or DoubleBridgeMutation(prob=0.5, backend=backend),
        )
        self.improver = Improver(search, backend, moves, kicks)
        self.kick = Kick(backend=backend)

    def prepare(self, problem: Any, size: int = 1) -> None:
        """Compile for batches of `size` ahead of a timed run."""
        for part in (self.crossover, self.mutation, self.kick, self.improver):
            if hasattr(part, "prepare"):
                part.prepare(problem, size)

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
            The parents; not changed.
        n_offsprings : int
            Size of the batch.
        random_state : numpy.random.Generator, optional
        algorithm : pymoo algorithm, optional
            Its time limit cuts the search.

        Returns
        -------
        Population
        """
        random_state = np.random.default_rng(random_state)
        known = set(keys(self._canonical(problem, pop.get("X"))))
        off = self._do(
            problem, pop, n_offsprings, random_state=random_state, algorithm=algorithm, **kwargs
        )[:n_offsprings]
        tours = self._canonical(problem, off.get("X"))
        stale = ~unknown(tours, known)
        if stale.any():
            tours[stale] = self.kick(problem, tours[stale], random_state)
        tours, values = self.improver(problem, tours, random_state, algorithm)
        if values is not None:
            individuals.count(algorithm, len(tours))
        fresh = unknown(tours, known)
        if not fresh.all():
            fresh = self._fill_up(problem, tours, values, known, fresh, random_state)
        off = off[fresh]
        individuals.write(off, tours[fresh], None if values is None else values[fresh])
        return off

    def _fill_up(
        self,
        problem: Any,
        tours: Tours,
        values: Fitness | None,
        known: set[bytes],
        fresh: NDArray[np.bool_],
        random_state: np.random.Generator,
    ) -> NDArray[np.bool_]:
        """Replace rows that are not fresh by kicked ones (in place); return which rows to use."""
        known = known.union(keys(tours[fresh]))
        usable = fresh.copy()
        for _ in range(_TRIES):
            rows = np.flatnonzero(~usable)
            kicked = self._canonical(problem, self.kick(problem, tours[rows], random_state))
            new = unknown(kicked, known)
            tours[rows[new]] = kicked[new]
            usable[rows[new]] = True
            known.update(keys(kicked[new]))
            if usable.all():
                break
        filled = usable & ~fresh
        if values is not None and filled.any():
            values[filled] = fitness(problem, tours[filled])
        if not usable.any():
            usable[0] = True
        return usable

    def _canonical(self, problem: Any, rows: Any) -> Tours:
        return canonical(as_tours(rows), symmetric=as_tsp(problem).symmetric)
