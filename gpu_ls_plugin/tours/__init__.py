"""The travelling salesman problem: its data, its searches and its plans."""

from gpu_ls_plugin.core.lazy_names import lazy_names
from gpu_ls_plugin.tours import wiring as _wiring  # noqa: F401

__getattr__, __dir__ = lazy_names(__name__)
