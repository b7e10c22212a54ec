"""pymoo adapter: searches, crossovers and successor generation as operators and algorithms.

Names are imported when they are first used, so that the plugin loader can import the package
without pymoo.
"""

from gpu_ls_plugin.core.lazy_names import lazy_names, public_names

__all__ = list(public_names(__name__))
__getattr__, __dir__ = lazy_names(__name__, framework="pymoo")
