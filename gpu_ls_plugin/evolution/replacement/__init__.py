"""Which tours of parents and children make the next population."""

from gpu_ls_plugin.evolution.replacement.base import Replacement
from gpu_ls_plugin.evolution.replacement.best_distinct import BestDistinct

__all__ = ["BestDistinct", "Replacement"]
