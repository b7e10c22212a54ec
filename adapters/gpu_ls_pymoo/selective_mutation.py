"""A base class of mutations that draw individuals at random and mutate them in one batch."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.mutation import Mutation

import gpu_ls_pymoo.individuals as individuals
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_pymoo.parameters import probability

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from gpu_ls_pymoo.view import Fitness


class SelectiveMutation(ShownParameters, Mutation):
    """A mutation that draws all individuals to mutate before it changes any of them."""

    def __init__(self, prob: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.prob = probability(prob)

    def do(
        self,
        problem: Any,
        pop: Any,
        inplace: bool = True,
        *args: Any,
        random_state: Any = None,
        algorithm: Any = None,
        seed: int | None = None,
        **kwargs: Any,
    ) -> Any:
        """Mutate each individual with probability `prob`.

        Parameters
        ----------
        problem : pymoo problem
        pop : Population
            Changed, unless `inplace` is False.
        random_state : numpy.random.Generator, optional
            By default, a generator is made from `seed`.
        algorithm : pymoo algorithm, optional
            The running algorithm.

        Returns
        -------
        Population
        """
        random_state = np.random.default_rng(seed if random_state is None else random_state)
        if not inplace:
            pop = deepcopy(pop)
        drawn = self._drawn(len(pop), random_state, algorithm)
        chosen, others = pop[drawn], pop[~drawn]
        if len(chosen):
            rows, values = self._mutate(problem, chosen, others, random_state, algorithm)
            individuals.write(chosen, rows, values)
        return pop

    def _drawn(self, size: int, random_state: Generator, algorithm: Any) -> NDArray[np.bool_]:
        """Return which individuals are mutated, bool (size,)."""
        drawn: NDArray[np.bool_] = random_state.random(size) < self.prob.get()
        return drawn

    def _mutate(
        self, problem: Any, chosen: Any, others: Any, random_state: Generator, algorithm: Any
    ) -> tuple[NDArray[Any], Fitness | None]:
        """Return new rows for the chosen individuals, and their fitness if it is known."""
        raise NotImplementedError
