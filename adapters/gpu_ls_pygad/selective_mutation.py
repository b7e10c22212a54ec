"""A base class of mutations that draw solutions at random and mutate them in one batch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.evolution.shown_parameters import ShownParameters
from gpu_ls_pygad.run import GaRun, on_clock, random_state

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray


class SelectiveMutation(ShownParameters, ABC):
    """A mutation for ``mutation_type`` of `pygad.GA`.

    It draws each solution with probability `prob`, and then mutates the drawn solutions.
    """

    def __init__(self, prob: float) -> None:
        self.prob = checks.number("prob", prob, least=0, most=1)

    def __call__(self, offspring: NDArray[Any], ga_instance: Any) -> NDArray[Any]:
        """Return mutated copies of the offspring (P, n), with the same dtype."""
        run, state = GaRun(ga_instance), random_state(ga_instance)
        drawn = state.random(len(offspring)) < self.prob
        made = offspring.copy()
        if drawn.any():
            with on_clock(ga_instance):
                made[drawn] = self._mutated(offspring[drawn], offspring[~drawn], state, run)
        return made

    @abstractmethod
    def _mutated(
        self, rows: NDArray[Any], others: NDArray[Any], state: Generator, run: GaRun
    ) -> NDArray[Any]:
        """Return new rows for the drawn rows; `others` are the rows that are not drawn."""
