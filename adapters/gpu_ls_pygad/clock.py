"""The clock of a run of PyGAD, and the time that PyGAD takes between two searches."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from gpu_ls_plugin.core import budget

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Pace:
    """Seconds that PyGAD takes between two calls of our mutation."""

    own: float = 0.0  # for fitness, selection and crossover
    generation: int = -1  # of the last call of a mutation
    ended: float = 0.0  # end of that call on the clock of `budget.now`
    compiled: float | None = None  # seconds compiled before the running operator; None if none runs

    @property
    def compiling(self) -> float:
        """Seconds that the running operator has compiled."""
        return 0.0 if self.compiled is None else budget.compiled_seconds() - self.compiled


_paces: WeakKeyDictionary[Any, Pace] = WeakKeyDictionary()


def time_limit(ga: Any) -> float:
    """Return the least limit of ``stop_criteria="time_..."`` in seconds, or infinity."""
    criteria = getattr(ga, "stop_criteria", None) or ()
    return min((float(c[1]) for c in criteria if c[0] == "time"), default=math.inf)


def seconds_left(ga: Any) -> float:
    """Return the seconds until a search has to end: infinite without a limit, 0 at the end.

    PyGAD checks its limit after each generation, so some time is left for the rest of a generation.
    """
    limit, begin = time_limit(ga), getattr(ga, "run_start_time", None)
    if begin is None or math.isinf(limit):
        return math.inf
    pace = _paces.get(ga, Pace())
    return max(0.0, float(begin) + limit + pace.compiling - pace.own - time.monotonic())


def progress(ga: Any) -> float:
    """Return the share of a run that has passed, by time or by generations."""
    limit, begin = time_limit(ga), getattr(ga, "run_start_time", None)
    share = float(ga.generations_completed / max(1, ga.num_generations))
    if begin is not None and 0 < limit < math.inf:
        share = max(share, (time.monotonic() - begin) / limit)
    return min(1.0, share)


@contextmanager
def uncounted_compiling(ga: Any) -> Iterator[None]:
    """Run an operator; move the start of the run by the seconds that it compiles."""
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
    """Run a mutation, and measure how long PyGAD takes between two of them."""
    pace = _paces.setdefault(ga, Pace())
    if pace.generation == ga.generations_completed - 1 and pace.generation >= 0:
        pace.own = budget.now() - pace.ended
    elif getattr(ga, "run_start_time", None) is not None:  # the first mutation of a run
        pace.own = time.monotonic() - ga.run_start_time
    with uncounted_compiling(ga):
        yield
    pace.generation, pace.ended = ga.generations_completed, budget.now()
