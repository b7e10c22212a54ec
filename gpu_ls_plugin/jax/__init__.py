"""Local search of JAX arrays, also within `jax.jit`.

Names are imported when they are first used. Nothing else in the library imports JAX.
"""

from gpu_ls_plugin.core.lazy_names import lazy_names, public_names

__all__ = list(public_names(__name__))
__getattr__, __dir__ = lazy_names(__name__, framework="jax")
