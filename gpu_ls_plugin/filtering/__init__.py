"""Filters: which moves of a complete neighbourhood are evaluated."""

from gpu_ls_plugin.filtering.base import Filter
from gpu_ls_plugin.filtering.dont_look import DontLook
from gpu_ls_plugin.filtering.everything import Everything
from gpu_ls_plugin.filtering.gain_bound import GainBound
from gpu_ls_plugin.filtering.in_candidates import InCandidates
from gpu_ls_plugin.filtering.radius import Radius
from gpu_ls_plugin.filtering.random_keep import RandomKeep

__all__ = [
    "DontLook",
    "Everything",
    "Filter",
    "GainBound",
    "InCandidates",
    "Radius",
    "RandomKeep",
]
