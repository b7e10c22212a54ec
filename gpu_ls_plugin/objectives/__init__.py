"""What a search minimises: the length of a tour, and what an objective adds to it."""

from gpu_ls_plugin.objectives.base import Objective
from gpu_ls_plugin.objectives.length import Length

__all__ = ["Length", "Objective"]
