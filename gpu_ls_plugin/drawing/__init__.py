"""Pictures of tours, populations, fronts and runs; Matplotlib is loaded when one is drawn."""

from gpu_ls_plugin.drawing.fronts import plot_fronts
from gpu_ls_plugin.drawing.runs import animate_run
from gpu_ls_plugin.routes.plan.drawing import plot_routes
from gpu_ls_plugin.tours.plan.drawing import coordinates, plot_tour
from gpu_ls_plugin.tours.plan.populations import plot_population

__all__ = [
    "animate_run",
    "coordinates",
    "plot_fronts",
    "plot_population",
    "plot_routes",
    "plot_tour",
]
