"""What a search minimises: the length of a tour, and what an objective adds to it."""

from gpu_ls_plugin.tours.problem.length import Length
from gpu_ls_plugin.tours.problem.objective import Objective

__all__ = ["Length", "Objective"]
