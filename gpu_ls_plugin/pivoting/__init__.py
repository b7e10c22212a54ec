"""Pivoting rules: which improving move is taken."""

from gpu_ls_plugin.pivoting.base import Pivoting
from gpu_ls_plugin.pivoting.best import Best
from gpu_ls_plugin.pivoting.first import First
from gpu_ls_plugin.pivoting.multi import Multi
from gpu_ls_plugin.pivoting.random_k import RandomK

__all__ = ["Best", "First", "Multi", "Pivoting", "RandomK"]
