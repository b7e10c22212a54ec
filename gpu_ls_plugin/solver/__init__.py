"""Solving in one call: the arguments, the plan, and the run of its stages."""

from gpu_ls_plugin.core.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
