"""Limits of a search, and the clock that measures its time."""

from __future__ import annotations

import math
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gpu_ls_plugin.core import checks
from gpu_ls_plugin.core.exceptions import InvalidTypeError

if TYPE_CHECKING:
    from collections.abc import Iterator

NO_LIMIT = 2**62  # a number of kicks or moves that no search reaches


@dataclass(frozen=True)
class Budget:
    """Limits of a search, which returns the best rows so far once it reaches one of them.

    Parameters
    ----------
    seconds : float, optional
        Wall time. The clock starts when the first kernels are ready. Kernels that are needed later
        are compiled during the search, and that time counts. The search checks the clock after each
        launch, about every 50 ms.
    kicks : int, optional
        Perturbations per tour (iterated searches).
    moves : int, optional
        Applied improving moves per tour.
    target : float, optional
        The search ends once the best tour costs no more than this, which it checks after each
        launch. How good the other tours are by then depends on the machine.

    Raises
    ------
    InvalidParameterError
        A limit is negative or NaN.
    InvalidTypeError
        A limit is not a number.
    """

    seconds: float | None = None
    kicks: int | None = None
    moves: int | None = None
    target: float | None = None

    def __post_init__(self) -> None:
        checks.given_fields(self, checks.number, "seconds", least=0.0)
        checks.given_fields(self, checks.integer, "kicks", "moves", least=0)
        checks.given_fields(self, checks.number, "target")


_compiled = threading.local()


def now() -> float:
    """Return the seconds on a clock that stops while this thread waits for kernels."""
    return time.perf_counter() - compiled_seconds()


def compiled_seconds() -> float:
    """Return the seconds that this thread has spent waiting for kernels."""
    return float(getattr(_compiled, "seconds", 0.0))


@contextmanager
def compiling() -> Iterator[None]:
    """Stop the clocks of this thread's searches during a ``with`` block."""
    begin = now()
    try:
        yield
    finally:
        _compiled.seconds = time.perf_counter() - begin


class Stopwatch:
    """A clock with a budget's limits; it pauses while its thread waits for kernels.

    Parameters
    ----------
    budget : Budget or None
        The limits; None: no limits.

    Raises
    ------
    InvalidTypeError
        `budget` is neither a Budget nor None.
    """

    def __init__(self, budget: Budget | None) -> None:
        if budget is not None and not isinstance(budget, Budget):
            raise InvalidTypeError(
                f"budget: {budget!r} is not a Budget; write Budget(seconds={budget!r})"
            )
        self.budget = budget or Budget()
        self.start = now()

    @classmethod
    def of(cls, seconds: float) -> Stopwatch:
        """Return a stopwatch with a limit in seconds; negative means 0, infinite means no limit."""
        return cls(Budget(seconds=max(0.0, seconds) if seconds < math.inf else None))

    @property
    def seconds(self) -> float:
        """The limit in seconds, infinite if there is none."""
        return math.inf if self.budget.seconds is None else self.budget.seconds

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return now() - self.start

    @property
    def left(self) -> float:
        """Seconds left, infinite without a limit, 0 when time is up."""
        return max(0.0, self.ahead)

    @property
    def ahead(self) -> float:
        """Seconds until the limit, infinite without a limit, negative after it."""
        return self.seconds - self.elapsed

    def until(self, seconds: float) -> Stopwatch:
        """Return a stopwatch with the same start and a limit of `seconds` after it."""
        part = Stopwatch.of(seconds)
        part.start = self.start
        return part

    @property
    def rest(self) -> Budget:
        """The budget, reduced to the seconds that are left, for a part of this search."""
        if self.budget.seconds is None:
            return self.budget
        return replace(self.budget, seconds=self.left)
