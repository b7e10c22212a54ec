"""Recognise the kind of a TSPLIB file by its content."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from gpu_ls_plugin.core.exceptions import FileFormatError
from gpu_ls_plugin.runs.domain import MAYBE, NO, SURE
from gpu_ls_plugin.tours.problem.tsplib import Sections, read_sections

if TYPE_CHECKING:
    from gpu_ls_plugin.runs.domain import Content


def fits_tours(content: Content) -> int:
    """Return how surely a file holds a problem of tours; files of routes have demands or a TYPE."""
    sections = sections_of(content)
    if sections is None:
        return NO
    if kind := type_of(sections):
        return NO if "VRP" in kind else SURE
    return NO if has_demands(sections) or not sections.lines else MAYBE


def sections_of(content: Content) -> Sections | None:
    """Return the sections of a file, None if it is not a TSPLIB file."""
    if "sections" not in content.found:
        content.found["sections"] = None
        if not content.data.lstrip()[:1].isdigit():
            with suppress(FileFormatError):  # the reader of the file reports it
                content.found["sections"] = read_sections(content.path)
    found: Sections | None = content.found["sections"]
    return found


def type_of(sections: Sections) -> str:
    """Return the TYPE of a file in upper case, empty if it has none."""
    return sections.fields.get("TYPE", "").upper()


def has_demands(sections: Sections) -> bool:
    """Return whether a file has demands or capacities, which only routes have."""
    return "DEMAND" in sections.lines or "CAPACITY" in sections.fields
