"""Solving in one call: the arguments, the plan, and the run of its stages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from gpu_ls_plugin.runs.compiling import compile_search as compile_search
    from gpu_ls_plugin.runs.settings import Settings as Settings
    from gpu_ls_plugin.solver.plans import default_settings as default_settings
    from gpu_ls_plugin.solver.run import solve as solve

_HOMES = {
    "Settings": ".runs.settings",
    "compile_search": ".runs.compiling",
    "default_settings": "plans",
    "solve": "run",
}

if not TYPE_CHECKING:  # type checkers must report unknown names
    __getattr__, __dir__ = lazy_names(__name__, _HOMES)
