"""Perturbations: kicks out of a local optimum."""

from gpu_ls_plugin.perturbations.double_bridge import DoubleBridge

__all__ = ["DoubleBridge"]
