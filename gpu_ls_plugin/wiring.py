"""Connects lower layers to the functions of upper layers that they call."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core import upper_layers

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpu_ls_plugin.tours.problem.tsp import TSP


def _at_first_call(module: str, name: str) -> Callable[..., Any]:
    """Return a function that imports the named function when it is called, and calls it."""
    return lambda *given: getattr(import_module(f"gpu_ls_plugin.{module}"), name)(*given)


def _device_costs(problem: TSP, tours: Any) -> Any:
    from gpu_ls_plugin.backends import arrays, get_backend
    from gpu_ls_plugin.tours.kernels import evaluation

    backend = get_backend("cuda", tours=tours)
    with backend.current():
        taken = arrays.take_tours(backend, problem, tours)
        return evaluation.added_up_costs(backend, problem, taken)


upper_layers.device_costs = _device_costs
upper_layers.load_plugins = _at_first_call("plugins.loader", "load_all")
upper_layers.search_finished = _at_first_call("plugins.loader", "search_finished")
upper_layers.search_of = _at_first_call("plugins.search_text", "search_of")
upper_layers.solve = _at_first_call("solver.run", "solve")
