"""File kinds of vehicle routing problems, recognised by their content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.routes.problem.cvrp import CVRP
from gpu_ls_plugin.runs.domain import MAYBE, NO, SURE, FileKind
from gpu_ls_plugin.tours.problem.tsplib import has_demands, sections_of, type_of

if TYPE_CHECKING:
    from gpu_ls_plugin.runs.domain import Content


def fits_cvrplib(content: Content) -> int:
    """Return how well a file fits CVRPLIB: by its TYPE, or by demands or a capacity."""
    sections = sections_of(content)
    if sections is None:
        return NO
    if kind := type_of(sections):
        return SURE if "VRP" in kind else NO
    if has_demands(sections):
        return SURE
    return MAYBE if sections.lines else NO


KINDS = (
    FileKind(
        "cvrp",
        "vehicle routing problem",
        CVRP.read,
        fits_cvrplib,
        (".vrp", ".cvrp"),
        ("vehicles", "rounding"),
    ),
)
