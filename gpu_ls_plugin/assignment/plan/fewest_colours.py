"""The command line's question for the fewest colours of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.assignment.plan import colours
from gpu_ls_plugin.assignment.plan.assignment_display import ColourDisplay
from gpu_ls_plugin.assignment.plan.assignment_reports import about_fewest
from gpu_ls_plugin.runs.domain import AnotherQuestion

if TYPE_CHECKING:
    from gpu_ls_plugin.core.progress import SearchDisplay
    from gpu_ls_plugin.core.result import Callback, Result
    from gpu_ls_plugin.runs.settings import Settings


class FewestColours(AnotherQuestion):
    """How many colours a legal colouring needs."""

    refusal = "colours: islands search with so many; give a number"

    def solve(self, problem: Any, settings: Settings, callback: Callback | None) -> Result:
        """Return legal colourings with the fewest colours that are found."""
        return colours.least_colours(problem, settings, callback)

    def display(self, problem: Any, settings: Settings) -> SearchDisplay:
        """Return what shows the number of colours."""
        return ColourDisplay(problem, settings.seconds, settings.target)

    def facts(self, problem: Any, optimum: float | None) -> dict[str, Any]:
        """Return bounds of the number of colours."""
        return about_fewest(problem, optimum)
