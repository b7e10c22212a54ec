"""Plugins that observe searches are told here that one has finished."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.core import upper_layers

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Statistics


def notify(problem: Problem, search: object, statistics: Statistics) -> None:
    """Tell the observers, once for each batch that a local search has worked on."""
    upper_layers.search_finished(problem, search, statistics)
