"""Filters: which moves of a complete neighbourhood are evaluated."""

from gpu_ls_plugin.filtering.base import Everything, Filter
from gpu_ls_plugin.filtering.in_candidates import InCandidates
from gpu_ls_plugin.filtering.lengths import GainBound, Radius
from gpu_ls_plugin.filtering.passes import DontLook, RandomKeep

__all__ = [
    "DontLook",
    "Everything",
    "Filter",
    "GainBound",
    "InCandidates",
    "Radius",
    "RandomKeep",
]
