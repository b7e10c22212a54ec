"""Pictures of solutions, fronts and runs; Matplotlib is loaded when a picture is drawn."""

from gpu_ls_plugin.core.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
