"""Tells plugins that a search is finished."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.core import upper_layers

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Statistics


def notify(problem: Problem, search: object, statistics: Statistics) -> None:
    """Call the plugins that observe searches, once for each batch."""
    upper_layers.search_finished(problem, search, statistics)
