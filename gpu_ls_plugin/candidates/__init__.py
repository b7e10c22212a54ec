"""Candidate sets: which cities are tried next to a city."""

from gpu_ls_plugin.candidates.all import All
from gpu_ls_plugin.candidates.base import CandidateLists, Candidates
from gpu_ls_plugin.candidates.nearest import Nearest

__all__ = ["All", "CandidateLists", "Candidates", "Nearest"]
