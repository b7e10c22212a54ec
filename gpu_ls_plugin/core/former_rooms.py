"""Rooms and headers of version 0.1 under their former names, for one release.

``gls.candidates.Nearest`` and ``#include "include/metric.cuh"``, for example, still work.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from typing import Any

CORE = ("core",)
FORMER_ROOMS: dict[str, tuple[str, ...]] = {
    "acceptance": ("runs",),
    "candidates": ("tours.candidates",),
    "construction": ("tours.construction", "routes.construction"),
    "cooperation": ("tours.cooperation", "routes.engines"),
    "filtering": ("tours.filters",),
    "heuristics": ("assignment.heuristics", "assignment.heuristics.masks"),
    "neighbourhoods": ("tours.moves", "routes.moves", "tours.filters"),
    "objectives": ("tours.problem", "routes.problem"),
    "perturbations": ("tours.kicks", "routes.removals"),
    "pivoting": ("tours.engines",),
    "problems": ("tours.problem", "routes.problem", "assignment.problem", "core"),
    "recombination": ("tours.crossovers", "routes.crossovers"),
    "resources": ("routes.problem.resources",),
    "searches": ("tours.searches", "routes.searches", "assignment.engines", "runs"),
    "successors": ("assignment.successors",),
    **{name: CORE for name in ("budget", "checks", "files", "history", "progress", "result")},
    "search_text": ("plugins",),
    "trust": CORE,
}

# Folders of headers in version 0.1, and the folders that their headers are in now.
FORMER_FOLDERS: dict[str, tuple[str, ...]] = {
    "candidates": ("tours/candidates",),
    "construction": ("tours/construction",),
    "construction/routes": ("routes/construction", "routes/problem"),
    "filtering": ("tours/filters",),
    "heuristics": ("assignment/heuristics",),
    "heuristics/masks": ("assignment/heuristics/masks",),
    "include": ("backends/include", "tours/problem"),
    "neighbourhoods": ("tours/moves", "routes/moves"),
    "objectives": ("tours/problem", "routes/problem"),
    "perturbations": ("tours/kicks", "routes/removals", "routes/kernels"),
    "problems": ("assignment/problem",),
    "recombination": ("tours/crossovers", "routes/crossovers"),
    "resources": ("routes/problem/resources",),
    "searches": ("tours/engines",),
    "searches/chains": ("tours/engines/chains", "routes/engines"),
    "searches/descent": ("tours/engines/descent", "routes/engines"),
    "searches/exhaustive": ("tours/engines/exhaustive",),
    "searches/filtered": ("tours/engines/filtered",),
    "searches/instances": ("tours/many",),
    "searches/successors": ("assignment/engines",),
    "successors": ("assignment/successors",),
    "tours": ("tours/kernels", "tours/moves", "routes/kernels", "backends/include"),
}
FORMER_NAMES = {"acceptance/rules": "runs/acceptance"}  # headers that were renamed


@dataclass(frozen=True)
class FormerRoom:
    """A namespace that contains modules of some rooms, and the names that they define."""

    package: str
    rooms: tuple[str, ...]

    def __getattr__(self, name: str) -> Any:
        found = [f"{self.package}.{room}" for room in self.rooms]
        modules = {
            entry.name: f"{room}.{entry.name}"
            for room in found
            for entry in pkgutil.iter_modules(importlib.import_module(room).__path__)
        }
        if name.startswith("_"):
            raise AttributeError(name)
        for path in modules.values():
            module = importlib.import_module(path)
            if name in vars(module) and not hasattr(module.__dict__[name], "__path__"):
                return vars(module)[name]
        if name in modules:
            return importlib.import_module(modules[name])
        raise AttributeError(f"{self.package} has nothing called {name!r} in {self.rooms}")


def former_room(package: str, name: str) -> Any:
    """Return ``gls.name`` as in version 0.1: a module, or a namespace of several rooms."""
    if name not in FORMER_ROOMS:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    rooms = FORMER_ROOMS[name]
    if rooms in (CORE, ("plugins",), ("runs",)):
        return importlib.import_module(f"{package}.{rooms[0]}.{name}")
    return FormerRoom(package, rooms)


def former_header(header: str) -> tuple[str, ...]:
    """Return the paths that a header of version 0.1 may have now, none if it had no such folder."""
    folder, _, name = header.rpartition("/")
    other = FORMER_NAMES.get(header.removesuffix(".cuh"))
    if other is not None:
        return (f"{other}.cuh",)
    return tuple(f"{room}/{name}" for room in FORMER_FOLDERS.get(folder, ()))
