"""DEAP adapter: the library's searches and crossovers for a toolbox, one by one or in batches.

Nothing is imported before one of the public names is used, and nothing of DEAP itself: an
individual is any mutable sequence of cities, with or without a ``fitness``.
"""

from gpu_ls_plugin.core.lazy_names import lazy_names, public_names

__all__ = list(public_names(__name__))
__getattr__, __dir__ = lazy_names(__name__, framework="deap")
