"""Starting tours, in batches, on both backends."""

from gpu_ls_plugin.construction.greedy import greedy
from gpu_ls_plugin.construction.nearest_neighbour import nearest_neighbour
from gpu_ls_plugin.construction.random_tours import random_tours
from gpu_ls_plugin.construction.routes import (
    cheapest_insertion,
    one_route_each,
    savings,
    split,
    sweep,
)
from gpu_ls_plugin.construction.space_filling_curve import space_filling_curve

__all__ = [
    "cheapest_insertion",
    "greedy",
    "nearest_neighbour",
    "one_route_each",
    "random_tours",
    "savings",
    "space_filling_curve",
    "split",
    "sweep",
]
