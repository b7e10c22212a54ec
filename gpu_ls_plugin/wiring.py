"""Gives the functions of upper layers to the lower layers that call them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpu_ls_plugin.core import upper_layers

if TYPE_CHECKING:
    from gpu_ls_plugin.core.problem import Problem
    from gpu_ls_plugin.core.result import Result, Statistics
    from gpu_ls_plugin.runs.settings import Settings
    from gpu_ls_plugin.tours.problem.tsp import TSP


def _load_plugins() -> None:
    from gpu_ls_plugin.plugins import loader as plugins

    plugins.load_all()


def _search_of(given: object) -> Any:
    from gpu_ls_plugin.plugins.search_text import search_of

    return search_of(given)


def _device_costs(problem: TSP, tours: Any) -> Any:
    from gpu_ls_plugin.backends import arrays, get_backend
    from gpu_ls_plugin.tours.kernels import evaluation

    backend = get_backend("cuda", tours=tours)
    with backend.current():
        return evaluation.added_up_costs(
            backend, problem, arrays.take_tours(backend, problem, tours)
        )


def _search_finished(problem: Problem, search: object, statistics: Statistics) -> None:
    from gpu_ls_plugin.plugins import loader as plugins

    plugins.search_finished(problem, search, statistics)


def _solve(problem: Problem, settings: Settings) -> Result:
    from gpu_ls_plugin.solver.run import solve

    return solve(problem, settings)


upper_layers.load_plugins = _load_plugins
upper_layers.device_costs = _device_costs
upper_layers.search_finished = _search_finished
upper_layers.search_of = _search_of
upper_layers.solve = _solve
