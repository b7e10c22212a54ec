"""The run of a `pygad.GA`: the clock and the counts of its searches."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from gpu_ls_plugin.core import budget
from gpu_ls_plugin.core.result import Statistics
from gpu_ls_plugin.evolution.timed_run import add_search

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator


STATISTICS = "local_search"  # attribute of the GA with the counts of all its searches


@dataclass
class Pace:
    """Timing of a GA: how long PyGAD takes between two calls of this package's mutation."""

    own: float = 0.0  # seconds that PyGAD spends on fitness, selection and crossover
    generation: int = -1  # generation of the last mutation call
    ended: float = 0.0  # end of that call on the clock of `budget.now`
    compiled: float | None = None  # seconds compiled before the running operator, if one runs

    @property
    def compiling(self) -> float:
        """Seconds that the running operator has spent compiling."""
        return 0.0 if self.compiled is None else budget.compiled_seconds() - self.compiled


_paces: WeakKeyDictionary[Any, Pace] = WeakKeyDictionary()


def time_limit(ga: Any) -> float:
    """Return the shortest limit of ``stop_criteria="time_..."`` in seconds, or infinity."""
    criteria = getattr(ga, "stop_criteria", None) or ()
    return min((float(c[1]) for c in criteria if c[0] == "time"), default=math.inf)


@contextmanager
def uncounted_compiling(ga: Any) -> Iterator[None]:
    """Run an operator, and move the start of the run by the time that it spends compiling."""
    pace = _paces.setdefault(ga, Pace())
    pace.compiled = budget.compiled_seconds()
    try:
        yield
    finally:
        if getattr(ga, "run_start_time", None) is not None:
            ga.run_start_time += pace.compiling
        pace.compiled = None


@contextmanager
def on_clock(ga: Any) -> Iterator[None]:
    """Run a mutation, and measure how long PyGAD takes between two mutations."""
    pace = _paces.setdefault(ga, Pace())
    if pace.generation == ga.generations_completed - 1 and pace.generation >= 0:
        pace.own = budget.now() - pace.ended
    elif getattr(ga, "run_start_time", None) is not None:  # the first mutation of a run
        pace.own = time.monotonic() - ga.run_start_time
    with uncounted_compiling(ga):
        yield
    pace.generation, pace.ended = ga.generations_completed, budget.now()


class Interrupted(list[Any]):
    """A stop criterion that ends the run after the generation in which Ctrl-C ended a search."""


@dataclass(frozen=True)
class GaRun:
    """The run of a GA: it limits the time of searches, and sums their counts in `ga.local_search`.

    Ctrl-C in a search ends the run after the current generation.
    """

    ga: Any

    def __post_init__(self) -> None:
        criteria = getattr(self.ga, "stop_criteria", None)
        if criteria and isinstance(criteria[-1], Interrupted):  # from an earlier run
            self.ga.stop_criteria = criteria[:-1] or None

    def seconds_left(self) -> float:
        """Return how many seconds a search may take: infinite without a limit, 0 at the end.

        PyGAD checks its limit after each generation, so time is reserved for the rest of the
        generation.
        """
        limit, begin = time_limit(self.ga), getattr(self.ga, "run_start_time", None)
        if begin is None or math.isinf(limit):
            return math.inf
        pace = _paces.get(self.ga, Pace())
        return max(0.0, float(begin) + limit + pace.compiling - pace.own - time.monotonic())

    def progress(self) -> float:
        """Return the larger of the shares of time and of generations that have passed."""
        limit, begin = time_limit(self.ga), getattr(self.ga, "run_start_time", None)
        share = float(self.ga.generations_completed / max(1, self.ga.num_generations))
        if begin is not None and 0 < limit < math.inf:
            share = max(share, (time.monotonic() - begin) / limit)
        return min(1.0, share)

    def account(self, statistics: Statistics) -> None:
        """Add the counts of a search to those of the run."""
        if not hasattr(self.ga, STATISTICS):
            setattr(self.ga, STATISTICS, Statistics())
        add_search(getattr(self.ga, STATISTICS), statistics)
        if statistics.interrupted:
            self.ga.stop_criteria = [*(self.ga.stop_criteria or ()), Interrupted(("time", 0.0))]


def random_state(ga: Any) -> Generator:
    """Return a generator that is seeded with a number from the GA's own generator."""
    return np.random.default_rng(int(ga.numpy_random_generator.randint(2**63 - 1, dtype=np.int64)))
