"""Perturbations: kicks out of a local optimum."""

from gpu_ls_plugin.perturbations.base import Perturbation, as_perturbation
from gpu_ls_plugin.perturbations.double_bridge import DoubleBridge
from gpu_ls_plugin.perturbations.on_backend import Restart
from gpu_ls_plugin.perturbations.ruin_recreate import RuinRecreate
from gpu_ls_plugin.perturbations.string_removal import StringRemoval

__all__ = [
    "DoubleBridge",
    "Perturbation",
    "Restart",
    "RuinRecreate",
    "StringRemoval",
    "as_perturbation",
]
