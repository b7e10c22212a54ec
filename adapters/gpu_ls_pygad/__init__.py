"""PyGAD adapter: the library's searches and crossovers on whole generations of `pygad.GA`.

Nothing is imported before one of the public names is used, and nothing of PyGAD itself: operators
are functions that PyGAD calls.
"""

from gpu_ls_plugin.core.lazy_names import lazy_names, public_names

__all__ = list(public_names(__name__))
__getattr__, __dir__ = lazy_names(__name__, framework="pygad")
