"""The clock of a run of PyGAD: when it ends, and what PyGAD itself does between two searches."""

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
    """Seconds of a generation that are not spent in our mutation: fitness, selection, crossover."""

    own: float = 0.0
    generation: int = -1  # the last one in which a mutation was called
    ended: float = 0.0  # when that call ended, on the clock of `budget.now`
    compiled: float | None = None  # seconds compiled before the operator that is at work

    @property
    def compiling(self) -> float:
        """Seconds that the operator that is at work has compiled."""
        return 0.0 if self.compiled is None else budget.compiled_seconds() - self.compiled


_paces: WeakKeyDictionary[Any, Pace] = WeakKeyDictionary()


def time_limit(ga: Any) -> float:
    """Return the seconds of ``stop_criteria="time_..."``, the least of several; else infinity."""
    criteria = getattr(ga, "stop_criteria", None) or ()
    return min((float(c[1]) for c in criteria if c[0] == "time"), default=math.inf)


def seconds_left(ga: Any) -> float:
    """Return the seconds until a search is to end: infinite without a limit, 0 at the end.

    PyGAD looks at the clock after a generation, so that the search leaves time for what PyGAD does
    until then.
    """
    limit, begin = time_limit(ga), getattr(ga, "run_start_time", None)
    if begin is None or math.isinf(limit):
        return math.inf
    pace = _paces.get(ga, Pace())
    return max(0.0, float(begin) + limit + pace.compiling - pace.own - time.monotonic())


def progress(ga: Any) -> float:
    """Return the share of a run that is over: of its time, or of its generations."""
    limit, begin = time_limit(ga), getattr(ga, "run_start_time", None)
    share = float(ga.generations_completed / max(1, ga.num_generations))
    if begin is not None and 0 < limit < math.inf:
        share = max(share, (time.monotonic() - begin) / limit)
    return min(1.0, share)


@contextmanager
def uncounted_compiling(ga: Any) -> Iterator[None]:
    """Do an operator's work, and move the start of the run by what it compiles."""
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
    """Do the work of a mutation, and learn how long PyGAD takes between two of them."""
    pace = _paces.setdefault(ga, Pace())
    if pace.generation == ga.generations_completed - 1 and pace.generation >= 0:
        pace.own = budget.now() - pace.ended
    elif getattr(ga, "run_start_time", None) is not None:  # the first one of a run
        pace.own = time.monotonic() - ga.run_start_time
    with uncounted_compiling(ga):
        yield
    pace.generation, pace.ended = ga.generations_completed, budget.now()
