"""Candidate sets: which cities are tried next to a city."""

from gpu_ls_plugin.candidates import base
from gpu_ls_plugin.candidates.alpha import Alpha
from gpu_ls_plugin.candidates.base import Candidates
from gpu_ls_plugin.candidates.combined import Closure, Union
from gpu_ls_plugin.candidates.detour import Detour
from gpu_ls_plugin.candidates.lists import CandidateLists
from gpu_ls_plugin.candidates.nearest import All, Nearest
from gpu_ls_plugin.candidates.quadrant import Quadrant
from gpu_ls_plugin.candidates.stored import Stored

__all__ = [
    "All",
    "Alpha",
    "CandidateLists",
    "Candidates",
    "Closure",
    "Detour",
    "Nearest",
    "Quadrant",
    "Stored",
    "Union",
]

base.union, base.stored = Union, Stored.read
