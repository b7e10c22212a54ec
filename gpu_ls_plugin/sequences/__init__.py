"""Sequence problems, whose solutions are permutations with an objective of their own."""

from gpu_ls_plugin.core.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
