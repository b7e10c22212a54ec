"""Default settings of assignment problems: one population of states."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gpu_ls_plugin.assignment.engines.successor_search import SuccessorSearch
from gpu_ls_plugin.core.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from gpu_ls_plugin.assignment.problem.assignment import Assignment
    from gpu_ls_plugin.runs.request import Request
    from gpu_ls_plugin.runs.settings import Settings


def settings_of_states(problem: Assignment, request: Request) -> Settings:
    """Return complete settings: a `SuccessorSearch` of a few states for each processor.

    `start` stays None, since states begin empty.
    """
    given = request.given
    if getattr(given.search, "of_tours", False):
        raise InvalidParameterError(
            f"search: {given.search!r:.200} searches tours; states of assignment problems are "
            "searched by SuccessorSearch(...), the default"
        )
    if given.start is not None:
        raise InvalidParameterError(
            f"start: {given.start!r} makes tours; states of assignment problems begin empty, so "
            "leave it out"
        )
    chosen = SuccessorSearch() if given.search is None else given.search
    usual = chosen if hasattr(chosen, "states") else SuccessorSearch()
    population = given.population or usual.states(problem, request.backend)
    return replace(given, search=chosen, population=population)
