"""How the content of a file of TSPLIB's form tells tours from routes."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from gpu_ls_plugin.core.exceptions import FileFormatError
from gpu_ls_plugin.runs.domain import MAYBE, NO, SURE
from gpu_ls_plugin.tours.problem.tsplib import Sections, read_sections

if TYPE_CHECKING:
    from gpu_ls_plugin.runs.domain import Content


def fits_tours(content: Content) -> int:
    """Return whether a file holds a problem of tours."""
    return _fits(content, routes=False)


def fits_routes(content: Content) -> int:
    """Return whether a file holds a problem of routes."""
    return _fits(content, routes=True)


def _fits(content: Content, *, routes: bool) -> int:
    sections = _sections(content)
    if sections is None:
        return NO
    if kind := sections.fields.get("TYPE", "").upper():
        return SURE if ("VRP" in kind) == routes else NO
    if "DEMAND" in sections.lines or "CAPACITY" in sections.fields:
        return SURE if routes else NO
    return MAYBE if sections.lines else NO


def _sections(content: Content) -> Sections | None:
    """Return what is in a file, None if it is not of TSPLIB's form."""
    if "sections" not in content.found:
        content.found["sections"] = None
        if not content.data.lstrip()[:1].isdigit():
            with suppress(FileFormatError):  # the reader of its kind reports it
                content.found["sections"] = read_sections(content.path)
    found: Sections | None = content.found["sections"]
    return found
