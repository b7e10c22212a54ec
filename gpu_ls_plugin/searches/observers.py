"""Who is told that a search has finished."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.problems.problem import Problem
    from gpu_ls_plugin.result import Statistics

# The plugin manager, which lies above the searches, hangs itself in here.
listener: Callable[[Problem, object, Statistics], None] | None = None


def notify(problem: Problem, search: object, statistics: Statistics) -> None:
    """Tell the listener, once for each batch that a local search has worked on."""
    if listener is not None:
        listener(problem, search, statistics)
