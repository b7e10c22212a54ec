"""Search on states of assignment problems: tabu steps, release, successor generation."""

from gpu_ls_plugin.searches.successors.successor_search import SuccessorSearch

__all__ = ["SuccessorSearch"]
