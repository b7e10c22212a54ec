"""Giant tours of vehicle routing problems, in batches, on both backends."""

from gpu_ls_plugin.construction.routes.cheapest_insertion import cheapest_insertion
from gpu_ls_plugin.construction.routes.one_route_each import one_route_each
from gpu_ls_plugin.construction.routes.savings import savings
from gpu_ls_plugin.construction.routes.split import split
from gpu_ls_plugin.construction.routes.sweep import sweep

__all__ = ["cheapest_insertion", "one_route_each", "savings", "split", "sweep"]
