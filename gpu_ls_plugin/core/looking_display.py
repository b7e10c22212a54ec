"""Live display that looks at the best solutions of a search, not at their costs alone."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from gpu_ls_plugin.core.progress import SearchDisplay

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.console import Console

    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Progress

LEAST_BETWEEN = 0.25  # seconds between two looks at the rows ...
SHARE = 0.02  # ... which may take so much of the time

Given = TypeVar("Given", bound="Problem")
Seen = TypeVar("Seen")


class LookingDisplay(SearchDisplay, ABC, Generic[Given, Seen]):
    """Shows what is seen of the rows now and then."""

    def __init__(self, problem: Given, seconds: float, console: Console | None = None) -> None:
        super().__init__(problem.name, seconds, problem.optimum, console)
        self.problem = problem
        self._looked: Seen | None = None
        self._next_look = 0.0

    def __call__(self, progress: Progress) -> None:
        """Take the state of the search; rows are looked at now and then."""
        begin = time.monotonic()
        if progress.best_tours is not None and begin >= self._next_look:
            self._looked = self._look(progress.best_tours())
            end = time.monotonic()
            self._next_look = end + max(LEAST_BETWEEN, (end - begin) / SHARE)
        super().__call__(progress)

    @abstractmethod
    def _look(self, rows: NDArray[Any]) -> Seen:
        """Return what is seen of the best rows."""
