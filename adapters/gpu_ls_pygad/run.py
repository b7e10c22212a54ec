"""The run of a `pygad.GA`: the clock and the counts of its searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.evolution.timed_run import add_search
from gpu_ls_pygad import clock

if TYPE_CHECKING:
    from numpy.random import Generator

STATISTICS = "local_search"  # attribute of the GA with the counts of all its searches


class Interrupted(list[Any]):
    """A stop criterion that ends the run after the generation in which Ctrl-C ended a search."""


@dataclass(frozen=True)
class GaRun:
    """The run of a GA: its time limit cuts searches, and its attribute `local_search` counts them.

    Ctrl-C in a search ends the run after the generation.
    """

    ga: Any

    def __post_init__(self) -> None:
        criteria = getattr(self.ga, "stop_criteria", None)
        if criteria and isinstance(criteria[-1], Interrupted):  # from an earlier run
            self.ga.stop_criteria = criteria[:-1] or None

    def seconds_left(self) -> float:
        """Return the seconds until a search has to end."""
        return clock.seconds_left(self.ga)

    def progress(self) -> float:
        """Return the share of the run that has passed."""
        return clock.progress(self.ga)

    def account(self, statistics: Statistics) -> None:
        """Add the counts of a search to those of the run."""
        if not hasattr(self.ga, STATISTICS):
            setattr(self.ga, STATISTICS, Statistics())
        add_search(getattr(self.ga, STATISTICS), statistics)
        if statistics.interrupted:
            self.ga.stop_criteria = [*(self.ga.stop_criteria or ()), Interrupted(("time", 0.0))]


def random_state(ga: Any) -> Generator:
    """Return a generator that is seeded by a number from the GA's own generator."""
    return np.random.default_rng(int(ga.numpy_random_generator.randint(2**63 - 1, dtype=np.int64)))
