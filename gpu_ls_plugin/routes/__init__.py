"""Vehicle routing: problems, constructions, moves, searches and default plans."""

from gpu_ls_plugin.core.lazy_names import lazy_names
from gpu_ls_plugin.routes import wiring as _wiring  # noqa: F401

__getattr__, __dir__ = lazy_names(__name__)
