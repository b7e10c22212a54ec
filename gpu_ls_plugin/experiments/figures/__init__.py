"""The figures of an experiment."""

from gpu_ls_plugin.experiments.figures.curves import plot_curves
from gpu_ls_plugin.experiments.figures.fronts import plot_fronts
from gpu_ls_plugin.experiments.figures.profiles import plot_profiles
from gpu_ls_plugin.experiments.figures.ranks import plot_ranks

__all__ = ["plot_curves", "plot_fronts", "plot_profiles", "plot_ranks"]
