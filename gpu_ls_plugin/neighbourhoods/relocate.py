"""The relocate neighbourhood: Or-opt by the name that it has in vehicle routing."""

from __future__ import annotations

from dataclasses import dataclass

from gpu_ls_plugin.neighbourhoods.or_opt import OrOpt


@dataclass(frozen=True)
class Relocate(OrOpt):
    """Move up to `max_length` neighbouring customers elsewhere, either way round: `OrOpt`.

    To another place of their route, to another route, or to an empty one.
    """

    name = "relocate"
