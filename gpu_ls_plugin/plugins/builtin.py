"""The built-in parts, registered through the hooks of plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpu_ls_plugin.assignment import parts as of_assignment
from gpu_ls_plugin.core.problem import Problem
from gpu_ls_plugin.plugins.hookspecs import hookimpl
from gpu_ls_plugin.routes import parts as of_routes
from gpu_ls_plugin.sequences import parts as of_sequences
from gpu_ls_plugin.tours import parts as of_tours
from gpu_ls_plugin.tours.problem.metrics import BUILT_IN_METRICS

if TYPE_CHECKING:
    from gpu_ls_plugin.plugins.hookspecs import Register


@hookimpl
def gpu_ls_register_parts(register: Register) -> None:
    """Register the parts of the library."""
    for name, metric in BUILT_IN_METRICS.items():
        register("metric", name, metric)
    for room in (of_tours, of_routes, of_assignment, of_sequences):
        for kind, parts in room.PARTS.items():
            for part in parts:
                register(kind, getattr(part, "name", part.__name__.lower()), part)


@hookimpl
def gpu_ls_problem_from(obj: object) -> Problem | None:
    """Return problems of this library unchanged."""
    return obj if isinstance(obj, Problem) else None
