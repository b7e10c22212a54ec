"""A run of `pygad.GA` as searches see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.evolution.timed_run import add_search
from gpu_ls_pygad import clock

STATISTICS = "local_search"  # attribute of the GA that has the counts of all its searches


class Interrupted(list[Any]):
    """The criterion that ends a run after the generation in which Ctrl-C ended a search."""


@dataclass(frozen=True)
class GaRun:
    """The run of a GA: its time limit cuts a search, its attribute `local_search` gets the counts.

    Ctrl-C inside a search ends the run after this generation.
    """

    ga: Any

    def __post_init__(self) -> None:
        criteria = getattr(self.ga, "stop_criteria", None)
        if criteria and isinstance(criteria[-1], Interrupted):  # this is a new run
            self.ga.stop_criteria = criteria[:-1] or None

    def seconds_left(self) -> float:
        """Return the seconds until the time limit of the run."""
        return clock.seconds_left(self.ga)

    def progress(self) -> float:
        """Return the share of the run that is over."""
        return clock.progress(self.ga)

    def account(self, statistics: Statistics) -> None:
        """Add to the counts of the run."""
        if not hasattr(self.ga, STATISTICS):
            setattr(self.ga, STATISTICS, Statistics())
        add_search(getattr(self.ga, STATISTICS), statistics)
        if statistics.interrupted:
            self.ga.stop_criteria = [*(self.ga.stop_criteria or ()), Interrupted(("time", 0.0))]


def random_state(ga: Any) -> np.random.Generator:
    """Return a generator of random numbers, for which one number is drawn from the GA's own."""
    return np.random.default_rng(int(ga.numpy_random_generator.randint(2**63 - 1, dtype=np.int64)))
