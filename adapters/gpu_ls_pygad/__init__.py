"""PyGAD adapter: search and crossover operators for whole generations of `pygad.GA`.

Operators are functions that PyGAD calls. Names are imported when they are first used. PyGAD itself
is not imported.
"""

from gpu_ls_plugin.core.lazy_names import lazy_names, public_names

__all__ = list(public_names(__name__))
__getattr__, __dir__ = lazy_names(__name__, framework="pygad")
