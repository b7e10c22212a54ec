"""Which tours of parents and children make the next population."""

from gpu_ls_plugin.evolution.replacement.base import Replacement
from gpu_ls_plugin.evolution.replacement.best_distinct import BestDistinct
from gpu_ls_plugin.evolution.replacement.crowding import Crowding
from gpu_ls_plugin.evolution.replacement.edge_distance import EdgeDistance

__all__ = ["BestDistinct", "Crowding", "EdgeDistance", "Replacement"]
