"""Pictures of solutions, fronts and runs; Matplotlib is loaded when one is drawn."""

from gpu_ls_plugin.core.lazy_names import lazy_names
from gpu_ls_plugin.drawing.fronts import plot_fronts
from gpu_ls_plugin.drawing.runs import animate_run
from gpu_ls_plugin.drawing.solutions import plot_solution

__all__ = ["animate_run", "plot_fronts", "plot_solution"]

__getattr__, _ = lazy_names(  # they were here in version 0.1
    __name__,
    {
        "coordinates": ".tours.plan.drawing",
        "plot_population": ".tours.plan.drawing",
        "plot_routes": ".routes.plan.drawing",
        "plot_tour": ".tours.plan.drawing",
    },
)
