"""Solving: how, one instance, many instances at once."""

from gpu_ls_plugin.solver.colours import fewest_colours
from gpu_ls_plugin.solver.settings import Settings, default_settings
from gpu_ls_plugin.solver.single import compile_search, solve

__all__ = ["Settings", "compile_search", "default_settings", "fewest_colours", "solve"]
