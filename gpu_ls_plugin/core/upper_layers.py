"""Functions of upper layers that lower layers call, set by ``gpu_ls_plugin/__init__.py``.

Imports point one way, so a lower layer reaches an upper one through this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

search_of: Callable[[Any], Callable[..., Any]]
"""Returns a search that is given or written as text; refuses anything else."""

load_plugins: Callable[[], None]
"""Loads the built-in parts and all installed plugins; does nothing when they are loaded."""

device_costs: Callable[[Any, Any], Any]
"""Takes a problem and tours on a GPU; returns their costs."""

search_finished: Callable[[Any, object, Any], None]
"""Takes a problem, a search and its statistics; tells the plugins that one batch is finished."""

solve: Callable[[Any, Any], Any]
"""Takes a problem and settings; returns the result of its plan."""
