"""Solving: how, one instance, many instances at once."""

from gpu_ls_plugin.solver.colours import fewest_colours
from gpu_ls_plugin.solver.compiling import compile_search
from gpu_ls_plugin.solver.plans import default_settings
from gpu_ls_plugin.solver.run import solve
from gpu_ls_plugin.solver.settings import Settings

__all__ = ["Settings", "compile_search", "default_settings", "fewest_colours", "solve"]
