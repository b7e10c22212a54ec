"""Acceptance rules: whether a chain goes on from a new tour."""

from gpu_ls_plugin.runs.acceptance.base import Acceptance
from gpu_ls_plugin.runs.acceptance.rules import Always, Annealing, Better, BetterOrEqual, Threshold

__all__ = ["Acceptance", "Always", "Annealing", "Better", "BetterOrEqual", "Threshold"]
