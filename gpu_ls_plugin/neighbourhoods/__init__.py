"""Neighbourhoods: parameters and contract here, the functor beside them in C++."""

from gpu_ls_plugin.neighbourhoods.base import Neighbourhood
from gpu_ls_plugin.neighbourhoods.two_opt import TwoOpt

__all__ = ["Neighbourhood", "TwoOpt"]
