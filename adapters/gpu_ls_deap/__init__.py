"""DEAP adapter: search and crossover operators for a toolbox, for one individual or a batch.

An individual is any mutable sequence of cities, with or without a ``fitness``. Names are imported
when they are first used. DEAP itself is not imported.
"""

from gpu_ls_plugin.core.lazy_names import lazy_names, public_names

__all__ = list(public_names(__name__))
__getattr__, __dir__ = lazy_names(__name__, framework="deap")
