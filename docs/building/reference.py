"""The pages of the API reference: every public name, by the room that it lives in."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from gpu_ls_plugin.core import lazy_names

# Packages whose public names are those of their `__all__`, each a page of its own.
PACKAGES = {
    "gpu_ls_plugin.distributed": "Clusters",
    "gpu_ls_plugin.extend": "For authors of parts",
    "gpu_ls_plugin.testing": "Checks of parts",
    "gpu_ls_plugin.plugins.hookspecs": "Hooks of plugins",
    "gpu_ls_pymoo": "pymoo",
    "gpu_ls_pygad": "PyGAD",
    "gpu_ls_deap": "DEAP",
    "gpu_ls_evotorch": "EvoTorch",
    "gpu_ls_plugin.torch": "torch",
    "gpu_ls_plugin.jax": "JAX",
}
NAMESPACES = tuple(
    f"gpu_ls_plugin.{name}" for name in ("tours", "routes", "assignment", "sequences")
)
# Rooms of the names of `gpu_ls_plugin`, page by page.
ROOMS = {
    "Problems": (
        *("tours.problem", "routes.problem", "assignment.problem", "sequences.problem"),
        "core.problem",
    ),
    "Solving": (
        *("solver", "tensors", "core.many_result", "core.result", "core.budget", "core.progress"),
    ),
    "Searches": (
        *("tours.searches", "routes.searches", "assignment.engines", "runs.observers"),
        *("sequences.searches", "tours.engines.pivoting", "runs.acceptance"),
    ),
    "Neighbourhoods and filters": (
        *("tours.moves", "routes.moves", "sequences.moves", "tours.filters"),
    ),
    "Candidates": ("tours.candidates",),
    "Constructions and kicks": (
        *("tours.construction", "routes.construction", "tours.kicks", "routes.removals"),
        *("sequences.construction", "sequences.kicks"),
    ),
    "Populations": (
        *("tours.crossovers", "routes.crossovers", "tours.cooperation", "routes.engines"),
        *("sequences.cooperation", "distributed"),
    ),
    "Assignment problems": (
        *("assignment.heuristics", "assignment.successors", "assignment.plan"),
    ),
    "Drawing": ("drawing", "tours.plan", "routes.plan"),
    "Errors": ("core.exceptions",),
}
HEADER = "Generated from the docstrings of the installed version."


def public_names() -> list[str]:
    """Return the dotted public names of the library and its adapters."""
    return _own_names() + [f"{package}.{name}" for package in PACKAGES for name in _all(package)]


def pages() -> dict[str, str]:
    """Return the text of each page of the reference by its path in the site."""
    made = {}
    for title, rooms in ROOMS.items():
        names = [name for name in _own_names() if _home(name).startswith(rooms)]
        made[path_of(title)] = _page(title, names)
    for package, title in PACKAGES.items():
        names = [f"{package}.{name}" for name in _all(package)]
        made[path_of(title)] = _page(f"{title} (`{package}`)", names)
    rows = [f"- [{title}]({path_of(title).removeprefix('reference/')})" for title in titles()]
    made["reference/index.md"] = "\n".join(["# API reference", "", HEADER, "", *rows, ""])
    return made


def titles() -> list[str]:
    """Return the titles of all pages, in order."""
    return [*ROOMS, *PACKAGES.values()]


def path_of(title: str) -> str:
    """Return the path of a page in the site."""
    return f"reference/{title.lower().replace(' ', '-')}.md"


def object_of(name: str) -> Any:
    """Return what a dotted public name stands for."""
    package, _, own = name.rpartition(".")
    return getattr(importlib.import_module(package), own)


def _page(title: str, names: list[str]) -> str:
    return "\n".join([f"# {title}", "", *(f"::: {name}\n" for name in names)])


def _own_names() -> list[str]:
    """Return the names of `gpu_ls_plugin`, those of a domain with its namespace in front."""
    homes = lazy_names.public_names("gpu_ls_plugin")
    names = {
        name: f"gpu_ls_plugin.{name}"
        for name, home in homes.items()
        if home.module != "gpu_ls_plugin" and name != "registry"
    }
    for namespace in NAMESPACES:
        names |= {name: f"{namespace}.{name}" for name in lazy_names.public_names(namespace)}
    return [names[name] for name in sorted(names, key=str.lower)]


def _all(package: str) -> list[str]:
    module = importlib.import_module(package)
    names = getattr(module, "__all__", None)
    return sorted(names or (n for n in vars(module) if n.startswith("gpu_ls_")), key=str.lower)


def _home(name: str) -> str:
    value = object_of(name)
    home = value.__name__ if inspect.ismodule(value) else value.__module__
    return str(home.removeprefix("gpu_ls_plugin."))
