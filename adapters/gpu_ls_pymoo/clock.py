"""The clock of a run of pymoo, and the time that pymoo itself takes in a generation."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from pymoo.core.duplicate import DefaultDuplicateElimination
from pymoo.core.termination import TerminateIfAll
from pymoo.termination.max_time import TimeBasedTermination
from pymoo.util.misc import cdist

from gpu_ls_plugin.core import budget

if TYPE_CHECKING:
    from collections.abc import Iterator

_LATE = 0.08  # seconds; a generation whose search ends early may still exceed the limit by this
_SPARE = 0.15  # seconds; a generation begins even if it is expected to exceed the limit by this
_SAMPLE = 50  # number of rows in the timed comparison


@dataclass
class Pace:
    """Seconds that pymoo takes in a generation, before and after this package's operators.

    `before` is mostly crossover; `after` is the search for duplicates (by default among all
    pairs of rows), evaluation and survival. Both may take longer than a search if a generation has
    thousands of tours.
    """

    before: float = 0.0
    after: float = 0.0
    generation: int | None = None  # generation of the last operator call
    ended: float | None = None  # end of that call
    compiled: float | None = None  # seconds compiled before the running operator, if one runs

    @property
    def compiling(self) -> float:
        """Seconds that the running operator has spent compiling."""
        return 0.0 if self.compiled is None else budget.compiled_seconds() - self.compiled


_paces: WeakKeyDictionary[Any, Pace] = WeakKeyDictionary()


def seconds_left(algorithm: Any) -> float:
    """Return how many seconds a search may take: infinite without a time limit, 0 at the end.

    Searches end at the algorithm's time limit, or earlier if pymoo takes long after a search. If
    the algorithm has to end for another reason, no time is left.
    """
    termination = getattr(algorithm, "termination", None)
    if termination is None:
        return math.inf
    if getattr(termination, "force_termination", False):
        return 0.0
    limit = _limit(termination)
    if limit is None:
        return math.inf
    if algorithm.start_time is None:
        return float(limit.max_time)
    kept = max(0.0, _after(algorithm) - _LATE)
    compiling = _paces.get(algorithm, Pace()).compiling
    return max(0.0, _end(algorithm, limit) + compiling - kept - time.time())


def time_limit(termination: Any) -> float:
    """Return how many seconds a run may take: infinite without a time limit."""
    limit = _limit(termination)
    return math.inf if limit is None else float(limit.max_time)


def progress(algorithm: Any) -> float:
    """Return the share of a run that has passed, 0 to 1, by time or another limit (the larger)."""
    termination = getattr(algorithm, "termination", None)
    share = float(getattr(termination, "perc", 0.0))
    limit = _limit(termination)
    if limit is not None and limit.max_time > 0 and algorithm.start_time is not None:
        share = max(share, 1 - (_end(algorithm, limit) - time.time()) / limit.max_time)
    return min(1.0, max(0.0, share))


@contextmanager
def on_clock(algorithm: Any) -> Iterator[None]:
    """Run an operator so that the run keeps its time limit.

    pymoo checks the limit between generations only. If the next generation would exceed the limit
    even without a search, this generation becomes the last one. The start of the run is moved by
    the seconds spent compiling, so that they do not count.
    """
    limit = _limit(getattr(algorithm, "termination", None))
    if limit is None or algorithm.start_time is None:
        yield
        return
    pace = _paces.setdefault(algorithm, Pace())
    _measure(pace, algorithm, limit)
    pace.compiled = budget.compiled_seconds()
    yield
    algorithm.start_time += pace.compiling
    pace.compiled = None
    pace.ended = time.time()
    if pace.ended + 2 * pace.after + pace.before > _end(algorithm, limit) + _SPARE:
        algorithm.termination.terminate()


def expect_comparison(algorithm: Any, rows: int, columns: int) -> None:
    """Reserve time for pymoo's comparison of all pairs of rows of an initial population."""
    holder = getattr(algorithm, "initialization", None)
    if isinstance(getattr(holder, "eliminate_duplicates", None), DefaultDuplicateElimination):
        some = np.zeros((min(rows, _SAMPLE), columns))
        begin = time.perf_counter()
        cdist(some, some)
        seconds = (time.perf_counter() - begin) * (rows / len(some)) ** 2
        _paces.setdefault(algorithm, Pace()).after = seconds


def _measure(pace: Pace, algorithm: Any, limit: TimeBasedTermination) -> None:
    """Measure `before` and `after` at the first call in a generation."""
    if pace.generation == algorithm.n_gen:
        return
    pace.generation = algorithm.n_gen
    begin = algorithm.start_time + limit.perc * limit.max_time  # pymoo's last check of the limit
    pace.before = time.time() - begin
    if pace.ended is not None:
        pace.after = begin - pace.ended
    elif algorithm.n_gen == 2:  # pymoo made the initial population
        pace.after = begin - algorithm.start_time


def _after(algorithm: Any) -> float:
    """Return how many seconds to reserve for pymoo after a search."""
    pace = _paces.get(algorithm)
    if pace is None:
        return 0.0
    # Children are also compared with the population, so this takes twice as long as at the start.
    return 2 * pace.after if algorithm.n_gen == 2 else pace.after


def _end(algorithm: Any, limit: TimeBasedTermination) -> float:
    return float(algorithm.start_time) + float(limit.max_time)


def _limit(termination: Any) -> TimeBasedTermination | None:
    """Return the time limit that ends a run, if there is one.

    Of several limits in a collection, the shortest counts, or the longest if all must be met.
    """
    if isinstance(termination, TimeBasedTermination):
        return termination
    members = [
        *getattr(termination, "terminations", ()),  # of a TerminationCollection
        *getattr(termination, "criteria", ()),
    ]
    limits = [_limit(member) for member in members]
    found = [limit for limit in limits if limit is not None]
    if not isinstance(termination, TerminateIfAll):
        return min(found, key=lambda limit: limit.max_time, default=None)
    if len(found) < len(limits):
        return None
    return max(found, key=lambda limit: limit.max_time, default=None)
