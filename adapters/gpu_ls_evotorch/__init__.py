"""EvoTorch adapter: a problem, operators and an algorithm, whose populations stay on the device.

Names are imported when they are first used, so that the plugin loader can import the package
without EvoTorch.
"""

from gpu_ls_plugin.core.lazy_names import lazy_names, public_names

__all__ = list(public_names(__name__))
__getattr__, __dir__ = lazy_names(__name__, framework="evotorch")
