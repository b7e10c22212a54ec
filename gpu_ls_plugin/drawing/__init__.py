"""Pictures of tours, populations, fronts and runs; Matplotlib is loaded when one is drawn."""

from gpu_ls_plugin.drawing.fronts import plot_fronts
from gpu_ls_plugin.drawing.populations import plot_population
from gpu_ls_plugin.drawing.routes import plot_routes
from gpu_ls_plugin.drawing.runs import animate_run
from gpu_ls_plugin.drawing.tours import coordinates, plot_tour

__all__ = [
    "animate_run",
    "coordinates",
    "plot_fronts",
    "plot_population",
    "plot_routes",
    "plot_tour",
]
