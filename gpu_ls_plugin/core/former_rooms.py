"""Keeps modules and headers available under their paths in version 0.1, for one release.

``gls.candidates.Nearest`` still works, as does ``#include "include/team.cuh"``. Modules are
imported when they are first used.
"""

from __future__ import annotations

import importlib
from typing import Any

FORMER_MODULES = {
    **{name: f"core.{name}" for name in ("budget", "checks", "files", "history", "progress")},
    **{name: f"core.{name}" for name in ("result", "trust")},
    "acceptance": "runs.acceptance",
    "observers": "runs.observers",
    "search_text": "plugins.search_text",
    "solution": "tours.problem.referee",
}
# Former packages, and the packages that their modules are in today.
FORMER_ROOMS: dict[str, tuple[str, ...]] = {
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
}

# Former folders of headers, and the folders that their headers are in today.
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
    "recombination": (
        "tours/crossovers",
        "routes/crossovers",
        "runs/crossovers",
        "backends/include",
    ),
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
RENAMED_HEADERS = {"acceptance/rules": "runs/acceptance"}


class FormerRoom:
    """A former package. Its attributes are the modules of `packages` and the names in them."""

    def __init__(self, packages: list[str]) -> None:
        self.packages = packages

    def __getattr__(self, name: str) -> Any:
        import pkgutil

        if name.startswith("_"):
            raise AttributeError(name)
        modules = {
            entry.name: f"{package}.{entry.name}"
            for package in self.packages
            for entry in pkgutil.iter_modules(importlib.import_module(package).__path__)
        }
        for path in modules.values():
            module = importlib.import_module(path)
            if name in vars(module) and not hasattr(vars(module)[name], "__path__"):
                return vars(module)[name]
        if name in modules:
            return importlib.import_module(modules[name])
        raise AttributeError(f"nothing is called {name!r} in {', '.join(self.packages)}")


def former_room(package: str, name: str) -> Any:
    """Return the former module or package ``package.name``; AttributeError for other names."""
    if name in FORMER_MODULES:
        return importlib.import_module(f"{package}.{FORMER_MODULES[name]}")
    if name in FORMER_ROOMS:
        return FormerRoom([f"{package}.{room}" for room in FORMER_ROOMS[name]])
    raise AttributeError(f"module {package!r} has no attribute {name!r}")


def former_header(header: str) -> tuple[str, ...]:
    """Return the paths that a former header may have today; empty if its folder never existed."""
    if (renamed := RENAMED_HEADERS.get(header.removesuffix(".cuh"))) is not None:
        return (f"{renamed}.cuh",)
    folder, _, name = header.rpartition("/")
    return tuple(f"{today}/{name}" for today in FORMER_FOLDERS.get(folder, ()))
