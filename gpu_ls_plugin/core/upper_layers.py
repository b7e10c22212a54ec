"""Functions of upper layers that lower layers call.

Modules import from lower layers only, so ``gpu_ls_plugin/wiring.py`` sets these functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

search_of: Callable[[Any], Callable[..., Any]]
"""Takes a search, or a string that describes one; returns the search."""

load_plugins: Callable[[], None]
"""Loads the built-in parts and all installed plugins, once."""

device_costs: Callable[[Any, Any], Any]
"""Takes a problem and tours on a GPU; returns their costs."""

search_finished: Callable[[Any, object, Any], None]
"""Takes a problem, a search and its statistics; tells the plugins that a batch is finished."""

solve: Callable[..., Any]
"""Takes a problem, settings and, if wanted, a callback; returns the result of the plan."""
