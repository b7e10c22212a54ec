"""pymoo adapter: the library's searches and successor generation as pymoo operators and algorithms.

Nothing of pymoo is imported before one of the public names is used, so that the plugin loader
can look at the package at no cost.
"""

from gpu_ls_plugin.core.lazy_names import lazy_names, public_names

__all__ = list(public_names(__name__))
__getattr__, __dir__ = lazy_names(__name__, framework="pymoo")
