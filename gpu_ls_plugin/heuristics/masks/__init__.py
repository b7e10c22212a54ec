"""Masks: what forbids values of a variable, depending on what the others have."""

from gpu_ls_plugin.heuristics.masks.capacities import Capacities
from gpu_ls_plugin.heuristics.masks.values_taken import Conflicts, Distinct

__all__ = ["Capacities", "Conflicts", "Distinct"]
