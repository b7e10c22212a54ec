"""Recognition of files of TSPLIB's form by their content."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from gpu_ls_plugin.core.exceptions import FileFormatError
from gpu_ls_plugin.runs.domain import MAYBE, NO, SURE
from gpu_ls_plugin.tours.problem.tsplib import Sections, read_sections

if TYPE_CHECKING:
    from gpu_ls_plugin.runs.domain import Content


def fits_tours(content: Content) -> int:
    """Return how well a file fits a problem of tours: those of routes have demands, or say so."""
    sections = sections_of(content)
    if sections is None:
        return NO
    if kind := type_of(sections):
        return NO if "VRP" in kind else SURE
    return NO if has_demands(sections) or not sections.lines else MAYBE


def sections_of(content: Content) -> Sections | None:
    """Return what is in a file, None if it is not of TSPLIB's form."""
    if "sections" not in content.found:
        content.found["sections"] = None
        if not content.data.lstrip()[:1].isdigit():
            with suppress(FileFormatError):  # the reader of its kind reports it
                content.found["sections"] = read_sections(content.path)
    found: Sections | None = content.found["sections"]
    return found


def type_of(sections: Sections) -> str:
    """Return what a file says that it is; nothing if it does not."""
    return sections.fields.get("TYPE", "").upper()


def has_demands(sections: Sections) -> bool:
    """Return whether a file has what routes alone have."""
    return "DEMAND" in sections.lines or "CAPACITY" in sections.fields
